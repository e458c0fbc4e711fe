"""Laws of every kind of constraints, and what enumeration of each tuple says."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers import oracles
from helpers.strategies import (
    distances,
    examples,
    labelled_distances,
    labels,
    metrics,
    phis,
    weights,
)
from nearkind.baselines.mcml import ClassCollapse
from nearkind.constraints import pairs, triplets, tuples
from nearkind.constraints.pairs import AllPairs
from nearkind.constraints.quadruplets import AllQuadruplets
from nearkind.constraints.samples import (
    SampledPairs,
    SampledQuadruplets,
    SampledTriplets,
)
from nearkind.constraints.soft_neighbors import SoftNeighbors
from nearkind.constraints.triplets import AllTriplets
from nearkind.constraints.weighted_labels import WeightedLabels
from nearkind.losses.edges import AnchorPairs
from nearkind.losses.hinge import Hinge, SmoothedHinge
from nearkind.metrics.spectrum import decompose
from nearkind.metrics.structures import Diagonal, Full, Multi, Single
from nearkind.regularizers.schatten import Schatten
from nearkind.solvers.objective import Objective

STRUCTURES = {
    "single": Single(),
    "multi": Multi(),
    "diagonal": Diagonal(),
    "full": Full(),
}
LOSSES = {Hinge(): 0.0, SmoothedHinge(0.5): 0.5}
ENUMERATED = {
    "triplets": oracles.triplets,
    "pairs": oracles.pairs,
    "quadruplets": oracles.quadruplets,
}


def by_label(rule):
    return lambda y, w, margin: rule(margin=margin).bind(WeightedLabels(y, w))


def collapsed(y, w, margin):
    return ClassCollapse().bind(WeightedLabels(y, w))


def one_by_one(kind):
    def bind(y, w, margin):
        listed = ENUMERATED[kind](y, w, margin)
        shares = np.full(len(listed), 1.0 / len(listed))
        terms = np.array([[end for i, j, _ in t for end in (i, j)] for _, t in listed])
        if kind == "pairs":
            sides = np.array([t[0][2] for _, t in listed])
            return tuples.list_pairs(*terms.T, sides, margin, shares)
        if kind == "triplets":
            i, j, _, k = terms.T
            return tuples.list_triplets(i, j, k, margin, shares)
        return tuples.list_quadruplets(*terms.T, margin, shares)

    return bind


def sampled(rule):
    return lambda y, w, margin: rule(40, np.random.default_rng(1), margin).bind(
        WeightedLabels(y, w)
    )


def together(*kinds):
    return lambda *case: tuples.join_lists([one_by_one(kind)(*case) for kind in kinds])


EXACT = {
    "all triplets": ("triplets", by_label(AllTriplets)),
    "all pairs": ("pairs", by_label(AllPairs)),
    "all quadruplets": ("quadruplets", by_label(AllQuadruplets)),
    "stated triplets": ("triplets", one_by_one("triplets")),
    "stated pairs": ("pairs", one_by_one("pairs")),
    "stated quadruplets": ("quadruplets", one_by_one("quadruplets")),
}
CONVEX = {name: bind for name, (_, bind) in EXACT.items()} | {
    "sampled triplets": sampled(SampledTriplets),
    "sampled pairs": sampled(SampledPairs),
    "sampled quadruplets": sampled(SampledQuadruplets),
    "several kinds": together("triplets", "pairs", "quadruplets"),
    "class collapse": collapsed,
}
CONSTRAINTS = CONVEX | {"soft neighbors": by_label(SoftNeighbors)}
every_kind = pytest.mark.parametrize("kind", CONSTRAINTS)
every_convex_kind = pytest.mark.parametrize("kind", CONVEX)
every_exact_kind = pytest.mark.parametrize("kind", EXACT)
every_loss = pytest.mark.parametrize("loss", LOSSES, ids=repr)


def ends_of(edges, n):
    if isinstance(edges, AnchorPairs):
        return np.broadcast_arrays(edges.anchors[:, None], np.arange(n)[None, :])
    return edges.left, edges.right


def whole(constraints, d2, loss):
    """Return the sum over parts of value, pull.loss, weights on i <= j, intercept."""
    W = np.zeros_like(d2)
    value, total, intercept = 0.0, 0.0, 0.0
    for part in constraints.chunks():
        i, j = ends_of(part.edges, len(d2))
        pull = part.gradient(d2[i, j], loss)
        np.add.at(W, (np.minimum(i, j), np.maximum(i, j)), pull.weights)
        value += part.value(d2[i, j], loss)
        total, intercept = total + pull.loss, intercept + pull.intercept
    return value, total, W, intercept


@every_exact_kind
@every_loss
@pytest.mark.parametrize("margin", [1.0, 0.7])
@given(case=labelled_distances())
@examples(15)
def test_loss_weights_and_intercept_are_those_of_enumeration(kind, loss, margin, case):
    d2, y, w = case
    family, bind = EXACT[kind]
    listed = ENUMERATED[family](y, w, margin)
    total, alphas, intercept = oracles.mean_loss(listed, d2, LOSSES[loss])
    value, _, W, ours = whole(bind(y, w, margin), d2, loss)
    np.testing.assert_allclose(value, total, rtol=1e-6, atol=1e-9)
    np.testing.assert_allclose(
        W, oracles.loss_weights(listed, alphas, len(y)), rtol=1e-6, atol=1e-9
    )
    np.testing.assert_allclose(ours, intercept, rtol=1e-6, atol=1e-9)


@every_exact_kind
@every_loss
@pytest.mark.parametrize("structure", STRUCTURES)
@given(data=st.data())
@examples(5)
def test_gradient_is_the_sum_of_multipliers_times_stored_matrices(
    kind, loss, structure, data
):
    phi, M = data.draw(metrics(STRUCTURES[structure], max_rows=5))
    y, w = data.draw(labels(len(phi))), data.draw(weights(len(phi)))
    family, bind = EXACT[kind]
    A = oracles.difference_matrices(phi, structure)
    listed = ENUMERATED[family](y, w, 0.7)  # no distance ties with this margin
    d2 = oracles.squared_distances(A, M)
    total, alphas, _ = oracles.mean_loss(listed, d2, LOSSES[loss])
    objective = Objective(
        STRUCTURES[structure].blocks(phi), bind(y, w, 0.7), Schatten(), 0.0, loss
    )
    slope = objective.linearize(decompose(M))
    np.testing.assert_allclose(slope.loss, total, rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose(
        slope.gradient, oracles.loss_gradient(listed, alphas, A), rtol=1e-6, atol=1e-7
    )


@every_exact_kind
@pytest.mark.parametrize("margin", [0.7, 1.0, 2.0])
@given(data=st.data())
@examples(8)
def test_at_zero_a_constraint_just_met_counts_in_full(kind, margin, data):
    phi = data.draw(phis(5))
    y, w = data.draw(labels(5)), data.draw(weights(5))
    family, bind = EXACT[kind]
    listed = ENUMERATED[family](y, w, margin)
    alphas = [float(offset >= 0.0) for offset, _ in listed]
    A = oracles.difference_matrices(phi, "multi")
    slope = bind(y, w, margin).gradient_at_zero(Multi().blocks(phi))
    expected = oracles.loss_gradient(listed, alphas, A)
    np.testing.assert_allclose(slope, expected, atol=1e-9)


@every_kind
@given(case=labelled_distances(max_rows=5))
@examples(10)
def test_weights_are_the_slope_of_the_loss(kind, case):
    d2, y, w = case
    loss, step = SmoothedHinge(0.5), 1e-4
    for part in CONSTRAINTS[kind](y, w, 0.7).chunks():
        at = d2[ends_of(part.edges, len(y))]
        slopes = part.gradient(at, loss).weights
        for edge in np.ndindex(at.shape):
            up, down = at.copy(), at.copy()
            up[edge] += step
            down[edge] -= step
            rise = part.value(up, loss) - part.value(down, loss)
            np.testing.assert_allclose(rise / (2 * step), slopes[edge], atol=1e-4)


@every_kind
@given(case=labelled_distances(), margin=st.sampled_from([0.7, 1.0, 2.0]))
def test_intercept_and_weights_give_back_the_hinge_loss(kind, case, margin):
    d2, y, w = case
    value, total, W, intercept = whole(CONSTRAINTS[kind](y, w, margin), d2, Hinge())
    np.testing.assert_allclose(intercept + np.vdot(W, d2), total, atol=1e-9)
    np.testing.assert_allclose(value, total, rtol=1e-12, atol=1e-12)


@every_convex_kind
@every_loss
@given(case=labelled_distances(), data=st.data())
@examples(15)
def test_linear_lower_bound_holds_for_the_hinge_at_any_distances(
    kind, loss, case, data
):
    d2, y, w = case
    constraints = CONSTRAINTS[kind](y, w, 0.7)
    _, _, W, intercept = whole(constraints, d2, loss)
    elsewhere = data.draw(distances(len(y)))
    value, *_ = whole(constraints, elsewhere, Hinge())
    assert value >= intercept + np.vdot(W, elsewhere) - 1e-9


@every_kind
@every_loss
@given(case=labelled_distances())
@examples(15)
def test_value_is_the_loss_of_the_pull(kind, loss, case):
    d2, y, w = case
    value, total, _, _ = whole(CONSTRAINTS[kind](y, w, 1.0), d2, loss)
    np.testing.assert_allclose(value, total, rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize("kind", ["all triplets", "all pairs"])
@given(case=labelled_distances())
@examples(15)
def test_parts_add_up_to_the_whole_however_anchors_are_split(kind, case):
    d2, y, w = case
    expected = whole(CONSTRAINTS[kind](y, w, 1.0), d2, SmoothedHinge(0.5))
    with pytest.MonkeyPatch.context() as patch:
        for module in (triplets, pairs):
            patch.setattr(
                module, "chunk_rows", lambda rows, *_: np.split(rows, len(rows))
            )
        constraints = CONSTRAINTS[kind](y, w, 1.0)
    assert len(constraints.chunks()) == len(y)
    for ours, theirs in zip(
        whole(constraints, d2, SmoothedHinge(0.5)), expected, strict=True
    ):
        np.testing.assert_allclose(ours, theirs, rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("kind", ["triplets", "pairs", "quadruplets"])
@given(case=labelled_distances())
@examples(15)
def test_a_sampled_list_is_the_loop_over_what_it_holds(kind, case):
    d2, y, w = case
    held = CONSTRAINTS[f"sampled {kind}"](y, w, 0.7)
    at, signs = d2[held.edges.left, held.edges.right], held.signs.toarray()
    expected = 0.0
    for share, offset, row in zip(held.shares, held.offsets, signs, strict=True):
        expected += share * oracles.hinge(offset + row @ at)[0]
    np.testing.assert_allclose(held.value(at, Hinge()), expected, atol=1e-12)


@pytest.mark.parametrize("rule", ["triplets", "quadruplets"])
@pytest.mark.parametrize("y", [[0, 0, 0], [0, 1, 2]], ids=["one class", "no partner"])
@pytest.mark.parametrize("scope", ["all", "sampled"])
def test_labels_that_imply_no_constraint_are_refused(rule, y, scope):
    with pytest.raises(ValueError, match=f"imply no {rule}"):
        CONSTRAINTS[f"{scope} {rule}"](np.array(y), np.ones(3), 1.0)


def test_a_single_row_implies_no_pairs():
    for scope in ("all pairs", "sampled pairs"):
        with pytest.raises(ValueError, match="imply no pairs"):
            CONSTRAINTS[scope](np.array([0]), np.ones(1), 1.0)
