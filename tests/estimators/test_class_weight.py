"""class_weight: factors of weights by class, for both classifiers."""

import warnings

import numpy as np
import pytest
from sklearn.metrics import recall_score
from sklearn.utils.class_weight import compute_sample_weight

import nearkind as nk
from helpers.estimator_tables import labelled_table
from nearkind.baselines import Euclidean, Hamming
from nearkind.estimators.weights import class_factors

X, y = labelled_table(60)
QUERY, _ = labelled_table(20, seed=9)


def classifier(**given):
    return nk.CPMLClassifier(Hamming(), **given)


def search(**given):
    """Return a search whose votes are kept as they are: weights are not rows to it."""
    tried = [Hamming(), Euclidean()]
    return nk.CPMLClassifierCV(tried, n_neighbors=(1, 5), calibrate=False, **given)


BOTH = pytest.mark.parametrize("make", [classifier, search])


@BOTH
def test_balanced_is_the_weights_of_scikit_learn(make):
    weights = compute_sample_weight("balanced", y)
    ours = make(class_weight="balanced").fit(X, y)
    theirs = make().fit(X, y, sample_weight=weights)
    np.testing.assert_allclose(ours.predict_proba(QUERY), theirs.predict_proba(QUERY))


@BOTH
def test_a_dict_multiplies_weights_and_keeps_their_sum(make):
    given = np.random.default_rng(0).uniform(0.5, 2.0, 60)
    weights = given * np.where(y == "ham", 4.0, 1.0)
    weights *= given.sum() / weights.sum()
    ours = make(class_weight={"ham": 4.0}).fit(X, y, given)
    theirs = make().fit(X, y, weights)
    np.testing.assert_allclose(
        ours.predict_proba(QUERY), theirs.predict_proba(QUERY), atol=1e-6
    )


def test_factors_keep_the_sum_of_weights():
    totals = np.array([30.0, 6.0, 1.0])
    for given in ("balanced", {"a": 2.0}, {"a": 1.0, "b": 5.0, "c": 0.1}):
        factors = class_factors(given, np.array(["a", "b", "c"]), totals, "X")
        assert factors @ totals == pytest.approx(37.0)
    factors = class_factors("balanced", np.array(["a", "b", "c"]), totals, "X")
    np.testing.assert_allclose(factors * totals, 37.0 / 3.0)


@BOTH
@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("balance", "must be None, 'balanced' or a dict"),
        (3.0, "must be None, 'balanced' or a dict"),
        (
            {"spam": 2.0},
            "names 'spam', which is no class of y. Classes are 'egg', 'ham'",
        ),
        ({"ham": -1.0}, "got -1.0 for 'ham'"),
        ({"ham": 0}, "got 0 for 'ham'. To do without a class, leave its rows out"),
        ({"ham": np.nan}, "got nan for 'ham'"),
        ({"ham": np.inf}, "got inf for 'ham'"),
        ({"ham": "2"}, "got '2' for 'ham'"),
    ],
)
def test_what_is_no_class_weight_is_refused(make, given, said):
    with pytest.raises(ValueError, match="class_weight") as refused:
        make(class_weight=given).fit(X, y)
    assert said in str(refused.value)


def test_rows_that_come_later_take_none():
    model = classifier(class_weight="balanced").fit(X, y)
    with pytest.raises(ValueError, match="no class_weight for rows that are added"):
        model.add(X, y)
    metric = nk.CPML(max_iter=3)
    with pytest.raises(ValueError, match="no class_weight for batches"):
        nk.CPMLClassifier(metric, class_weight="balanced").partial_fit(X, y)
    some = np.where(np.arange(60) < 30, y.astype(object), None)
    with pytest.raises(ValueError, match="no class_weight for rows without a label"):
        nk.CPMLClassifier(metric, class_weight="balanced").fit(X, some)


def rare_class(n, seed):
    """One row in 500 is of class 1; three columns tell it, but not for sure."""
    rng = np.random.default_rng(seed)
    labels = (np.arange(n) % 500 == 0).astype(int)
    signs = rng.random((n, 3)) < np.where(labels[:, None] == 1, 0.8, 0.05)
    noise = rng.integers(0, 3, (n, 2))
    return np.column_stack([signs, noise]), labels


@pytest.mark.parametrize("scoring", ["accuracy", "balanced_accuracy"])
def test_a_class_of_one_row_in_500_is_recalled(scoring):
    table, labels = rare_class(6_000, 0)
    new, truth = rare_class(20_000, 1)
    found = {}
    for weight in (None, "balanced"):
        model = nk.CPMLClassifierCV(
            [Euclidean()],
            n_neighbors=(5, 25),
            weights="uniform",
            class_weight=weight,
            scoring=scoring,
        )
        with warnings.catch_warnings():
            warnings.simplefilter("error")  # none of weights that are too small
            model.fit(table, labels)
        found[weight] = recall_score(truth, model.predict(new), average=None)
    assert found[None][1] < found["balanced"][1] - 0.1
    assert found["balanced"].min() > 0.7
