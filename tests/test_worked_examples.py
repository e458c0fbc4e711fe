"""The worked figures: six persons, one table of proxes, one table of four distances."""

from fractions import Fraction

import numpy as np
import pytest
from imblearn.metrics.pairwise import ValueDifferenceMetric
from sklearn.preprocessing import TargetEncoder

from nearkind.constraints.pairs import AllPairs
from nearkind.constraints.quadruplets import AllQuadruplets
from nearkind.constraints.triplets import AllTriplets
from nearkind.constraints.weighted_labels import WeightedLabels
from nearkind.losses.edges import AnchorPairs, difference_matrices
from nearkind.losses.hinge import Hinge, SmoothedHinge
from nearkind.metrics.metric import embed, pairwise_distances
from nearkind.metrics.spectrum import identity
from nearkind.metrics.structures import Diagonal, Full, Multi, Single
from nearkind.projections.vdm import VDM
from nearkind.regularizers.schatten import Schatten, SchattenPower
from nearkind.scoring import triplet_accuracy
from nearkind.solvers.objective import Objective

OCCUPATION = {"Acc": "1/2 0 1/2", "Doc": "1/2 1/2 0", "Plu": "0 1/2 1/2"}
EDUCATION = {
    "Bach": "1 0 0", "HS": "0 1 0", "Mas": "1/3 1/3 1/3", "TAFE": "0 0 1",
}  # fmt: skip
MARITAL = {"Mar": "2/3 1/3 0", "Sin": "0 1/3 2/3"}
RISK = {"Low": 0, "Mid": 1, "High": 2}
PERSONS = [
    ("Acc", "Bach", "Mar", "Low"),
    ("Doc", "Mas", "Mar", "Low"),
    ("Plu", "TAFE", "Sin", "High"),
    ("Plu", "HS", "Sin", "Mid"),
    ("Doc", "Mas", "Mar", "Mid"),
    ("Acc", "Mas", "Sin", "High"),
]
SHARES = [OCCUPATION, EDUCATION, MARITAL]
N_VALUES = [len(values) for values in SHARES]
CODES = np.array(
    [[list(v).index(p[d]) for d, v in enumerate(SHARES)] for p in PERSONS],
    dtype=np.int32,
)
Y = np.array([RISK[person[3]] for person in PERSONS])
SQUARED_TIMES_36 = [
    [0, 42, 122, 122, 42, 56],
    [42, 0, 74, 74, 0, 50],
    [122, 74, 0, 72, 74, 42],
    [122, 74, 72, 0, 74, 42],
    [42, 0, 74, 74, 0, 50],
    [56, 50, 42, 42, 50, 0],
]


def project(**settings):
    return VDM(**settings).fit(CODES, N_VALUES, Y, np.ones(6))


def phi():
    return project().transform(CODES)


def six_persons(structure, rule, loss=None):
    """Return the problem without a regularizer, and M = I."""
    constraints = rule.bind(WeightedLabels(Y, np.ones(6)))
    objective = Objective(
        structure.blocks(phi()), constraints, Schatten(), 0.0, loss or Hinge()
    )
    return objective, identity(*structure.shape(3, 3))


@pytest.mark.parametrize("d", range(3))
def test_class_shares_of_every_value(d):
    expected = [[float(Fraction(s)) for s in row.split()] for row in SHARES[d].values()]
    np.testing.assert_allclose(project().tables[d][:-1, 0], expected, atol=1e-15)


def test_an_unseen_value_has_the_prior():
    nowhere = np.full((1, 3), -1, dtype=np.int32)
    np.testing.assert_allclose(project().transform(nowhere), np.full((1, 3, 3), 1 / 3))


def test_one_pseudo_count_draws_bachelor_to_the_prior():
    bachelor = project(smoothing=1.0).tables[1][0, 0]
    np.testing.assert_allclose(bachelor, [2 / 3, 1 / 6, 1 / 6])


