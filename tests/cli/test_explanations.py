"""``nearkind neighbors`` and ``nearkind explain``."""

import numpy as np
import pytest

import nearkind as nk
from helpers.commands import PETS, complaint, done, facts
from nearkind.io import infer_types, read_columns

KINDS = [line.split(",")[-1] for line in PETS.splitlines()[1:]]


@pytest.mark.parametrize("method", ["hamming", "single"])
def test_neighbors_are_those_of_the_classifier(models, pets, method):
    found = facts("neighbors", models[method], pets, "--row", 4, "-k", 6)
    model = nk.load(models[method])
    columns = infer_types(read_columns(str(pets)))
    row = {name: [columns[name][4]] for name in ("legs", "coat", "weight")}
    distances, rows = model.kneighbors(row, 6)
    near = found["neighbors"]
    assert [kept["row"] for kept in near] == rows[0].tolist()
    assert [kept["distance"] for kept in near] == pytest.approx(distances[0].tolist())
    assert [kept["class"] for kept in near] == [KINDS[i] for i in rows[0]]
    itself = next(kept for kept in near if kept["row"] == 4)
    assert (itself["distance"], itself["why"]) == (0.0, [])
    assert found["cells"] == {"legs": 4, "coat": "fur", "weight": "009"}
    for kept in near:
        total = kept["distance"] ** (2 if method == "single" else 1)
        assert sum(part["contribution"] for part in kept["why"]) == pytest.approx(
            total, abs=1e-9
        )
        sizes = [abs(part["contribution"]) for part in kept["why"]]
        assert sizes == sorted(sizes, reverse=True)
        there = {part["feature"]: part["b"] for part in kept["why"] + kept["same"]}
        assert there == {name: columns[name][kept["row"]] for name in row}
    says = found["explained_by"]
    assert ("not learned" in says) == (method == "hamming")


def test_equal_rows_share_their_classes(tmp_path):
    rows = b"a,b,kind\n1,1,x\n1,1,y\n1,1,x\n2,2,y\n2,2,y\n"
    done(
        "fit",
        "-",
        "-t",
        "kind",
        "-m",
        "hamming",
        "-o",
        tmp_path / "m.nearkind",
        stdin=rows,
    )
    found = facts(
        "neighbors", tmp_path / "m.nearkind", "-", "--row", 0, "-k", 4, stdin=rows
    )
    assert [kept["row"] for kept in found["neighbors"]] == [0, 1, 2, 3]
    shares = found["neighbors"][1]["classes"]
    assert shares == {"x": pytest.approx(2 / 3), "y": pytest.approx(1 / 3)}
    out = done(
        "neighbors", tmp_path / "m.nearkind", "-", "--row", 0, "-k", 1, stdin=rows
    )
    assert "training row 0, x (x 67%, y 33%), distance 0" in out
    assert "the same in every column" in out


def test_neighbors_in_words(models, pets):
    out = done("neighbors", models["single"], pets, "--row", 2, "-k", 12)
    assert "Row 2, classified as bird" in out
    assert "legs: 2 here, 4 there" in out
    assert "down here, missing there" in out
    assert out.count("training row") == 12
    assert "contribution of each column to the squared distance" in out
    assert "by CPML(" in out
    assert "no difference: " in out
    assert "which is not learned" in done(
        "neighbors", models["hamming"], pets, "--row", 2
    )


@pytest.mark.parametrize("method", ["hamming", "single"])
def test_contributions_add_up_to_the_distance(models, pets, method):
    found = facts("explain", models[method], pets, "--rows", 0, 2)
    parts = found["contributions"]
    total = found["distance"] ** (2 if method == "single" else 1)
    assert sum(part["contribution"] for part in parts) == pytest.approx(total)
    sizes = [abs(part["contribution"]) for part in parts]
    assert sizes == sorted(sizes, reverse=True)
    by_name = {part["feature"]: (part["a"], part["b"]) for part in parts}
    assert by_name == {
        "legs": (4, 2),
        "coat": ("fur", "down"),
        "weight": ("007", "001"),
    }
    other = found["other_class"]
    assert other["class"] != found["predicted"][0]
    model = nk.load(models[method])
    columns = infer_types(read_columns(str(pets)))
    row = {name: [columns[name][0]] for name in ("legs", "coat", "weight")}
    distances, rows = model.kneighbors(row, 12)
    nearest = next(
        d for d, i in zip(distances[0], rows[0], strict=True)
        if KINDS[i] != found["predicted"][0]
    )  # fmt: skip
    assert other["distance"] == pytest.approx(nearest)


