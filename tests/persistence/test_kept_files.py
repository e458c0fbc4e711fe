"""Files of earlier versions load, and say what they said."""

import json
from pathlib import Path

import numpy as np
import pytest

import nearkind as nk
from helpers.model_files import taken_apart
from helpers.write_model_files import MAKERS, answers, main
from nearkind.encoding import Bins, Coordinate

FOLDER = Path(__file__).parent / "files"
FILES = sorted(FOLDER.glob("*.nearkind"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_kept_file_says_what_it_said(path):
    said = json.loads(path.with_suffix(".json").read_text(encoding="utf-8"))
    found = answers(nk.load(path), said["rows"])
    assert found.keys() == said["answers"].keys()
    for name, wanted in said["answers"].items():
        if name in ("labels", "neighbors"):
            assert found[name] == wanted
        else:
            np.testing.assert_allclose(found[name], wanted, rtol=0, atol=1e-9)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_kept_file_can_be_fitted_again(path):
    said = json.loads(path.with_suffix(".json").read_text(encoding="utf-8"))
    model, rows = nk.load(path), said["rows"]
    model.fit(rows, ["a", "b"] * (len(rows) // 2))
    assert list(model.classes_) == ["a", "b"]


def test_every_kind_is_kept():
    assert {path.stem for path in FILES} >= {make.__name__ for make in MAKERS}
    kinds = {
        type(feature)
        for name in ("mixed_bins", "mixed_scale")
        for feature in nk.load(FOLDER / f"{name}.nearkind").codebook_.features_
    }
    assert {Bins, Coordinate} <= kinds


def test_the_script_writes_such_files_still(tmp_path):
    main(tmp_path)
    for path in FILES:
        tree, _ = taken_apart((tmp_path / path.name).read_bytes())
        kept, _ = taken_apart(path.read_bytes())
        assert tree.keys() == kept.keys()
        assert tree["model"].keys() == kept["model"].keys()
