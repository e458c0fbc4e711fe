"""What is particular to ONNX: inputs, names, marks of missing cells, sizes."""

import builtins
import json

import numpy as np
import onnx
import onnxruntime
import pytest

import nearkind as nk
from helpers.export_frames import committee
from nearkind import export
from nearkind.encoding import Bins
from nearkind.export import onnx_file


def written(model, folder, **options):
    (path,) = export.write(model, folder / "model.onnx", "onnx", **options)
    onnx.checker.check_model(onnx.load(path), full_check=True)
    return onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])


def asked(session):
    about = session.get_modelmeta().custom_metadata_map["nearkind"]
    return json.loads(about)["inputs"]


def distance(cells, name="a", **settings):
    labels = [i % 2 for i in range(len(cells))]
    rows = [{name: cell} for cell in cells]
    return nk.baselines.Euclidean(**settings).fit(rows, labels)


@pytest.mark.parametrize("name", ["vector", "label", "probabilities", "", "_1", "rows"])
def test_any_name_of_a_column_will_do(name, tmp_path):
    metric = nk.baselines.Euclidean()
    model = nk.CPMLClassifier(metric, n_neighbors=1)
    model.fit([{name: "p", "_0": "s"}, {name: "q", "_0": "t"}], ["no", "yes"])
    session = written(model, tmp_path)
    names = [each["name"] for each in asked(session)]
    assert len({*names, "vector", "probabilities", "label"}) == 5
    cells = [np.array(["q", "p"], object), np.array(["t", "s"], object)]
    out = session.run(["label"], dict(zip(names, cells, strict=True)))
    assert out[0].tolist() == ["yes", "no"]


@pytest.mark.parametrize(
    ("cells", "mark"),
    [
        (["p", "q", None], ""),
        (["", "q", None], "<missing>"),
        (["", "<missing>", None], "<<missing>>"),
    ],
)
def test_missing_text_has_a_mark_that_is_no_value(cells, mark, tmp_path):
    model = distance(cells)
    session = written(model, tmp_path)
    assert asked(session) == [{"name": "a", "kind": "text", "missing": mark}]
    texts = np.array([mark if cell is None else cell for cell in cells], object)
    (U,) = session.run(None, {"a": texts})
    assert U.tolist() == model.transform([{"a": cell} for cell in cells]).tolist()


def test_numbers_among_text_are_given_as_text(tmp_path):
    model = distance(["p", 2, 0.5, True], numeric="category")
    session = written(model, tmp_path)
    (U,) = session.run(None, {"a": np.array(["p", "2", "0.5", "true", "3"], object)})
    wanted = model.transform([{"a": cell} for cell in ("p", 2, 0.5, True)])
    assert U[:4].tolist() == wanted.tolist()
    assert U[4].tolist() == model.distance_.tables.vectors[0][-1].tolist()


def test_a_number_and_the_same_as_text_need_codes(tmp_path):
    model = distance(["1", 1, "x"], numeric="category")
    with pytest.raises(ValueError, match=r"Column 'a' holds '1' as text and as a numb"):
        written(model, tmp_path)
    session = written(model, tmp_path, inputs="codes")
    rows = [{"a": cell} for cell in ("1", 1, "x")]
    codes = model.codebook_.encode(rows).astype(np.int64)
    (U,) = session.run(None, {"codes": codes})
    assert U.tolist() == model.transform(rows).tolist()


@pytest.mark.filterwarnings("ignore::nearkind.errors.UnseenValueWarning")
@pytest.mark.parametrize("n_edges", [0, 1, 2, 3, 4, 7, 8, 9])
def test_every_number_finds_its_bin(n_edges, tmp_path):
    cells = np.linspace(-1.0, 1.0, 40)
    model = distance(cells.tolist(), numeric="bin")
    edges = cells[2 : 2 + 4 * n_edges : 4]
    model.codebook_.features_[0] = Bins("a", edges, has_missing=False)
    rng = np.random.default_rng(0)
    model.distance_.tables.vectors[0] = rng.random((n_edges + 2, 3))
    session = written(model, tmp_path)
    x = np.concatenate([cells, [np.inf, -np.inf, np.nan, 5e-324]])
    (U,) = session.run(None, {"a": x})
    assert pytest.approx(model.transform([{"a": cell} for cell in x]), abs=1e-14) == U


def test_infinite_levels_are_values(tmp_path):
    model = distance([1.0, np.inf, -np.inf, 2.0, None])
    session = written(model, tmp_path)
    x = np.array([np.inf, -np.inf, 1.0, 2.0, np.nan, 1.5])
    (U,) = session.run(None, {"a": x})
    with pytest.warns(nk.errors.UnseenValueWarning):
        wanted = model.transform([{"a": cell} for cell in x])
    assert pytest.approx(wanted, abs=1e-14) == U


def test_no_rows_have_no_vectors(tmp_path):
    session = written(distance(["p", "q"]), tmp_path)
    (U,) = session.run(None, {"a": np.array([], object)})
    assert U.shape == (0, 2)


def test_more_than_protobuf_holds_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(onnx_file, "MAX_BYTES", 10)
    with pytest.raises(ValueError, match=r"an ONNX file holds 2\. .*export to SQL"):
        written(distance(["p", "q"]), tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_unknown_inputs(tmp_path):
    with pytest.raises(ValueError, match="Did you mean 'codes'"):
        written(distance(["p", "q"]), tmp_path, inputs="code")


def test_without_the_package_it_says_how_to_get_it(tmp_path, monkeypatch):
    real = builtins.__import__

    def without(name, *rest, **more):
        if name.split(".")[0] == "onnx":
            raise ImportError(name)
        return real(name, *rest, **more)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(ImportError, match=r'pip install "nearkind\[onnx\]"'):
        export.write(distance(["p", "q"]), tmp_path / "m.onnx", "onnx")


def test_a_distance_without_vectors_returns_nothing(tmp_path):
    model = nk.baselines.Hamming().fit([["a"], ["b"]])
    with pytest.raises(ValueError, match="nothing that a graph could return"):
        written(model, tmp_path)


def test_a_column_that_is_text_to_one_member_and_numbers_to_another(tmp_path):
    numbers, words = [[float(i)] for i in range(40)], [["p"], ["q"]] * 20
    labels = ["n", "y"] * 20
    metric = nk.baselines.Euclidean
    members = [
        nk.CPMLClassifier(metric(numeric="bin"), n_neighbors=1).fit(X, labels)
        for X in (numbers, words)
    ]
    model = committee(members)
    with pytest.raises(ValueError, match="text for one voter and numbers for another"):
        written(model, tmp_path)
    session = written(model, tmp_path, inputs="codes")
    assert [each.name for each in session.get_inputs()] == ["codes_1", "codes_2"]
