"""Models in a file: which there are, their settings, and the line for people."""

import pytest

import nearkind as nk
from helpers.model_files import loaded, put_together, saved, taken_apart
from nearkind.errors import ModelFileError
from nearkind.persistence.models import TASKS, about, estimator_classes

X, Y = [["a", 1], ["b", 2], ["a", 3], ["b", 4]] * 5, ["no", "yes"] * 10


def test_every_public_model_is_kept():
    classifiers = {nk.CPMLClassifier, nk.CPMLClassifierCV}
    predictors = {*classifiers, nk.CPMLRegressor, nk.CPMLRegressorCV}
    distances = {*nk.baselines.all().values(), nk.CPML, nk.baselines.MLKR}
    assert {*distances, *predictors, *TASKS} == set(estimator_classes().values())


@pytest.mark.parametrize(
    ("model", "line"),
    [
        (nk.baselines.Hamming(), "Hamming, 2 columns, 0 classes"),
        (nk.baselines.Euclidean(), "Euclidean, 2 columns, 2 classes"),
        (nk.CPMLClassifier(nk.baselines.Hamming(), n_neighbors=1),
         "CPMLClassifier over Hamming, 2 columns, 2 classes"),
        (nk.CPMLClassifierCV([nk.baselines.Hamming()], n_neighbors=1, cv=2),
         "CPMLClassifierCV over Hamming, 2 columns, 2 classes"),
    ],
    ids=lambda x: x if isinstance(x, str) else "",
)  # fmt: skip
def test_a_line_tells_people_what_is_in_a_file(model, line):
    model.fit(X, Y)
    assert about(model) == line
    tree, _ = taken_apart(saved(model))
    assert tree["about"] == line
    assert sorted(tree["versions"]) == ["nearkind", "numpy"]


def test_a_setting_that_is_none_is_refused():
    tree, arrays = taken_apart(saved(nk.baselines.Hamming().fit(X)))
    tree["model"]["Hamming"]["settings"] |= {"loud": True, "fast": True}
    with pytest.raises(ModelFileError, match="Hamming has no setting 'loud' here"):
        loaded(put_together(tree, arrays))


def test_a_file_of_an_older_version_may_lack_a_setting():
    tree, arrays = taken_apart(saved(nk.baselines.Hamming(missing="prior").fit(X)))
    del tree["model"]["Hamming"]["settings"]["missing"]
    assert loaded(put_together(tree, arrays)).missing == nk.baselines.Hamming().missing


@pytest.mark.parametrize(
    "node", [{"Hamming": {"settings": {}}}, 3, [], {"tuple": []}, "Hamming"], ids=str
)
def test_what_is_no_fitted_model_is_refused(node):
    tree, _ = taken_apart(saved(nk.baselines.Hamming().fit(X)))
    tree["model"] = node
    with pytest.raises(ModelFileError, match="it holds no fitted model"):
        loaded(put_together(tree, b""))


def test_a_model_has_settings_and_what_was_fitted():
    tree, arrays = taken_apart(saved(nk.baselines.Hamming().fit(X)))
    tree["model"]["Hamming"]["more"] = 1
    with pytest.raises(ModelFileError, match="wanted an object of settings, fitted"):
        loaded(put_together(tree, arrays))
