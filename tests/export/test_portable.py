"""What cannot be exported is refused in a sentence, and nothing is left behind."""

from decimal import Decimal
from fractions import Fraction

import pytest

import nearkind as nk
from nearkind import export

ROWS, LABELS = [["a"], ["b"], ["a"], ["b"]], ["n", "y", "n", "y"]
target = pytest.mark.parametrize("to", export.TARGETS)


def refused(model, folder, to="json", **options):
    with pytest.raises((ValueError, TypeError)) as error:
        export.write(model, folder / "model", to, **options)
    assert list(folder.iterdir()) == []
    return str(error.value)


@target
@pytest.mark.parametrize("kind", ["CPML", "CPMLClassifier", "CPMLClassifierCV"])
def test_models_that_are_not_fitted(to, kind, tmp_path):
    message = refused(getattr(nk, kind)(), tmp_path, to)
    assert message.startswith(f"This {kind} instance is not fitted yet. Call 'fit'")


@target
def test_distances_without_vectors(to, tmp_path):
    metric = nk.baselines.Hamming()
    words = "Hamming gives values no vectors"
    assert words in refused(metric.fit(ROWS), tmp_path, to)
    model = nk.CPMLClassifier(metric, n_neighbors=1).fit(ROWS, LABELS)
    assert words in refused(model, tmp_path, to)


def test_every_baseline_is_written_or_refused(tmp_path):
    rows = [["a", "x"], ["b", "y"], ["a", "y"], ["b", "x"], ["c", "x"], ["c", "y"]]
    labels = ["n", "y", "n", "y", "n", "y"]
    for name, kind in nk.baselines.all().items():
        model = kind().fit(rows, labels)
        if hasattr(model, "value_vectors_"):
            assert export.write(model, tmp_path / name)
        else:
            with pytest.raises(ValueError, match=f"{kind.__name__} gives values no"):
                export.write(model, tmp_path / name)
    assert {"euclidean", "nca", "lmnn"} <= {path.name for path in tmp_path.iterdir()}


def committee(n_members):
    metric = nk.baselines.Euclidean()
    member = nk.CPMLClassifier(metric, n_neighbors=1).fit(ROWS, LABELS)
    model = nk.CPMLClassifierCV()
    model.members_, model.classes_ = [member] * n_members, member.classes_
    model.codebook_ = member.codebook_
    return model


def test_several_distances_that_vote_together(tmp_path):
    message = refused(committee(3), tmp_path)
    assert "votes with 3 distances together" in message
    assert "model.members_[0]" in message


def test_a_search_that_chose_one_is_that_one(tmp_path):
    model = committee(1)
    (one,) = export.write(model, tmp_path / "one.json")
    (same,) = export.write(model.members_[0], tmp_path / "same.json")
    assert one.read_bytes() == same.read_bytes()


def test_weights_that_are_a_function(tmp_path):
    metric = nk.baselines.Euclidean()
    model = nk.CPMLClassifier(metric, 1, weights=lambda d: d + 1.0).fit(ROWS, LABELS)
    assert "are a function" in refused(model, tmp_path)
    model.set_params(weights="distance")
    assert export.write(model, tmp_path / "m.json")


@pytest.mark.parametrize("other", [None, "model.json", 3, {}])
def test_what_is_no_model(other, tmp_path):
    message = refused(other, tmp_path)
    assert message.startswith("Wanted a fitted CPML, CPMLClassifier")
    assert f"got {type(other).__name__}" in message


@pytest.mark.parametrize(
    ("to", "words"),
    [
        ("jsn", "There is no export to 'jsn'. Did you mean 'json'?"),
        ("SQL", "Did you mean 'sql'?"),
        ("parquet", "Choose from 'json', 'csv', 'sql', 'onnx'."),
        (None, "There is no export to None."),
    ],
)
def test_unknown_targets(to, words, tmp_path):
    assert words in refused(nk.baselines.Euclidean().fit(ROWS, LABELS), tmp_path, to)


def test_options_of_another_target(tmp_path):
    model = nk.baselines.Euclidean().fit(ROWS, LABELS)
    message = refused(model, tmp_path, dialect="duckdb")
    assert message == "Export to json takes no option 'dialect'; its options: none."
    message = refused(model, tmp_path, "sql", inputs="codes")
    assert message.endswith("its options: dialect, table, key, name.")


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ((1, 2), "Column 'x0' holds (1, 2), a tuple, and only text"),
        (b"x", "Column 'x0' holds b'x', a bytes"),
        ("\ud800", "half of a character"),
    ],
)
@target
def test_values_that_other_programs_do_not_have(to, value, words, tmp_path):
    rows = [[value], ["b"]] * 2
    model = nk.baselines.Euclidean(numeric="category").fit(rows, LABELS)
    assert words in refused(model, tmp_path, to)


@target
def test_numbers_that_are_one_as_doubles(to, tmp_path):
    rows = [[2**53], [2**53 + 1]] * 2
    model = nk.baselines.Euclidean(numeric="category").fit(rows, LABELS)
    message = refused(model, tmp_path, to)
    assert "9007199254740992 and 9007199254740993, which are equal" in message


def test_json_has_no_infinite_number(tmp_path):
    model = nk.baselines.Euclidean().fit([[1.0], [float("inf")]] * 2, LABELS)
    assert "Column 'x0' holds inf, for which JSON has no number" in refused(
        model, tmp_path
    )
    assert export.write(model, tmp_path / "m.csv", "csv")


def test_decimals_and_fractions_are_numbers(tmp_path):
    rows = [[Decimal("1.5")], [Fraction(1, 4)]] * 2
    model = nk.baselines.Euclidean(numeric="category").fit(rows, LABELS)
    (path,) = export.write(model, tmp_path / "m.json")
    assert '"values": [0.25, 1.5]' in path.read_text()


@target
def test_places_that_cannot_be_written(to, tmp_path):
    model = nk.baselines.Euclidean().fit(ROWS, LABELS)
    with pytest.raises(FileNotFoundError, match="There is no folder"):
        export.write(model, tmp_path / "nowhere" / "m", to)
    with pytest.raises(IsADirectoryError, match="is a folder; name a file"):
        export.write(model, tmp_path, to)
    assert list(tmp_path.iterdir()) == []


@target
def test_a_folder_that_is_read_only(to, tmp_path, monkeypatch):
    model = nk.baselines.Euclidean().fit(ROWS, LABELS)
    place = tmp_path / "m"
    place.write_text("as it was")

    def denied(*_, **__):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("builtins.open", denied)
    with pytest.raises(PermissionError, match=r"Cannot write '.*m': Permission denied"):
        export.write(model, place, to)
    monkeypatch.undo()
    assert place.read_text() == "as it was"
