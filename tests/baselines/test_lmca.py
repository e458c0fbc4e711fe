"""LMCA and its kernel form: gradients, the linear kernel, rank, plain kernels."""

import re

import numpy as np
import pytest

import nearkind as nk
from helpers.estimator_tables import labelled_table
from nearkind.baselines import LMCA, KernelLMCA
from nearkind.baselines.lmca import median_distance, principal_axes, projected
from nearkind.baselines.margin_learner import MarginLoss
from nearkind.constraints.local import LocalConstraints, LocalTriplets
from nearkind.constraints.weighted_labels import WeightedLabels
from nearkind.losses.hinge import SmoothedHinge
from nearkind.metrics.metric import Embedding

X, Y = labelled_table(40, seed=11)
NEW = labelled_table(15, seed=12)[0]
XOR = [["a", "x"], ["b", "x"], ["a", "y"], ["b", "y"]], [0, 1, 1, 0]
pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def test_gradient_in_the_components_is_that_of_finite_differences():
    rng = np.random.default_rng(0)
    Z, L, width = rng.normal(size=(9, 4)), rng.normal(size=(2, 4)), 1e-6
    labels = WeightedLabels(np.repeat([0, 1, 2], 3), np.ones(9))
    constraints = LocalConstraints(LocalTriplets(n_targets=2), labels, Embedding(Z, Z))
    evaluate = projected(MarginLoss(constraints, 0.5, SmoothedHinge(1.0)), Z)
    expected = np.zeros_like(L)
    for at in np.ndindex(L.shape):
        step = np.zeros_like(L)
        step[at] = width
        expected[at] = (evaluate(L + step)[0] - evaluate(L - step)[0]) / (2 * width)
    np.testing.assert_allclose(evaluate(L)[1], expected, rtol=1e-5, atol=1e-4)


def test_axes_are_those_of_repeated_rows():
    rng = np.random.default_rng(1)
    Z, counts = rng.normal(size=(20, 3)) * [3.0, 2.0, 1.0], rng.integers(1, 4, 20)
    axes = principal_axes(Z, counts.astype(float), 2)
    repeated = np.repeat(Z, counts, axis=0)
    _, _, expected = np.linalg.svd(repeated - repeated.mean(axis=0))
    np.testing.assert_allclose(np.abs(axes), np.abs(expected[:2]), atol=1e-9)
    assert principal_axes(Z, np.ones(20), 10).shape == (3, 3)


@pytest.mark.parametrize("n_components", [1, 2, 50])
def test_rows_lie_in_so_many_directions(n_components):
    model = LMCA(n_components, max_iter=10).fit(X, Y)
    n_varying = sum(model.codebook_.n_values) - X.shape[1]
    q = min(n_components, n_varying)
    assert model.transform(NEW).shape == (15, q)
    assert model.components_.shape == (q, sum(model.codebook_.n_values))
    assert list(model.get_feature_names_out()) == [f"lmca{i}" for i in range(q)]


@pytest.mark.parametrize("coding", ["onehot", "vdm"])
@pytest.mark.parametrize("n_components", [2, 50])
def test_the_linear_kernel_gives_the_same_distances(coding, n_components):
    settings = {"n_components": n_components, "coding": coding, "max_iter": 10}
    plain = LMCA(**settings).fit(X, Y)
    kernel = KernelLMCA(kernel="linear", **settings).fit(X, Y)
    np.testing.assert_allclose(kernel.history_, plain.history_, rtol=1e-6)
    np.testing.assert_allclose(
        kernel.pairwise_distances(NEW, X), plain.pairwise_distances(NEW, X), atol=1e-5
    )


def test_explanations_add_up():
    model = LMCA(2, max_iter=10).fit(X, Y)
    parts = model.explain(X.iloc[0], X.iloc[1])["contribution"]
    d2 = model.pairwise_distances(X[:1], X[1:2], squared=True)
    assert parts.sum() == pytest.approx(d2.item())


def test_new_rows_are_placed_by_their_kernels_with_the_rows_learned_from():
    model = KernelLMCA(3, bandwidth=0.7, max_iter=10).fit(X, Y)
    new, old = model.codebook_.encode(NEW), model.distance_.landmarks
    differing = (new[:, None] != old[None]).sum(axis=2)
    assert set(map(tuple, old)) == set(map(tuple, model.codebook_.encode(X)))
    apart = np.array([(a != b).sum() for i, a in enumerate(old) for b in old[:i]])
    assert model.distance_.length == pytest.approx(
        0.7 * np.sqrt(2.0 * np.median(apart))
    )
    K = np.exp(-2.0 * differing / (2.0 * model.distance_.length**2))
    np.testing.assert_allclose(model.transform(NEW), K @ model.components_.T, atol=1e-9)


def test_a_kernel_learns_what_no_sum_of_vectors_can():
    rows, labels = XOR
    far_near = [
        kind(n_neighbors=1, max_iter=50).fit(rows, labels).pairwise_distances(rows)[0]
        for kind in (LMCA, KernelLMCA)
    ]
    (_, *by_sum), (_, *by_kernel) = far_near
    assert not max(by_sum[:2]) > by_sum[2] + 1e-6
    assert by_kernel[2] < min(by_kernel[:2])


def test_many_rows_are_placed_in_chunks(monkeypatch):
    model = KernelLMCA(3, max_iter=5).fit(X, Y)
    whole = model.transform(X)
    monkeypatch.setattr("nearkind.distances.kernel.AT_ONCE", 100)
    np.testing.assert_allclose(model.transform(X), whole, atol=1e-12)


def test_a_kernel_has_no_vectors_of_values():
    model = KernelLMCA(max_iter=5).fit(X, Y)
    form = model.distance_
    assert (form.is_euclidean, form.has_vectors) == (True, False)
    assert not hasattr(model, "value_vectors_")
    with pytest.raises(
        ValueError, match="KernelLMCA cannot be exported: it has neither vectors"
    ):
        nk.export.write(model, "never.json")


def test_the_median_is_of_rows_that_differ():
    assert median_distance(np.array([[0.0], [0.0], [1.0], [3.0]])) == 2.0
    assert median_distance(np.zeros((3, 1))) == 1.0


@pytest.mark.parametrize(
    ("learner", "words"),
    [
        (LMCA(n_components=0), "'n_components' parameter of LMCA .* >= 1; got 0"),
        (LMCA(coding="pca"), "'coding' .* one of 'onehot', 'vdm'.* got 'pca'"),
        (KernelLMCA(n_components="all"), "'n_components' .* got 'all'"),
        (KernelLMCA(kernel="cosine"), "'kernel' .* one of 'rbf', 'linear'; got 'cos"),
        (KernelLMCA(bandwidth=0), "'bandwidth' .* must be a number > 0; got 0"),
    ],
)
def test_wrong_settings_are_refused(learner, words):
    with pytest.raises(ValueError, match=re.compile(words)):
        learner.fit(X, Y)
