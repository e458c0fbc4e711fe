"""CPML(constraints="neighbors"): what fits, what is refused, strengths as shares."""

from functools import partial

import numpy as np
import pytest

import nearkind as nk
from helpers.estimator_tables import labelled_table
from nearkind.estimators import spec
from nearkind.solvers.lbfgs import LBFGS

X, y = labelled_table(60)
PROJECTIONS = ["vdm", "onehot", "vdm+onehot", "cooccurrence", "vdm+cooccurrence"]


def soft(**settings):
    return nk.CPML(**{"constraints": "neighbors", "max_iter": 60, **settings})


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("structure", ["single", "multi", "diagonal", "full"])
@pytest.mark.parametrize("projection", PROJECTIONS)
def test_every_structure_and_projection_fits(structure, projection):
    model = soft(structure=structure, projection=projection).fit(X, y)
    assert np.isnan(model.gap_)
    assert model.objective_ < model.history_[0].value
    assert model.n_iter_ == len(model.history_) - 1
    assert model.rank_ > 0
    assert np.linalg.eigvalsh(model.metric_).min() > -1e-9
    assert np.isfinite(model.transform(X)).all()


def test_numbers_may_be_coordinates():
    table = X.assign(weight=np.random.default_rng(0).normal(size=60) + (y == "ham"))
    model = soft(numeric="scale", structure="full").fit(table, y)
    assert model.stop_reason_ == "SETTLED"
    assert model.feature_relevance_[list(table).index("weight")] > 0.0


@pytest.mark.parametrize(("p", "powered"), [(1.0, True), (1.5, False), (2.0, True)])
def test_any_smooth_penalty_is_taken(p, powered):
    model = soft(p=p, powered=powered).fit(X, y)
    assert model.stop_reason_ == "SETTLED"
    assert model.objective_ < model.history_[0].value


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"p": np.inf}, "'p' .* finite when constraints='neighbors'; got inf"),
        *(
            ({"solver": solver}, f"'solver' .* 'auto' when .*; got '{solver}'")
            for solver in ("proximal", "stochastic", "subgradient", "paper")
        ),
        ({"solver": "magic"}, "'solver' .* one of .* got 'magic'"),
        ({"scope": "local"}, "'scope' .* 'all' when constraints='neighbors'; got 'lo"),
        ({"scope": 500}, "'scope' .* 'all' when constraints='neighbors'; got 500"),
        ({"margin": 0.0}, "'margin' .* > 0; got 0.0"),
    ],
)
def test_what_it_cannot_take_is_refused(settings, words):
    with pytest.raises(ValueError, match=f"^The {words}"):
        soft(**settings).fit(X, y)


def test_from_strength_max_on_the_metric_is_zero_and_nothing_is_proven():
    largest = soft().fit(X, y).strength_max_
    with pytest.warns(UserWarning, match="learned metric is zero"):
        model = soft(strength=largest).fit(X, y)
    assert (model.rank_, model.stop_reason_) == (0, "SETTLED")
    assert np.isnan(model.gap_)
    n = np.unique(y, return_counts=True)[1]  # all neighbours are equally likely
    assert model.objective_ == pytest.approx(n @ np.log(59 / (n - 1)) / 60)


@pytest.mark.parametrize("constraints", ["triplets", "neighbors"])
def test_a_share_is_that_number(constraints):
    share = nk.CPML(constraints=constraints, strength="0.5%", tol=1e-2).fit(X, y)
    assert share.strength_ == pytest.approx(0.005 * share.strength_max_)
    number = share.strength_
    plain = nk.CPML(constraints=constraints, strength=number, tol=1e-2).fit(X, y)
    np.testing.assert_array_equal(plain.metric_, share.metric_)
    auto = nk.CPML(constraints=constraints, tol=1e-2).fit(X, y)
    assert auto.strength_ == pytest.approx(2 * share.strength_)


@pytest.mark.parametrize("margin", [0.2, 5.0])
def test_under_a_norm_another_margin_rescales_the_metric(margin):
    tight = {"structure": "full", "strength": "5%", "tol": 1e-7, "max_iter": 1_000}
    one, other = (soft(margin=m, **tight).fit(X, y) for m in (1.0, margin))
    assert other.objective_ == pytest.approx(one.objective_, rel=1e-5)
    assert other.strength_max_ * margin == pytest.approx(one.strength_max_)
    np.testing.assert_allclose(
        other.pairwise_distances(X) / margin**0.5, one.pairwise_distances(X), atol=1e-2
    )


def test_no_share_is_no_penalty():
    assert soft(strength="0%").fit(X, y).strength_ == 0.0


def test_no_bit_depends_on_the_number_of_threads():
    table, labels = labelled_table(600, seed=1)
    table = table.assign(id=np.arange(600) % 97)  # distinct rows enough for threads
    alone, shared = (
        soft(n_jobs=n, max_iter=15, tol=0.1).fit(table, labels) for n in (1, 3)
    )
    np.testing.assert_array_equal(alone.metric_, shared.metric_)


def test_a_large_table_is_sampled_by_its_seed(monkeypatch):
    monkeypatch.setattr(spec, "LBFGS", partial(LBFGS, rows=20))
    same, again, other = (
        soft(random_state=seed).fit(X, y).metric_ for seed in (0, 0, 1)
    )
    np.testing.assert_array_equal(same, again)
    assert (same != other).any()


def test_partly_labelled_rows_are_drawn_by_the_labelled():
    labels = y.astype(object)
    labels[::3] = None
    model = soft(projection="vdm+cooccurrence").fit_constraints(X, y=labels)
    assert model.stop_reason_ == "SETTLED"
    assert np.isfinite(model.transform(X)).all()
