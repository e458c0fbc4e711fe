"""Damaged and hostile files: one sentence, or a model that answers; never code.

Half of them have their checksum mended, so that what lies behind it is reached.
"""

import copy
import pickle
import tracemalloc
import warnings
import zipfile
import zlib
from io import BytesIO
from pathlib import Path

import numpy as np
import pytest

import nearkind as nk
from helpers.model_files import loaded, mixed_table, put_together, saved, taken_apart
from helpers.mutants import (
    FILES,
    NAMES,
    ODD,
    ROWS,
    Watch,
    assert_answers,
    changed,
    flipped,
    places,
    sentence_or_model,
)
from nearkind.errors import ModelFileError
from nearkind.persistence import container
from nearkind.persistence.container import pack_container, read_container
from nearkind.voting.calibration import Calibration
from nearkind.voting.conformal import ConformalScores


@pytest.fixture(scope="module")
def watch():
    repr(nk.CPML())  # scikit-learn imports what shows models when it is first needed
    return Watch()


@pytest.fixture(autouse=True)
def unseen_values_pass():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", nk.errors.UnseenValueWarning)
        yield


@pytest.mark.parametrize("name", NAMES)
def test_a_changed_byte_is_noticed(name, watch):
    rng = np.random.default_rng(0)
    for _ in range(100):
        assert sentence_or_model(flipped(FILES[name], rng), watch) is None


@pytest.mark.parametrize("name", NAMES)
def test_a_file_cut_or_lengthened_is_noticed(name, watch):
    rng, data = np.random.default_rng(1), FILES[name]
    for size in [*range(60), *rng.integers(0, len(data), 60), len(data) - 1]:
        assert sentence_or_model(data[:size], watch) is None
    for more in (b"\0", b"more", data):
        assert sentence_or_model(data + more, watch) is None


@pytest.mark.parametrize("name", NAMES)
def test_flipped_numbers_behind_a_mended_checksum(name, watch):
    text, arrays = read_container(BytesIO(FILES[name]), 1 << 30)
    rng = np.random.default_rng(2)
    for n in range(60):
        data = pack_container(text, flipped(arrays, rng, 1 + n % 3))
        model = sentence_or_model(data, watch)
        if model is not None:
            assert_answers(model, ROWS[name])


@pytest.mark.parametrize("name", NAMES)
def test_flipped_text_behind_a_mended_checksum(name, watch):
    text, arrays = read_container(BytesIO(FILES[name]), 1 << 30)
    rng = np.random.default_rng(3)
    for n in range(80):
        data = pack_container(flipped(text, rng, 1 + n % 3), arrays)
        model = sentence_or_model(data, watch)
        if model is not None and set(model.codebook_.names_) == set(ROWS[name]):
            assert_answers(model, ROWS[name])


@pytest.mark.parametrize("name", NAMES)
def test_odd_values_behind_a_mended_checksum(name, watch):
    tree, arrays = taken_apart(FILES[name])
    rng, paths = np.random.default_rng(4), list(places(tree))
    for n in range(200):
        path = paths[rng.integers(len(paths))]
        how = ["odd", "odd", "odd", "drop", "double", "rename"][n % 6]
        strange = changed(tree, path, ODD[rng.integers(len(ODD))], how)
        model = sentence_or_model(put_together(strange, arrays), watch)
        if model is not None and set(model.codebook_.names_) == set(ROWS[name]):
            assert_answers(model, ROWS[name])


@pytest.mark.parametrize("name", NAMES)
def test_what_is_said_about_a_model_changes_no_answer(name):
    tree, arrays = taken_apart(FILES[name])
    tree["about"], tree["versions"] = "something else", {}
    model = loaded(put_together(tree, arrays))
    assert_same_said(model, loaded(FILES[name]), ROWS[name])


def assert_same_said(a, b, rows):
    ask = "predict_proba" if hasattr(a, "predict_proba") else "transform"
    assert getattr(a, ask)(rows).tobytes() == getattr(b, ask)(rows).tobytes()


FORM = ("distance_",)
TABLES = ("distance_", "tables")
TREES = ("distance_", "trees")
VOTING = ("committee_", "voters", 0, "rows")
ALL = ("committee_",)