def test_of_tied_rows_of_another_class_the_first_is_named(tmp_path):
    rows = b"a,b,kind\n1,1,x\n2,1,y\n1,2,z\n2,2,z\n"
    done(
        "fit",
        "-",
        "-t",
        "kind",
        "-m",
        "hamming",
        "-o",
        tmp_path / "m.nearkind",
        stdin=rows,
    )
    model = nk.load(tmp_path / "m.nearkind")
    model.set_params(n_neighbors=1)
    nk.save(model, tmp_path / "m.nearkind")
    found = facts("explain", tmp_path / "m.nearkind", "-", "--rows", 0, 3, stdin=rows)
    assert (found["other_class"]["row"], found["other_class"]["distance"]) == (1, 0.5)


def test_there_may_be_no_row_of_another_class(tmp_path):
    rows = b"a,kind\n1,x\n1,x\n1,y\n2,x\n2,x\n2,y\n"
    done(
        "fit",
        "-",
        "-t",
        "kind",
        "-m",
        "hamming",
        "-o",
        tmp_path / "m.nearkind",
        stdin=rows,
    )
    found = facts("explain", tmp_path / "m.nearkind", "-", "--rows", 0, 3, stdin=rows)
    assert found["predicted"] == ["x", "x"]
    assert found["other_class"] is None


def test_explanation_in_words(models, pets):
    out = done("explain", models["hamming"], pets, "--rows", 0, 2)
    for words in ("Rows 0 and 2 are 1 apart", "adds to the distance", "█",
                  "4 against 2", "of another class"):  # fmt: skip
        assert words in out
    same = done("explain", models["hamming"], pets, "--rows", 2, 3)
    assert "The rows are equal in every column." in same


def test_a_distance_alone_is_explained(tmp_path):
    rows = [{"a": 1, "b": "x"}, {"a": 2, "b": "y"}]
    nk.save(nk.baselines.Hamming().fit(rows), tmp_path / "m.nearkind")
    found = facts(
        "explain",
        tmp_path / "m.nearkind",
        "-",
        "--rows",
        0,
        1,
        stdin=b"a,b\n1,x\n2,x\n",
    )
    assert found["distance"] == 0.5
    assert (found["predicted"], found["other_class"]) == (None, None)


NUMBERS = b"age,tone,kind\n" + b"".join(
    b"%d.5,%s,%s\n" % (i, b"xy"[i % 2 : i % 2 + 1], b"ab"[i > 20 : (i > 20) + 1])
    for i in range(42)
)


def test_numbers_of_training_rows_are_as_they_were_with_the_training_table(tmp_path):
    table = tmp_path / "ages.csv"
    table.write_bytes(NUMBERS)
    done("fit", table, "-t", "kind", "-m", "single", "-o", tmp_path / "m.nearkind")
    wanted = "neighbors", tmp_path / "m.nearkind", table, "--row", 3, "-k", 4
    for kept in facts(*wanted, "--training", table)["neighbors"]:
        there = {part["feature"]: part["b"] for part in kept["why"] + kept["same"]}
        assert there["age"] == kept["row"] + 0.5
    ranges = [
        part["b"]
        for kept in facts(*wanted)["neighbors"]
        for part in kept["why"] + kept["same"]
        if part["feature"] == "age"
    ]
    assert all(isinstance(value, str) for value in ranges)
    other = tmp_path / "other.csv"
    other.write_bytes(NUMBERS.replace(b"y", b"x"))
    said = complaint(*wanted, "--training", other)
    assert "of other.csv is not the row" in said