def test_a_value_seen_once_has_the_prior_when_its_row_is_left_out():
    left_out = project(cross_fit=True).transform_training(CODES, Y)
    np.testing.assert_allclose(left_out[0, 1], [1 / 3, 1 / 3, 1 / 3])


@pytest.mark.parametrize("smoothing", [0.0, 1.0])
def test_shares_are_those_of_the_target_encoder(smoothing):
    encoder = TargetEncoder(target_type="multiclass", smooth=smoothing)
    encoded = encoder.fit(CODES, Y).transform(CODES)
    ours = project(smoothing=smoothing).transform(CODES)
    np.testing.assert_allclose(ours, encoded.reshape(6, 3, 3), atol=1e-15)


@pytest.mark.parametrize("structure", [Single(), Multi(), Diagonal(), Full()], ids=repr)
def test_squared_distances_under_the_identity(structure):
    rows = embed(structure.blocks(phi()), identity(*structure.shape(3, 3)))
    np.testing.assert_allclose(
        36.0 * pairwise_distances(rows.U), SQUARED_TIMES_36, atol=1e-12
    )


@pytest.mark.filterwarnings("ignore:.* is deprecated in favor of .scipy")
def test_squared_distances_are_those_of_imbalanced_learn():
    peer = ValueDifferenceMetric(k=2, r=2).fit(CODES, Y)
    np.testing.assert_allclose(
        36.0 * peer.pairwise(CODES), SQUARED_TIMES_36, atol=1e-12
    )


def test_difference_matrix_of_persons_one_and_two():
    (A,) = difference_matrices(Single().blocks(phi()[:2]))
    np.testing.assert_allclose(A[0], np.diag([1 / 2, 2 / 3, 0]), atol=1e-15)
    np.testing.assert_allclose(np.trace(A[0]), 7 / 6)


@pytest.mark.parametrize(
    ("loss", "value", "activity"),
    [
        (Hinge(), 0.8287037037, 20 / 24),
        (SmoothedHinge(1.0), 0.5017361111, 0.5902777778),
    ],
    ids=repr,
)
def test_triplet_loss_and_activity(loss, value, activity):
    objective, start = six_persons(Single(), AllTriplets(1.0), loss)
    slope = objective.linearize(start)
    np.testing.assert_allclose(slope.loss, value, rtol=1e-7)
    np.testing.assert_allclose(slope.intercept, activity, rtol=1e-7)  # margin 1


def masses(labels):
    """Return the weight of all triplets, as the share of each anchor tells it."""
    parts = AllTriplets().bind(labels).chunks()
    shares = np.concatenate([part.columns.shares for part in parts])
    anchors = np.concatenate([part.edges.anchors for part in parts])
    return labels.weights[anchors] / shares


def test_there_are_twenty_four_triplets():
    np.testing.assert_allclose(masses(WeightedLabels(Y, np.ones(6))), [24.0] * 6)


def test_gradient_of_the_triplet_loss():
    objective, start = six_persons(Single(), AllTriplets(1.0))
    expected = [
        [0.125, -0.125, -1 / 36],
        [-0.125, 1 / 18, -1 / 6],
        [-1 / 36, -1 / 6, -5 / 27],
    ]
    np.testing.assert_allclose(
        objective.linearize(start).gradient, [expected], atol=1e-9
    )


@pytest.mark.parametrize(
    ("margin", "value"), [(1.0, 0.6481481481), (2.0, 1.1037037037)]
)
def test_pair_loss(margin, value):
    objective, start = six_persons(Single(), AllPairs(margin))
    np.testing.assert_allclose(objective.loss_value(start), value, rtol=1e-9)


def test_quadruplet_loss():
    objective, start = six_persons(Single(), AllQuadruplets(1.0))
    np.testing.assert_allclose(objective.loss_value(start), 0.8163580247, rtol=1e-7)
    np.testing.assert_allclose(
        36 * objective.loss_value(start), 29.3888888889, rtol=1e-7
    )