def unsound(name, *path, **entries):
    """Return a model of which some attributes, at a place, are no longer sound."""
    model = loaded(FILES[name])
    owner = model
    for step in path:
        owner = owner[step] if isinstance(step, int) else getattr(owner, step)
    for key, value in entries.items():
        object.__setattr__(owner, key, value)
    return model


def calibration(sharpness=1.0, prior_share=0.1, prior=None):
    prior = np.array([0.5, 0.5]) if prior is None else prior
    return Calibration(sharpness, prior_share, prior)


def conformal(**parts):
    sound = {
        "scores": np.zeros(3),
        "truth": np.zeros(3, np.intp),
        "weights": np.ones(3),
    }
    return ConformalScores(**{**sound, **parts})


@pytest.mark.parametrize(
    ("name", "path", "entries", "why"),
    [
        ("six_persons", (), {"metric_": -np.eye(3)[None]}, "semi-definite"),
        ("six_persons", (), {"metric_": np.full((1, 3, 3), np.nan)}, "not finite"),
        ("six_persons", (), {"metric_": np.triu(np.ones((3, 3)))[None]}, "symmetric"),
        ("six_persons", (), {"metric_": np.eye(2)[None]}, "does not fit"),
        ("six_persons", (), {"metric_": np.ones((1, 2, 3))}, "not square"),
        ("six_persons", (), {"spectrum_": np.ones((1, 2))}, "spectrum_"),
        ("six_persons", FORM, {"shares": np.ones(2)}, "shares has shape"),
        ("six_persons", (), {"classes_": np.array(["b", "a", "c"])}, "not sorted"),
        ("six_persons", (), {"classes_": np.array(["a", "a"])}, "not sorted"),
        ("six_persons", (), {"stop_reason_": "WHIM"},
         "stop_reason_ is 'WHIM' instead of one of TOLERANCE"),
        ("six_persons", (), {"rank_": -1}, "rank_"),
        ("six_persons", (), {"gap_": "none"}, "gap_"),
        ("six_persons", (), {"history_": [3]}, "history_"),
        ("six_persons", TABLES, {"vectors": []}, "one table per column"),
        ("six_persons", TABLES, {"vectors": [np.ones((4, 1))] * 3},
         "one row per value"),
        ("six_persons", ("codebook_",), {"names_": ["a", "a", "b"]}, "same name"),
        ("monks", VOTING, {"shares": np.ones((1, 2))}, "shares has shape"),
        ("monks", (), {"n_neighbors": 0}, "n_neighbors"),
        ("monks", (), {"weights": "loud"}, "are 'loud' instead of one of uniform"),
        ("monks", (), {"index": "tree"}, "is 'tree' instead of one of exact"),
        ("monks", (), {"classes_": np.array(["1"])}, "two labels or more"),
        ("monks", VOTING, {"weights": np.zeros(87)}, "above zero"),
        ("monks", (*VOTING, "groups"), {"rows": np.zeros(87, int)},
         "is there twice"),
        ("monks", (*VOTING, "groups"), {"starts": np.zeros(88, int)},
         "split among"),
        ("mixed_bins", ("codebook_", "features_", 0), {"edges": np.array([2.0, 1.0])},
         "rising order"),
        ("mixed_bins", ("codebook_", "features_", 0), {"edges": np.array([np.inf])},
         "finite"),
        ("mixed_scale", ("codebook_", "features_", 0), {"places": np.empty(0)},
         "positions"),
        ("searched", ALL, {"voters": ()}, "voters are not one or more voters"),
        ("searched", ALL, {"classes": np.array(["a", "b"])}, "number of classes"),
        ("searched", (), {"cv_results_": {"a": np.ones(2), "b": np.ones(3)}},
         "lengths"),
        ("searched", (), {"best_score_": "good"}, "best_score_"),
        ("searched", (), {"scoring": "luck"}, "'scoring' parameter"),
        ("searched", (), {"class_weight": {"a": -1.0}}, "'class_weight' parameter"),
        ("searched", ALL, {"calibration": 3.0}, "calibration of Committee is of"),
        ("searched", ALL, {"calibration": calibration(prior=np.full(9, 1 / 9))},
         "calibration is not of these classes"),
        ("searched", ALL, {"calibration": calibration(sharpness=-1.0)}, "sharpness"),
        ("searched", ALL, {"calibration": calibration(sharpness=99.0)}, "sharpness"),
        ("searched", ALL, {"calibration": calibration(prior_share=1.0)}, "prior_share"),
        ("searched", ALL, {"calibration": calibration(prior=np.array([2.0, -1.0]))},
         "prior of a calibration"),
        ("searched", ALL, {"calibration": calibration(prior=np.array([np.nan, 1.0]))},
         "not finite"),
        ("searched", ALL, {"conformal": conformal(scores=np.ones(2))},
         "classes of conformal scores has shape"),
        ("searched", ALL, {"conformal": conformal(scores=np.arange(3.0))},
         "no probability"),
        ("searched", ALL, {"conformal": conformal(scores=np.ones(3) * np.nan)},
         "not finite"),
        ("searched", ALL, {"conformal": conformal(scores=np.arange(3.0)[::-1])},
         "rising order"),
        ("searched", ALL, {"conformal": conformal(truth=np.array([0, 1, 9]))},
         "not of these classes"),
        ("searched", ALL, {"conformal": conformal(weights=np.zeros(3))},
         "lacks a class or a weight"),
        ("boosted", TREES, {"roots": np.array([99])}, "a node or a column"),
        ("boosted", TREES, {"roots": np.array([0.5])}, "array of whole numbers"),
        ("boosted", TREES, {"left": np.zeros(2, np.intp)}, "one entry per node"),
        ("boosted", TREES, {"goes_left": np.zeros((3, 2), bool)}, "a side per value"),
        ("boosted", TREES, {"goes_left": np.zeros(3)}, "table of true and false"),
        ("boosted", TREES, {"vectors": np.zeros((3, 99))}, "of trees has shape"),
        ("boosted", TREES, {"vectors": np.full((3, 15), np.nan)}, "not finite"),
        ("kernels", FORM, {"components": np.ones((2, 5))}, "components has shape"),
        ("kernels", FORM, {"length": 0.0}, "its length is zero"),
        ("kernels", FORM, {"length": -1.0}, "negative"),
        ("kernels", FORM, {"landmarks": np.zeros((12, 5), np.int64)},
         "whole numbers"),
        ("kernels", FORM, {"landmarks": np.zeros((12, 1), np.int32)},
         "one per column"),
        ("kernels", FORM, {"landmarks": np.full((12, 5), 99, np.int32)},
         "stands for no value"),
        ("searched", (), {"confusion_": np.ones((9, 9))}, "confusion_"),
        ("searched", (), {"confusion_": np.zeros((2, 2))}, "confusion_"),
    ],
)  # fmt: skip
def test_what_does_not_fit_together_is_named_and_not_written(name, path, entries, why):
    with pytest.raises(ModelFileError, match=why):
        saved(unsound(name, *path, **entries))