@pytest.mark.parametrize("method", ["hamming", "single"])
def test_why_a_row_has_its_class(models, pets, method):
    found = facts("explain", models[method], pets, "--row", 4, "-k", 12)
    model = nk.load(models[method])
    columns = infer_types(read_columns(str(pets)))
    row = {name: [columns[name][4]] for name in ("legs", "coat", "weight")}
    shown = model.explain(
        {name: cells[0] for name, cells in row.items()}, n_neighbors=12
    )
    assert found["predicted"] == shown.predicted
    assert found["probabilities"] == pytest.approx(shown.probabilities)
    assert [part["feature"] for part in found["effects"]] == list(
        shown.effects["feature"]
    )
    for label in model.classes_:
        effects = [part["effects"][label] for part in found["effects"]]
        assert effects == pytest.approx(list(shown.effects[f"for {label}"]))
    near = found["neighbors"]
    assert [kept["row"] for kept in near] == list(shown.neighbors["row"])
    assert sum(kept["vote"] for kept in near) == pytest.approx(1.0)


def test_why_a_row_has_its_class_in_words(models, pets):
    out = done("explain", models["single"], pets, "--row", 2, "-k", 2)
    for words in (
        "Row 2, classified as bird: bird 80.0%",
        "Contribution of each column",
        "base value",
        "Training rows with the largest votes",
        "% of the votes",
        "by CPML(",
    ):
        assert words in out, out


def test_all_rows_are_explained_as_in_python(models, pets, tmp_path):
    model, output = nk.load(models["single"]), tmp_path / "why.csv"
    found = facts("explain", models["single"], pets, "--all", "-o", output)
    X = infer_types(read_columns(str(pets)))
    wanted = model.explain_rows({name: X[name] for name in model.codebook_.names_})
    written = read_columns(str(output))
    assert list(written) == list(wanted.columns)
    for part in found["mean_absolute_contributions"]:
        name = part["feature"]
        np.testing.assert_allclose(np.array(written[name], float), wanted[name])
        assert part["contribution"] == pytest.approx(wanted[name].abs().mean())
    out = done("explain", models["single"], pets, "--all")
    assert "Mean absolute contribution" in out
    said = complaint("explain", models["single"], pets, "--all", "-o", pets, code=2)
    assert "commands do not overwrite their inputs" in said


def test_one_row_or_two(models, pets):
    said = complaint(
        "explain", models["single"], pets, "--row", 1, "-o", "why.csv", code=2
    )
    assert "requires --all" in said
    for wanted in ((), ("--row", 1, "--rows", 0, 1)):
        said = complaint("explain", models["single"], pets, *wanted, code=2)
        assert "choose one row" in said
    said = complaint("explain", models["single"], pets, "--row", 99)
    assert "no row 99" in said


def test_a_distance_alone_has_no_class_to_explain(tmp_path):
    nk.save(nk.baselines.Hamming().fit([{"a": 1}, {"a": 2}]), tmp_path / "m.nearkind")
    said = complaint(
        "explain", tmp_path / "m.nearkind", "-", "--row", 0, stdin=b"a\n1\n"
    )
    assert "predicts nothing" in said


def test_every_baseline_can_be_explained():
    X, y = [["a", "x"], ["b", "y"], ["a", "y"], ["b", "x"]], [0, 1, 0, 1]
    names = "goodall3", "lin", "vdm", "euclidean", "eskin", "lmca", "kernel_lmca"
    for name in (*names, "chi2_lmnn", "gb_lmnn"):
        model = nk.baselines.all()[name]().fit(X, y)
        a, b = model.codebook_.encode(X)[:2]
        parts = model.distance_.contributions(a, b)
        assert parts.shape == (2,)
        assert np.isfinite(parts).all()
        assert not model.distance_.contributions(a, a).any()


def test_bad_rows(models, pets):
    said = complaint("neighbors", models["hamming"], pets, "--row", 12)
    assert "no row 12 in pets.csv: rows are numbered from 0 to 11" in said
    assert "no row -1" in complaint("neighbors", models["hamming"], pets, "--row", -1)
    assert "no row 99" in complaint("explain", models["hamming"], pets, "--rows", 0, 99)
    said = complaint("neighbors", models["hamming"], pets, "--row", 0, "-k", 13)
    assert "only 12 training rows" in said
    complaint("neighbors", models["hamming"], pets, "--row", 0, "-k", 0, code=2)
    complaint("explain", models["hamming"], pets, "--rows", 0, code=2)
