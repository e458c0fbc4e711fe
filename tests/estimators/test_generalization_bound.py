"""The bound of a fitted model."""

import numpy as np
import pytest

import nearkind as nk
from helpers.estimator_tables import labelled_table

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def test_bound_is_theorem_two_at_the_model_s_own_numbers():
    X, y = labelled_table(60)
    model = nk.CPML(constraints="pairs", strength=0.5, p=2.0, max_iter=5).fit(X, y)
    bound = model.generalization_bound(X, delta=0.1)
    widest = sum(
        max(float(((a - b) ** 2).sum()) for a in table for b in table)
        for table in (t[:, 0] for t in model.projection_.tables)
    )
    wanted = nk.theory.generalization_bound(
        2.0, 60, 4, widest, 0.5, 0.1, penalty="norm"
    )
    assert float(bound) == pytest.approx(wanted)
    assert not bound.informative
    assert "says nothing" in str(bound)


def test_bound_is_for_pairs_only():
    X, y = labelled_table(30)
    model = nk.CPML(max_iter=2).fit(X, y)
    with pytest.raises(ValueError, match=r"pair constraints.*constraints='triplets'"):
        model.generalization_bound(X)


@pytest.mark.parametrize("structure", ["single", "multi", "diagonal", "full"])
@pytest.mark.parametrize("p", [1.0, 1.5, 2.0, 3.0, np.inf])
def test_complexity_of_a_model_stays_below_the_corrected_bound(structure, p):
    X, y = labelled_table(40)
    model = nk.CPML(structure=structure, p=p, max_iter=2).fit(X, y)
    A, exponent = model.difference_matrices(X)
    assert exponent == p
    widest = np.sqrt((A**2).sum(axis=(1, 2, 3))).max()
    size = model.metric_.shape[0] * model.metric_.shape[1]
    value = nk.theory.empirical_rademacher(model, X, n_draws=400, random_state=0)
    assert 0.0 < value <= nk.theory.rademacher_bound(p, len(X), size, widest)


def test_difference_matrices_give_the_distances():
    X, y = labelled_table(20)
    model = nk.CPML(structure="multi", max_iter=3).fit(X, y)
    A, _ = model.difference_matrices(X)
    d2 = model.pairwise_distances(X, squared=True)
    half = np.arange(10)
    np.testing.assert_allclose(
        (A * model.metric_).sum(axis=(1, 2, 3)), d2[half, half + 10], atol=1e-10
    )
