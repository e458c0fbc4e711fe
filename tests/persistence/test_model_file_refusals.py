"""What cannot be saved or loaded, in one sentence that names the file."""

import errno
import os
import sys
import uuid
from io import BytesIO, StringIO
from pathlib import Path

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

import nearkind as nk
from helpers.model_files import loaded, mixed_table, put_together, saved, taken_apart
from nearkind.errors import ModelFileError
from nearkind.persistence import container, files

FOLDER = Path(__file__).parent / "files"
ROWS, LABELS = [["a"], ["a"], ["b"], ["b"]], ["no", "no", "yes", "yes"]


def hamming(**settings):
    return nk.baselines.Hamming(**settings).fit(ROWS, LABELS)


class Own(nk.CPML):
    pass


def voting(**settings):
    return nk.CPMLClassifier(nk.baselines.Hamming(), **settings).fit(ROWS, LABELS)


def drawing():
    model = nk.CPML(tol=0.1, random_state=np.random.RandomState(0))
    return model.fit(ROWS, LABELS)


def searching():
    candidates = [nk.baselines.Hamming()]
    search = nk.CPMLClassifierCV(
        candidates, n_neighbors=1, weights=[np.ones_like], cv=2
    )
    return search.fit(*mixed_table(20))


def odd_values(*values):
    return nk.baselines.Hamming(numeric="category").fit([[value] for value in values])


@pytest.mark.parametrize(
    ("make", "why"),
    [
        (nk.CPML, "this CPML is not fitted; call fit first"),
        (nk.CPMLClassifier, "this CPMLClassifier is not fitted"),
        (nk.CPMLClassifierCV, "this CPMLClassifierCV is not fitted"),
        (lambda: Own(tol=0.1).fit(ROWS, LABELS), "Own is neither CPML"),
        (LogisticRegression, "LogisticRegression is neither CPML"),
        (lambda: make_pipeline(hamming()), "Pipeline is neither CPML"),
        (lambda: None, "a builtins.NoneType is neither CPML"),
        (lambda: nk.CPML, "a builtins.type is neither CPML"),
        (lambda: voting(weights=np.ones_like),
         "the 'weights' setting of CPMLClassifier is <function ones_like"),
        (searching, "the 'weights' setting of CPMLClassifierCV"),
        (drawing, "the 'random_state' setting of CPML is RandomState"),
        (lambda: odd_values(uuid.UUID(int=1), 2),
         "value of column 'x0' is UUID.* of type UUID, which a model file cannot keep"),
        (lambda: odd_values(frozenset("a"), 2), "of type frozenset"),
        (lambda: odd_values(10**5000, 2), "a number of too many digits, of type int"),
        (lambda: odd_values((1, uuid.UUID(int=1)), 2), "column 'x0' is UUID"),
    ],
)  # fmt: skip
def test_what_cannot_be_kept_is_named(make, why, tmp_path):
    path = tmp_path / "model.nearkind"
    with pytest.raises(ModelFileError, match=why) as error:
        nk.save(make(), path)
    text = str(error.value)
    assert text.startswith(f"Cannot save to {str(path)!r}: ")
    assert text.count("\n") == 0
    assert list(tmp_path.iterdir()) == []


def test_a_model_of_an_older_version_that_lacks_something_is_refused():
    model = hamming()
    del model.distance_
    with pytest.raises(ModelFileError, match="lacks distance_; call fit again"):
        saved(model)


def test_a_model_that_searches_by_faiss_loads_where_faiss_is_not_installed(monkeypatch):
    monkeypatch.setitem(sys.modules, "faiss", None)
    metric = nk.baselines.Euclidean()
    model = nk.CPMLClassifier(metric, n_neighbors=1).fit(ROWS, LABELS)
    again = loaded(saved(model.set_params(index="faiss")))
    with pytest.raises(ValueError, match=r'pip install "nearkind\[faiss\]"'):
        again.predict(ROWS)


@pytest.mark.parametrize("failing", ["fsync", "replace"])
def test_a_full_disk_leaves_what_was_there(failing, tmp_path, monkeypatch):
    path = tmp_path / "model.nearkind"
    nk.save(hamming(), path)
    before = path.read_bytes()

    def full(*_):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(files.os, failing, full)
    with pytest.raises(ModelFileError, match=r"model.nearkind': No space left .*\.$"):
        nk.save(hamming(missing="prior"), path)
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="root may write")
def test_a_folder_that_may_not_be_written_to(tmp_path):
    tmp_path.chmod(0o500)
    with pytest.raises(ModelFileError, match="Permission denied"):
        nk.save(hamming(), tmp_path / "model.nearkind")


