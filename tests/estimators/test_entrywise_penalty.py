"""The entrywise l1 norm as a setting of CPML."""

import numpy as np
import pytest
from sklearn.base import clone

import nearkind as nk
from helpers.convex_reference import EntrywisePenalty, Problem
from helpers.model_files import loaded, saved
from helpers.solver_problems import six_persons

DATA = nk.datasets.load("credit_risk", as_frame=False)
SYNTHETIC = nk.datasets.make_synthetic(
    120, 4, 3, 0.9, n_noisy=4, random_state=0, as_frame=False
)


SLOW = pytest.mark.slow


def sparse(**settings):
    return nk.CPML(**{"penalty": "l1", "tol": 1e-2, "max_iter": 1000, **settings})


@pytest.mark.parametrize(
    "structure",
    ["single", "diagonal", *(pytest.param(s, marks=SLOW) for s in ("multi", "full"))],
)
def test_the_optimum_is_that_of_an_interior_point_solver(structure):
    """Also where rows do not fill the space, whose axes must be kept."""
    model = sparse(structure=structure, strength=0.02, tol=5e-3).fit(DATA.X, DATA.y)
    best = Problem.of(
        *six_persons(), structure, "triplets", EntrywisePenalty(), 0.02
    ).solve()
    assert model.stop_reason_ == "TOLERANCE"
    assert best.bound - 1e-6 <= model.objective_ <= 1.006 * best.value
    assert model.objective_ - model.gap_ <= best.value + 1e-6


def test_a_weight_for_each_feature_is_penalised_as_by_the_trace():
    one = sparse(structure="diagonal", strength="5%").fit(DATA.X, DATA.y)
    two = sparse(structure="diagonal", strength="5%", penalty="schatten")
    two.fit(DATA.X, DATA.y)
    assert one.strength_max_ == pytest.approx(two.strength_max_, rel=1e-4)
    assert one.objective_ == pytest.approx(two.objective_, rel=1e-2)


def off_diagonal(model):
    M = model.metric_[0]
    return np.abs(M - np.diag(np.diagonal(M))) / np.abs(M).max()


def test_features_are_left_uncoupled():
    X, y = SYNTHETIC.X, SYNTHETIC.y
    few = off_diagonal(sparse(strength="10%").fit(X, y))
    many = off_diagonal(sparse(strength="10%", penalty="schatten").fit(X, y))
    assert (few > 1e-3).sum() < 0.5 * (many > 1e-3).sum()


def test_from_strength_max_on_the_metric_is_zero_and_not_before():
    largest = sparse().fit(DATA.X, DATA.y).strength_max_
    with pytest.warns(UserWarning, match="learned metric is zero"):
        model = sparse(strength=largest).fit(DATA.X, DATA.y)
    assert (model.rank_, model.gap_) == (0, 0.0)
    assert sparse(strength=0.98 * largest).fit(DATA.X, DATA.y).rank_ > 0


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_every_solver_takes_it():
    found = {
        solver: sparse(strength="10%", solver=solver, tol=0.05, max_iter=200)
        .fit(DATA.X, DATA.y)
        .objective_
        for solver in ("proximal", "subgradient", "paper", "stochastic")
    }
    assert max(found.values()) <= 1.06 * found["proximal"]


def test_a_model_file_keeps_it():
    model = sparse(strength="10%").fit(DATA.X, DATA.y)
    again = loaded(saved(model))
    assert again.penalty == "l1"
    np.testing.assert_array_equal(again.metric_, model.metric_)
    np.testing.assert_array_equal(
        again.pairwise_distances(DATA.X), model.pairwise_distances(DATA.X)
    )
    assert clone(model).penalty == "l1"


def test_explanations_sum_to_the_squared_distance():
    model = sparse(strength="10%").fit(DATA.X, DATA.y)
    d2 = model.pairwise_distances(DATA.X[:1], DATA.X[3:4], squared=True)[0, 0]
    told = model.explain(DATA.X[0], DATA.X[3])
    assert sum(told["contribution"]) == pytest.approx(d2)


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"p": 2.0}, "'p' parameter of CPML must be left at 1.0 when penalty='l1'"),
        ({"powered": True}, "'powered' .* left at False when penalty='l1'; got True"),
        ({"penalty": "l2"}, "'penalty' .* one of 'schatten', 'l1'; got 'l2'"),
        (
            {"constraints": "neighbors"},
            "'penalty' .* 'schatten' when constraints='neighbors'; got 'l1'",
        ),
    ],
)
def test_what_it_cannot_be_combined_with_is_refused(settings, words):
    with pytest.raises(ValueError, match=words):
        sparse(**settings).fit(DATA.X, DATA.y)


def test_the_theorems_do_not_cover_it():
    model = sparse(constraints="pairs").fit(DATA.X, DATA.y)
    for ask in (model.generalization_bound, model.difference_matrices):
        with pytest.raises(ValueError, match=r"'penalty' .* 'schatten', the norms of"):
            ask(DATA.X)
