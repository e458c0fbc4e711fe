"""Laws of every regularizer on a spectrum: subgradient, prox, dual norm, dual value."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from helpers import oracles
from helpers.strategies import examples, labelled_distances, metrics, spectra
from nearkind.constraints.pairs import AllPairs
from nearkind.constraints.quadruplets import AllQuadruplets
from nearkind.constraints.triplets import AllTriplets
from nearkind.constraints.weighted_labels import WeightedLabels
from nearkind.losses.hinge import Hinge, SmoothedHinge
from nearkind.metrics.spectrum import decompose
from nearkind.metrics.structures import Multi, Single
from nearkind.regularizers.schatten import Schatten, SchattenPower
from nearkind.solvers.objective import Objective

NORMS = [Schatten(p) for p in (1.0, 1.2, 1.5, 2.0, 3.0, 7.0, np.inf)]
POWERS = [SchattenPower(p) for p in (1.0, 1.5, 2.0, 3.0)]
every_regularizer = pytest.mark.parametrize("r", NORMS + POWERS, ids=repr)
every_norm = pytest.mark.parametrize("r", NORMS, ids=repr)
every_strict_power = pytest.mark.parametrize("r", POWERS[1:], ids=repr)
steps = st.floats(0.01, 3.0)
positive = spectra(4, low=0.0)


def literal(r):
    """Return the formula of r as a function of a spectrum."""
    formula = oracles.norm if isinstance(r, Schatten) else oracles.power_sum
    return lambda x: formula(x, r.p)


@every_regularizer
@given(x=positive)
def test_value_is_the_formula(r, x):
    np.testing.assert_allclose(r.value(x), literal(r)(x), rtol=1e-12)


@every_regularizer
@given(x=positive, scale=st.floats(0.1, 10.0))
def test_value_is_homogeneous(r, x, scale):
    degree = 1.0 if isinstance(r, Schatten) else r.p
    np.testing.assert_allclose(r.value(scale * x), scale**degree * r.value(x))


@every_regularizer
@given(x=positive, y=positive)
def test_subgradient_inequality(r, x, y):
    tangent = r.value(x) + r.subgradient(x) @ (y - x)
    assert r.value(y) >= tangent - 1e-10 * (1.0 + abs(tangent))


@every_regularizer
@given(v=spectra(4), step=steps)
def test_prox_is_never_negative_and_never_above_its_argument(r, v, step):
    x = r.prox(v, step)
    assert (x >= 0.0).all()
    assert (x <= np.maximum(v, 0.0) * (1.0 + 1e-12)).all()


@every_regularizer
@given(v=spectra(4), step=steps, y=positive)
def test_three_point_inequality_of_the_prox(r, v, step, y):
    x = r.prox(v, step)
    at_x = step * r.value(x) + ((x - v) ** 2).sum() / 2.0
    at_y = step * r.value(y) + ((y - v) ** 2).sum() / 2.0
    assert at_y >= at_x + ((x - y) ** 2).sum() / 2.0 - 1e-8 * (1.0 + at_y)


@every_regularizer
@given(v=spectra(2), step=steps)
@examples(8)
def test_prox_is_found_by_direct_search(r, v, step):
    expected = oracles.numeric_prox(v, step, literal(r))
    np.testing.assert_allclose(r.prox(v, step), expected, atol=1e-5)


@every_regularizer
@given(v=spectra(4))
def test_prox_without_a_penalty_is_the_positive_part(r, v):
    np.testing.assert_allclose(r.prox(v, 0.0), np.maximum(v, 0.0), rtol=1e-12)


@every_regularizer
@given(v=spectra(4), step=steps)
def test_prox_does_not_care_for_order(r, v, step):
    order = [2, 0, 3, 1]
    np.testing.assert_allclose(
        r.prox(v[order], step), r.prox(v, step)[order], atol=1e-12
    )


@every_norm
@given(v=spectra(4), step=steps, scale=st.floats(1e-3, 1e3))
def test_prox_of_a_norm_scales(r, v, step, scale):
    np.testing.assert_allclose(
        r.prox(scale * v, scale * step), scale * r.prox(v, step), atol=1e-9 * scale
    )


@every_norm
@given(v=spectra(4), step=steps)
def test_what_the_prox_of_a_norm_takes_away_is_in_the_dual_ball(r, v, step):
    x = r.prox(v, step)
    taken = np.maximum(v, 0.0) - x
    assert r.dual_norm(taken) <= step * (1.0 + 1e-8)
    np.testing.assert_allclose(taken @ x, step * r.value(x), rtol=1e-7, atol=1e-9)


@every_norm
@given(v=spectra(4), share=st.sampled_from([0.9, 0.999, 1.001, 1.1]))
def test_prox_of_a_norm_is_zero_from_the_dual_norm_on(r, v, share):
    assume(v.max() > 0.0)
    x = r.prox(v, share * r.dual_norm(v))
    assert (x.max() == 0.0) == (share > 1.0)


@every_regularizer
@given(v=spectra(4), x=positive)
def test_dual_norm_inequality(r, v, x):
    assert v @ x <= r.dual_norm(v) * oracles.norm(x, r.p) * (1.0 + 1e-12) + 1e-12


@every_norm
@given(x=positive)
def test_subgradient_of_a_norm_has_dual_norm_one(r, x):
    assume(x.max() > 0.0)
    np.testing.assert_allclose(r.dual_norm(r.subgradient(x)), 1.0, rtol=1e-10)


@every_norm
@given(v=spectra(4), intercept=st.floats(-1.0, 2.0), strength=steps)
def test_dual_value_of_a_norm_is_the_best_feasible_multiple(r, v, intercept, strength):
    multiples = np.linspace(0.0, 1.0, 201)
    feasible = multiples[[r.dual_norm(s * v) <= strength for s in multiples]]
    value = r.dual_value(v, intercept, strength)
    best = max(feasible * intercept)
    assert best - 1e-12 <= value <= best + abs(intercept) / 200.0 + 1e-12


@every_strict_power
@given(v=spectra(2), intercept=st.floats(-1.0, 2.0), strength=steps)
@examples(8)
def test_dual_value_of_a_power_is_the_best_multiple(r, v, intercept, strength):
    multiples = np.linspace(0.0, 1.0, 101)
    along = [
        s * intercept - oracles.numeric_power_conjugate(s * v, strength, r.p)
        for s in multiples
    ]
    value = r.dual_value(v, intercept, strength)
    assert max(along) - 1e-7 <= value <= max(along) + 0.02 * (1.0 + abs(intercept))


@every_regularizer
@pytest.mark.parametrize("rule", [AllTriplets, AllPairs, AllQuadruplets])
@pytest.mark.parametrize("loss", [Hinge(), SmoothedHinge(0.5)], ids=repr)
@given(data=st.data(), strength=st.sampled_from([0.0, 0.01, 0.1, 1.0]))
@examples(4)
@pytest.mark.covering(1)
def test_dual_value_is_below_the_objective_everywhere(r, rule, loss, data, strength):
    structure = data.draw(st.sampled_from([Single(), Multi()]))
    phi, M = data.draw(metrics(structure, min_rows=5, max_rows=5))
    _, other = data.draw(metrics(structure, min_rows=5, max_rows=5))
    _, y, w = data.draw(labelled_distances(min_rows=5, max_rows=5))
    constraints = rule(0.7).bind(WeightedLabels(y, w))
    objective = Objective(structure.blocks(phi), constraints, r, strength)
    slope = objective.with_loss(loss).linearize(decompose(M))
    bound = objective.lower_bound(slope.gradient, slope.intercept)
    points = [M, 0.1 * M, 0.0 * M]
    if other.shape == M.shape:
        points.append(other)
    for point in points:
        assert bound <= objective.value(decompose(point).positive()) + 1e-9


@every_norm
@pytest.mark.parametrize("rule", [AllTriplets, AllPairs, AllQuadruplets])
def test_from_a_strength_on_and_not_before_nothing_is_learned(r, rule):
    rng = np.random.default_rng(2)
    Z = Multi().blocks(rng.normal(size=(8, 2, 2)))
    constraints = rule(1.0).bind(
        WeightedLabels(np.array([0, 0, 0, 1, 1, 2, 2, 2]), np.ones(8))
    )
    objective = Objective(Z, constraints, r, 1.0)
    at_zero = objective.descent_at_zero()
    enough = r.strength_max(at_zero.values)
    assert enough > 0.0
    zero = at_zero.with_values(0.0 * at_zero.values)
    # what the prox leaves of a point just outside the dual ball is the steepest way
    steepest = at_zero.with_values(1e-3 * r.prox(at_zero.values.ravel(), 0.99 * enough))
    others = [
        decompose(1e-3 * F @ F.swapaxes(1, 2)) for F in rng.normal(size=(9, 2, 2, 2))
    ]
    above, below = (
        objective.with_strength(enough),
        objective.with_strength(0.9 * enough),
    )
    assert below.value(steepest) < below.value(zero)
    for point in (steepest, *others):
        assert above.value(point) >= above.value(zero) - 1e-9


@every_strict_power
def test_a_power_never_reaches_zero(r):
    assert r.strength_max(np.array([0.5, -1.0, 0.25])) == np.inf
    assert (r.prox(np.array([0.5, 0.25]), 100.0) > 0.0).all()


@pytest.mark.parametrize("p", [1.0001, 1.01, 20.0, 100.0, 1000.0])
@pytest.mark.parametrize("share", [0.1, 0.6, 0.99])
def test_prox_holds_at_exponents_near_one_and_very_large(p, share):
    r, v = Schatten(p), np.array([3.0, 1.0, 0.5, -2.0])
    step = share * r.dual_norm(v)
    x = r.prox(v, step)
    taken = np.maximum(v, 0.0) - x
    np.testing.assert_allclose(r.dual_norm(taken), step, rtol=1e-6)
    np.testing.assert_allclose(taken @ x, step * r.value(x), rtol=1e-6)


@pytest.mark.parametrize("p", [1.001, 1.01, 1.1])
def test_dual_value_of_a_power_near_one_does_not_overflow(p):
    bound = SchattenPower(p).dual_value(np.array([0.6, 0.1]), 0.8, 1e-4)
    assert 0.0 <= bound <= 0.8