def test_places_where_no_file_can_be(tmp_path):
    (tmp_path / "file").write_text("")
    for path in (tmp_path, tmp_path / "none" / "m", tmp_path / "file" / "m"):
        with pytest.raises(ModelFileError, match=r"Cannot save to .*: .*folder"):
            nk.save(hamming(), path)
    for path in (tmp_path, tmp_path / "none"):
        with pytest.raises(ModelFileError, match=r"Cannot load .*: .*directory"):
            nk.load(path)


def test_an_existing_file_and_what_a_link_points_to_are_replaced(tmp_path):
    path, link = tmp_path / "model.nearkind", tmp_path / "link"
    nk.save(hamming(), path)
    link.symlink_to(path)
    nk.save(hamming(missing="prior"), str(link))
    assert link.is_symlink()
    assert nk.load(path).missing == "prior"
    assert sorted(tmp_path.iterdir()) == [link, path]


@pytest.mark.parametrize(
    ("parts", "levels", "why"),
    [
        ([0, 2], None, "of columns that there are not"),
        ([0, -1], None, "of columns that there are not"),
        ([1, 1], None, "of columns that there are not"),
        ([0], None, "not of two columns"),
        ([0, True], None, "not of two columns"),
        (None, [[0, 0], [0, 9]], "that its columns lack"),
        (None, [[0, 0], [-1, 0]], "that its columns lack"),
        (None, [[0, 1], [0, 0]], "not in rising order"),
        (None, [[0, 0], [0, 0]], "not in rising order"),
        (None, [0, 1], "no whole numbers"),
    ],
)
def test_a_forged_cross_is_refused(parts, levels, why):
    model = nk.CPML(tol=0.1, crosses=[(0, 1)])
    model.fit([["a", "x"], ["a", "y"], ["b", "x"], ["b", "y"]], LABELS)
    (cross,) = model.codebook_.crosses_
    cross.parts = cross.parts if parts is None else parts
    cross.levels = cross.levels if levels is None else np.array(levels)
    with pytest.raises(ModelFileError, match=why):
        loaded(saved(model))


def test_a_newer_format_asks_for_an_upgrade():
    data = bytearray((FOLDER / "six_persons.nearkind").read_bytes())
    data[len(container.MAGIC)] = container.FORMAT + 1
    with pytest.raises(ModelFileError, match=r"written by a newer nearkind .*upgrade"):
        loaded(bytes(data))
    data[len(container.MAGIC)] = 0
    with pytest.raises(ModelFileError, match="format number is 0"):
        loaded(bytes(data))


def test_the_limit_is_stated_and_can_be_raised():
    path = FOLDER / "six_persons.nearkind"
    with pytest.raises(ModelFileError, match=r"limit is 1,000; pass a larger limit"):
        nk.load(path, limit=1000)
    assert nk.load(path, limit=200_000).rank_ == 2
    for limit in (0, 1.5, None, True):
        with pytest.raises(ValueError, match="limit must be a whole number"):
            nk.load(path, limit=limit)


def test_a_file_opened_as_text_is_refused():
    with pytest.raises(ModelFileError, match="opened as text; open it with mode 'rb'"):
        nk.load(StringIO("nearkind"))
    with pytest.raises(ModelFileError, match=r"Cannot load a file: it is no nearkind"):
        nk.load(BytesIO(b"nearkind"))


@pytest.mark.parametrize(
    "forged", [-1.0, 0.0, "1.0", None, True, {"float": "nan"}, {"float": "inf"}]
)
def test_a_temperature_that_is_none_is_refused(forged):
    tree, arrays = taken_apart(saved(voting(weights="soft")))
    committee = tree["model"]["CPMLClassifier"]["fitted"]["committee_"]["Committee"]
    rule = committee["voters"]["tuple"][0]["Voter"]["rule"]["SoftRule"]
    assert rule["temperature"] > 0.0
    rule["temperature"] = forged
    words = r"temperature is not a finite number|temperature of SoftRule is of type"
    with pytest.raises(ModelFileError, match=words):
        loaded(put_together(tree, arrays))
    del rule["temperature"]
    with pytest.raises(ModelFileError, match="SoftRule lacks its field temperature"):
        loaded(put_together(tree, arrays))


@pytest.mark.parametrize("forged", [-1.0, 0.0, "warm", None, {"float": "nan"}])
def test_a_setting_of_the_temperature_that_is_none_is_refused(forged):
    tree, arrays = taken_apart(saved(voting(weights="soft", temperature=2.0)))
    tree["model"]["CPMLClassifier"]["settings"]["temperature"] = forged
    with pytest.raises(ModelFileError, match="'temperature' parameter"):
        loaded(put_together(tree, arrays))