@pytest.mark.parametrize(
    ("part", "there"),
    [("left", 0), ("right", 10**9), ("features", 5), ("features", -1)],
)
def test_trees_that_lead_back_or_nowhere_are_refused(part, there):
    model = loaded(FILES["boosted"])
    trees = model.distance_.trees
    node = int(trees.left[0])  # not a root
    getattr(trees, part)[node] = there
    with pytest.raises(ModelFileError, match=r"lead back|a node or a column"):
        saved(model)


def test_histograms_with_negative_shares_are_refused():
    model = nk.baselines.Chi2LMNN().fit(*mixed_table(20))
    model.distance_.tables.vectors[0][0, 0] = -0.1
    with pytest.raises(ModelFileError, match="negative shares"):
        saved(model)


def test_a_code_without_a_value_is_refused():
    model = loaded(FILES["monks"])
    model.committee_.voters[0].rows.codes[0, 0] = 99
    with pytest.raises(ModelFileError, match="stands for no value"):
        saved(model)


class Bomb:
    def __reduce__(self):
        return (Path.touch, (Path("exploded"),))


def test_what_is_no_model_file_is_refused(tmp_path, monkeypatch, watch):
    monkeypatch.chdir(tmp_path)
    bomb = np.empty(1, dtype=object)
    bomb[0] = Bomb()
    array, archive = BytesIO(), BytesIO()
    np.save(array, bomb, allow_pickle=True)
    with zipfile.ZipFile(archive, "w") as zipped:
        zipped.writestr("../../model.npy", array.getvalue())
    for data in (
        pickle.dumps(Bomb()),
        array.getvalue(),
        archive.getvalue(),
        b"",
        b"{}",
    ):
        with pytest.raises(ModelFileError, match=r"no nearkind model|truncated"):
            loaded(data)
        text = b'{"about":"","versions":{},"model":'
        assert sentence_or_model(pack_container(data, data), watch) is None
        assert sentence_or_model(pack_container(text + data, data), watch) is None
    assert not Path("exploded").exists()


