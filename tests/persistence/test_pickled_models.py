"""Every estimator also survives pickle and joblib, between programs that trust."""

import pickle
from io import BytesIO

import joblib
import pytest

import nearkind as nk
from helpers.model_files import assert_same, assert_same_answers, mixed_table

pytestmark = pytest.mark.filterwarnings(
    "ignore::sklearn.exceptions.ConvergenceWarning",
    "ignore::nearkind.errors.UnseenValueWarning",
    "ignore:.* learned nothing",
    "ignore:Fewer",
)
QUICK = {"max_iter": 3, "tol": 1e-2}
MODELS = {
    "CPML": nk.CPML(**QUICK),
    "scaled": nk.CPML(**QUICK, numeric="scale", smoothing="auto"),
    "classifier": nk.CPMLClassifier(nk.CPML(**QUICK), weights="distance"),
    "search": nk.CPMLClassifierCV([nk.baselines.Hamming(), nk.CPML(**QUICK)], cv=2),
    **{name: make() for name, make in nk.baselines.all().items()},
}


def by_pickle(model):
    return pickle.loads(pickle.dumps(model))


def by_joblib(model):
    file = BytesIO()
    joblib.dump(model, file, compress=1)
    file.seek(0)
    return joblib.load(file)


@pytest.mark.parametrize("passed", [by_pickle, by_joblib])
@pytest.mark.parametrize("name", MODELS)
def test_a_fitted_model_says_the_same(name, passed):
    X, y = mixed_table(40)
    model = MODELS[name].fit(X, y)
    again = passed(model)
    assert_same(model, again)
    assert_same_answers(model, again, *mixed_table(40, seed=7))


@pytest.mark.parametrize("name", MODELS)
def test_an_unfitted_model_keeps_its_settings(name):
    assert repr(by_pickle(MODELS[name])) == repr(MODELS[name])
