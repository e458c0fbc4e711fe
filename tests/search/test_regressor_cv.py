"""The search for what predicts a number best."""

from time import perf_counter

import numpy as np
import pandas as pd
import pytest
from sklearn.utils.estimator_checks import estimator_checks_generator

import nearkind as nk

QUICK = nk.CPMLRegressorCV(["hamming"], cv=2)
CHECKS = [
    pytest.param(instance, check, id=check.func.__name__)
    for instance, check in estimator_checks_generator(QUICK)
    if check.func.__name__ != "check_array_api_input"
]


def priced(n, seed=0):
    """Return rows, and a skewed price that multiplies what they say."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(
        {
            "make": rng.choice(["ash", "birch", "cedar"], n),
            "noise": rng.choice(list("uvw"), n),
            "size": rng.uniform(1.0, 9.0, n).round(1),
        }
    )
    price = X["make"].map({"ash": 0.0, "birch": 1.0, "cedar": 3.0}) + 0.4 * X["size"]
    return X, np.exp(price.to_numpy() + 0.05 * rng.standard_normal(n))


X, Y = priced(150)
NEW, TRUTH = priced(50, seed=1)


@pytest.fixture(scope="module")
def model():
    return nk.CPMLRegressorCV().fit(X, Y)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("estimator", "check"), CHECKS)
def test_scikit_learn_agrees(estimator, check):
    check(estimator)


def test_a_skewed_target_is_predicted_on_another_scale(model):
    assert type(model.committee_.scale).__name__ == "LogScale"
    assert model.score(NEW, TRUTH) > 0.9
    members = model.cv_results_["member"]
    assert sorted(members[members >= 0]) == [*range(len(model.committee_.voters))]


def test_held_predictions_give_the_score(model):
    y, held = Y[model.held_rows_], model.held_predictions_
    assert sorted(model.held_rows_) == [*range(len(Y))]
    r2 = 1.0 - np.square(y - held).sum() / np.square(y - y.mean()).sum()
    assert r2 == pytest.approx(model.best_score_, abs=1e-3)


def test_the_committee_predicts_the_mean_of_its_voters(model):
    committee = model.committee_
    means = [voter.moments(voter.encode(NEW))[0] for voter in committee.voters]
    t = np.clip(np.mean(means, axis=0), committee.low, committee.high)
    np.testing.assert_allclose(model.predict(NEW), committee.scale.invert(t))


def test_the_search_comes_back_from_a_file(model, tmp_path):
    nk.save(model, tmp_path / "m.nearkind")
    again = nk.load(tmp_path / "m.nearkind")
    np.testing.assert_array_equal(again.predict(NEW), model.predict(NEW))
    assert again.best_score_ == model.best_score_


def test_the_effects_of_a_row_name_every_column(model):
    found = model.explain(NEW.iloc[0])
    assert sorted(found.effects["feature"]) == ["make", "noise", "size"]


def test_a_short_time_tries_one_candidate():
    start = perf_counter()
    model = nk.CPMLRegressorCV(time_budget=1e-6).fit(X, Y)
    assert len(model.cv_results_["r2"]) == 1
    assert perf_counter() - start < 30.0


def test_few_rows_are_learned_from_without_a_choice():
    model = nk.CPMLRegressorCV(["hamming"]).fit(X[:5], Y[:5])
    assert np.isfinite(model.predict(X[:5])).all()
    assert np.isnan(model.best_score_)


@pytest.mark.parametrize(
    "settings", [{"cv": 1}, {"scale": "root"}, {"candidates": ["no"]}, {"missing": 1}]
)
def test_wrong_settings_are_refused(settings):
    with pytest.raises(ValueError, match=f"{next(iter(settings))}"):
        nk.CPMLRegressorCV(**settings).fit(X, Y)


def test_a_candidate_that_cannot_be_fitted_is_named():
    scaled = nk.baselines.Hamming(numeric="scale")
    model = nk.CPMLRegressorCV([scaled, "hamming"], cv=2).fit(X, Y)
    assert any("Hamming" in name for name in model.refused_)