def resized(data, **sizes):
    """Return a file whose header states other sizes; the checksum is mended."""
    magic, number, *old = container._HEADER.unpack(data[: container._HEADER.size])
    new = container.Sizes(*old)._replace(**sizes)
    body = container._HEADER.pack(magic, number, *new) + data[38:-32]
    return body + container.sha256(body).digest()


@pytest.mark.parametrize("limit", [1 << 20, 1 << 24])
def test_nothing_is_allocated_beyond_the_limit(limit, watch):
    text, arrays = read_container(BytesIO(FILES["monks"]), 1 << 30)
    tree, _ = taken_apart(FILES["monks"])
    wide = changed(tree, ("model",), {"texts": ["<U999999999", ["a"]]}, "odd")
    huge = changed(tree, ("model",), {"array": ["<f8", "C", [10**9], 0]}, "odd")
    nested = b"[[]]," * (limit // container.GROWTH // 5 - 10)  # grows the most
    bombs = [
        pack_container(text, bytes(1 << 26)),  # 64 MiB of zeros are 300 KB
        resized(pack_container(text, bytes(1 << 26)), arrays=len(arrays)),
        resized(FILES["monks"], arrays=2**63),
        resized(FILES["monks"], text=2**63),
        resized(FILES["monks"], packed=2**63),
        pack_container(b"[" + b"[]," * (1 << 20) + b"[]]", b""),
        pack_container(b'{"about":"","versions":{},"model":[' + nested + b"0]}", b""),
        pack_container(text, bytes((limit - 70 * len(text)) // 2)),
        put_together(wide, arrays),
        put_together(huge, arrays),
    ]
    tracemalloc.start()
    try:
        for bomb in bombs:
            tracemalloc.reset_peak()
            before = tracemalloc.get_traced_memory()[0]
            assert sentence_or_model(bomb, watch, limit=limit) is None
            assert tracemalloc.get_traced_memory()[1] - before < 1.1 * limit
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize(
    "text",
    [
        b"[" * 100_000,
        b"[" * 100_000 + b"]" * 100_000,
        b'{"about":"","versions":{},"model":'
        + b'{"tuple":[' * 300
        + b"]}" * 300
        + b"}",
        b'{"about":"","about":"","versions":{},"model":1}',
        b'{"about":"","versions":{},"model":NaN}',
        b'{"about":"","versions":{},"model":-Infinity}',
        b'{"about":"","versions":{},"model":1e999}',
        b'{"about":"","versions":{},"model":' + b"9" * 5000 + b"}",
        b'{"about":"","versions":{}}',
        b"\xff\xfe",
        b"",
    ],
    ids=lambda text: repr(text[:60]),
)
def test_json_that_is_none_or_bottomless(text, watch):
    assert sentence_or_model(pack_container(text, b""), watch) is None


def test_arrays_that_overlap_are_left_over_or_packed_twice(watch):
    tree, arrays = taken_apart(FILES["six_persons"])
    moved = copy.deepcopy(tree)
    moved["model"]["CPML"]["fitted"]["spectrum_"]["array"][3] = 0
    assert sentence_or_model(put_together(moved, arrays), watch) is None
    assert sentence_or_model(put_together(tree, arrays + b"12345678"), watch) is None
    text, _ = read_container(BytesIO(FILES["six_persons"]), 1 << 30)
    packed = zlib.compress(arrays)
    for strange in (packed + packed, packed[:-4], arrays):
        sizes = len(text), len(strange), len(arrays)
        header = container._HEADER.pack(container.MAGIC, container.FORMAT, *sizes)
        body = header + text + strange
        data = body + container.sha256(body).digest()
        assert sentence_or_model(data, watch) is None