def test_fourteen_triplets_in_order_and_four_tied():
    accuracy = triplet_accuracy(phi().reshape(6, 9), Y)
    np.testing.assert_allclose(accuracy, (14 + 4 / 2) / 24)


@pytest.mark.parametrize(
    ("structure", "p", "strength"),
    [
        (Single(), 1.0, 0.627743),
        (Single(), 2.0, 0.627837647),
        (Single(), np.inf, 0.638644229),
        (Multi(), 1.0, 0.342829228),
        (Multi(), 2.0, 0.433731123),
        (Multi(), np.inf, 0.690983861),
    ],
)
def test_smallest_strength_at_which_nothing_is_learned(structure, p, strength):
    objective, _ = six_persons(structure, AllTriplets(1.0))
    at_zero = objective.descent_at_zero().values
    np.testing.assert_allclose(Schatten(p).strength_max(at_zero), strength, rtol=1e-6)


@pytest.mark.parametrize(
    ("regularizer", "expected"),
    [
        (Schatten(1.0), (2.0, 0.0)),
        (Schatten(1.5), (2.03920026, 0.51646843)),
        (Schatten(2.0), (2.05131670, 0.68377223)),
        (Schatten(3.0), (2.04360443, 0.83885477)),
        (Schatten(np.inf), (2.0, 1.0)),
        (SchattenPower(1.0), (2.0, 0.0)),
        (SchattenPower(1.5), (1.29381209, 0.25)),
        (SchattenPower(2.0), (1.0, 1 / 3)),
        (SchattenPower(3.0), (0.84712709, 0.43425855)),
    ],
    ids=repr,
)
def test_prox_of_three_one_minus_two(regularizer, expected):
    x = regularizer.prox(np.array([3.0, 1.0, -2.0]), 1.0)
    np.testing.assert_allclose(x, [*expected, 0.0], atol=1e-8)


FOUR = np.array([[0, 1, 1.5, 4], [1, 0, 0.5, 2], [1.5, 0.5, 0, 1], [4, 2, 1, 0]])
W = np.array([[0, 1, -1, 0], [1, 0, -1, 0], [-1, -1, 0, 2], [0, 0, 0, 0]])
W_SMOOTHED = [[0, 0.5, -0.5, 0], [1, 0, -1, 0], [-0.5, -1, 0, 1.5], [0, 0, 0, 0]]


@pytest.mark.parametrize(
    ("loss", "total", "activity", "expected"),
    [(Hinge(), 4.0, 4.0, W), (SmoothedHinge(1.0), 2.25, 3.0, W_SMOOTHED)],
    ids=["hinge", "smoothed"],
)
def test_all_triplets_of_four_given_distances(loss, total, activity, expected):
    labels = WeightedLabels(np.array([0, 0, 1, 1]), np.ones(4))
    parts = AllTriplets(1.0).bind(labels).chunks()
    pulls = [part.gradient(FOUR[part.edges.anchors], loss) for part in parts]
    weights = np.vstack([pull.weights for pull in pulls])
    np.testing.assert_allclose(masses(labels), [8.0] * 4)
    np.testing.assert_allclose(8.0 * weights, expected, atol=1e-9)
    np.testing.assert_allclose(8.0 * sum(p.loss for p in pulls), total, rtol=1e-9)
    np.testing.assert_allclose(8.0 * sum(p.intercept for p in pulls), activity)


def test_pulling_back_unit_vectors_gives_the_laplacian():
    units = np.eye(4)[None, :, None, :]
    L = AnchorPairs(np.arange(4)).adjoint(units, W.astype(float))
    expected = [[0, -2, 2, 0], [-2, 0, 2, 0], [2, 2, -2, -2], [0, 0, -2, 2]]
    np.testing.assert_allclose(L, [expected], atol=1e-14)
