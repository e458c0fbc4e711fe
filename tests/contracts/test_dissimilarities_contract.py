"""The laws of a distance on rows, over every one there is."""

import numpy as np
import pytest

import nearkind as nk
from tables import labelled_table

DISTANCES = {"cpml": nk.CPML(max_iter=3)} | {
    name: kind() for name, kind in nk.baselines.all().items()
}
every_distance = pytest.mark.parametrize("name", DISTANCES)
pytestmark = [
    pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning"),
    pytest.mark.filterwarnings("ignore::nearkind.errors.UnseenValueWarning"),
]
X, Y = labelled_table(40, seed=11)
NEW = labelled_table(15, seed=12)[0].replace({"noise": {"c": "never seen"}})


@pytest.fixture(scope="module", params=DISTANCES)
def distance(request):
    return DISTANCES[request.param].fit(X, Y)


def test_symmetric_non_negative_and_zero_on_equal_rows(distance):
    D = distance.pairwise_distances(NEW)
    np.testing.assert_array_equal(D, D.T)
    assert (D >= 0.0).all()
    assert (np.diag(D) == 0.0).all()


def test_pairwise_is_compare_on_what_represent_makes(distance):
    rows, new = (
        distance.represent(distance.codebook_.encode(table)) for table in (X, NEW)
    )
    np.testing.assert_allclose(
        distance.compare(new, rows), distance.pairwise_distances(NEW, X), atol=1e-12
    )


def test_one_table_is_the_table_against_itself(distance):
    np.testing.assert_allclose(
        distance.pairwise_distances(NEW),
        distance.pairwise_distances(NEW, NEW),
        atol=1e-7,
    )


def test_triplet_accuracy_is_the_share_of_distances_in_order(distance):
    D = distance.pairwise_distances(X) ** 2
    scores = []
    for i in range(len(Y)):
        near = np.delete(D[i], i)[np.delete(Y, i) == Y[i]]
        far = D[i, Y[i] != Y]
        apart = far[None, :] - near[:, None]
        scores.append(np.where(np.abs(apart) < 1e-9, 0.5, apart > 0.0).ravel())
    assert distance.triplet_accuracy(X, Y) == pytest.approx(
        np.concatenate(scores).mean(), abs=1e-3
    )


@every_distance
def test_names_of_values_and_order_of_columns_do_not_matter(name):
    rename = {"round": "zz", "flat": "00", "s": "Large", "low": "a low"}
    columns = ["noise", "size", "tone", "shape"]
    plain = DISTANCES[name].fit(X, Y).pairwise_distances(X)
    other = DISTANCES[name].fit(X.replace(rename)[columns], Y)
    np.testing.assert_allclose(
        other.pairwise_distances(X.replace(rename)), plain, atol=1e-6
    )
