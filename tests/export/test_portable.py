"""What cannot be exported is refused in a sentence, and nothing is left behind."""

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import nearkind as nk
from helpers.export_frames import committee
from nearkind import export
from nearkind.distances import MismatchWeights, PairTables, ValueVectors
from nearkind.export.portable import on_grid

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
def test_distances_that_are_no_sums_of_tables(to, tmp_path):
    metric = nk.baselines.Lin()
    words = "Lin cannot be exported: it has neither vectors of values nor tables"
    assert words in refused(metric.fit(ROWS), tmp_path, to)
    model = nk.CPMLClassifier(metric, n_neighbors=1).fit(ROWS, LABELS)
    assert words in refused(model, tmp_path, to)


def test_every_baseline_is_written_or_refused(tmp_path):
    rows = [["a", "x"], ["b", "y"], ["a", "y"], ["b", "x"], ["c", "x"], ["c", "y"]]
    labels = ["n", "y", "n", "y", "n", "y"]
    for name, kind in nk.baselines.all().items():
        model, path = kind().fit(rows, labels), tmp_path / f"{name}.json"
        if isinstance(model.distance_, ValueVectors | PairTables | MismatchWeights):
            assert export.write(model, path)
        else:
            words = f"{kind.__name__} .*(cannot be|are not) exported"
            with pytest.raises(ValueError, match=words):
                export.write(model, path)
    written = {path.stem for path in tmp_path.iterdir()}
    assert {"euclidean", "nca", "lmnn", "hamming", "association"} <= written


def test_a_search_that_chose_one_is_that_one(tmp_path):
    metric = nk.baselines.Euclidean()
    member = nk.CPMLClassifier(metric, n_neighbors=1).fit(ROWS, LABELS)
    (one,) = export.write(committee([member]), tmp_path / "one.json")
    (same,) = export.write(member, tmp_path / "same.json")
    assert one.read_bytes() == same.read_bytes()


@given(st.lists(st.lists(st.floats(-1e9, 1e9), min_size=1), min_size=1, max_size=9))
def test_sums_on_a_grid_are_exact_in_any_order(columns):
    tables = on_grid([np.array(column)[:, None] for column in columns])
    largest = sum(abs(np.array(column)).max() for column in columns)
    for table, column in zip(tables, columns, strict=True):
        assert abs(table[:, 0] - column).max() <= 2.0**-52 * largest
    picked = [float(table[0, 0]) for table in tables]
    exact = float(sum(map(Fraction, picked)))
    assert sum(picked) == sum(reversed(picked)) == exact


def test_infinite_distances_between_values(tmp_path):
    model = nk.baselines.ValueDifference().fit(ROWS, LABELS)
    model.distance_.tables[0][0, 1] = np.inf
    assert "infinite entries" in refused(model, tmp_path)


def test_weights_that_are_a_function(tmp_path):
    metric = nk.baselines.Euclidean()
    model = nk.CPMLClassifier(metric, n_neighbors=1, weights=lambda d: d + 1.0).fit(
        ROWS, LABELS
    )
    assert "are a function" in refused(model, tmp_path)
    model.set_params(weights="distance")
    assert export.write(model, tmp_path / "m.json")


@pytest.mark.parametrize("other", [None, "model.json", 3, {}])
def test_what_is_no_model(other, tmp_path):
    message = refused(other, tmp_path)
    assert message.startswith("Wanted a fitted CPML, classifier, regressor")
    assert f"got {type(other).__name__}" in message


@pytest.mark.parametrize(
    ("to", "words"),
    [
        ("jsn", "There is no export to 'jsn'. Did you mean 'json'?"),
        ("SQL", "Did you mean 'sql'?"),
        ("parquet", "Choose from 'json', 'csv', 'sql', 'onnx'."),
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
def test_names_that_other_programs_cannot_read(to, tmp_path):
    rows = {"a\ud800": ["a", "b"] * 2}
    message = refused(nk.baselines.Euclidean().fit(rows, LABELS), tmp_path, to)
    assert "is called or holds 'a\\ud800', with half of a character" in message
    assert not list(tmp_path.iterdir())


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
    assert list(tmp_path.iterdir()) == []
    folder = tmp_path / "m.csv"
    folder.mkdir()
    with pytest.raises(IsADirectoryError, match="is a folder; name a file"):
        export.write(model, folder, to)
    assert list(folder.iterdir()) == []


def test_the_ending_says_what_to_write(tmp_path):
    model = nk.baselines.Euclidean().fit(ROWS, LABELS)
    for name, words in {"a.json": "{", "a.SQL": "-- A model", "a.csv": "fea"}.items():
        (path,) = export.write(model, tmp_path / name)
        assert path.read_text().startswith(words)
    (path,) = export.write(model, tmp_path / "tables")
    assert path == tmp_path / "tables" / "model.csv"
    assert export.write(model, tmp_path / "tables") == [path]
    with pytest.raises(ValueError, match=r"'a.txt' is none of json, csv, sql, onnx"):
        export.write(model, tmp_path / "a.txt")


def test_members_have_tables_of_their_own(tmp_path):
    metrics = nk.baselines.Euclidean(), nk.baselines.Hamming()
    members = [nk.CPMLClassifier(m, n_neighbors=1).fit(ROWS, LABELS) for m in metrics]
    files = export.write(committee(members), tmp_path / "m.csv")
    assert [path.name for path in files] == [
        "m.1.csv", "m.1.rows.csv", "m.2.csv", "m.2.distances.csv", "m.2.rows.csv",
    ]  # fmt: skip


@target
def test_a_folder_that_is_read_only(to, tmp_path, monkeypatch):
    model = nk.baselines.Euclidean().fit(ROWS, LABELS)
    place = tmp_path / "m.csv"
    place.write_text("as it was")

    def denied(*_, **__):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("builtins.open", denied)
    with pytest.raises(
        PermissionError, match=r"Cannot write '.*m.csv': Permission denied"
    ):
        export.write(model, place, to)
    monkeypatch.undo()
    assert place.read_text() == "as it was"
