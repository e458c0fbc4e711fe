"""``nearkind change``."""

import nearkind as nk
from helpers.commands import complaint, done, facts
from nearkind.io import infer_types, read_columns


def test_the_changed_row_has_the_class(models, pets):
    columns = infer_types(read_columns(str(pets)))
    for method in ("hamming", "single"):
        model = nk.load(models[method])
        found = facts("change", models[method], pets, "--row", 0, "--to", "bird")
        row = {name: columns[name][0] for name in ("legs", "coat", "weight")}
        assert found["cells"] == row
        changed = row | {part["column"]: part["to"] for part in found["changes"]}
        assert model.predict([changed])[0] == found["predicted"] == "bird"
        assert found["before"] == model.predict([row])[0]
        assert found["n_changes"] == len(found["changes"])
        assert found["proven"] is True
        assert found["distance"] > 0.0


def test_fixed_columns_stay(models, pets):
    wanted = "change", models["hamming"], pets, "--row", 0, "--to", "bird"
    found = facts(*wanted, "--fixed", "coat", "--fixed", "weight")
    assert {part["column"] for part in found["changes"]} <= {"legs"}
    every = "--fixed", "coat", "--fixed", "weight", "--fixed", "legs"
    nothing = facts(*wanted, *every)
    assert (nothing["found"], nothing["n_changes"]) == (False, None)
    assert "No column that may change" in done(*wanted, *every)


def test_in_words(models, pets):
    out = done("change", models["hamming"], pets, "--row", 0, "--to", "bird")
    assert "; as bird after " in out
    assert "column" in out
    assert "Proven: " in out
    same = done("change", models["hamming"], pets, "--row", 2, "--to", "bird")
    assert "The row is of class 'bird' as it is." in same


def test_numbers_are_classes_too(tmp_path):
    rows = [{"a": "q"}, {"a": "r"}]
    nk.save(
        nk.CPMLClassifier("hamming", n_neighbors=1).fit(rows, [1, 2]),
        tmp_path / "m.nearkind",
    )
    wanted = "change", tmp_path / "m.nearkind", "-", "--row", 0, "--to", "2"
    assert facts(*wanted, stdin=b"a\nq\n")["predicted"] == 2


def test_text_that_moves_a_terminal_is_escaped(tmp_path):
    rows = b"a,b,kind\n\x1b[2J,1,x\nq,1,y\n\x1b[2J,2,x\nq,2,y\n"
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
    model = nk.load(tmp_path / "m.nearkind").set_params(n_neighbors=1)
    nk.save(model, tmp_path / "m.nearkind")
    out = done("change", tmp_path / "m.nearkind", "-", "--row", 1, stdin=rows)
    assert "\x1b[2J" not in out
    assert "as x after 1 change" in out


def test_bad_wishes_are_refused(models, pets):
    model = models["hamming"]
    wanted = "change", model, pets, "--row"
    assert "Did you mean 'bird'?" in complaint(*wanted, 0, "--to", "Bird")
    assert "Did you mean 'coat'?" in complaint(*wanted, 0, "--fixed", "coats")
    assert "There is no row 12" in complaint(*wanted, 12)
    assert "--row" in complaint("change", model, pets, code=2)
