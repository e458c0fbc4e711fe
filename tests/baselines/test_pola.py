"""POLA: worked figures, the updates as a plain loop, and more rows later."""

import numpy as np
import pytest

from helpers.baseline_oracles import normal_pairs
from helpers.estimator_tables import labelled_table
from nearkind.baselines.pola import POLA, Online

X, Y = labelled_table(50, seed=3)


def test_pola_on_two_pairs():
    online = Online(2)
    losses = online.learn(np.array([[1.0, 0.0]]), np.array([False]))
    np.testing.assert_allclose(online.metric, np.diag([1.0, 0.0]))
    assert (losses, online.threshold) == ([2.0], 1.0)
    losses = online.learn(np.array([[1.0, 1.0]]), np.array([True]))
    expected = [[0.8085297440, -0.1557086015], [-0.1557086015, 0.0299867367]]
    np.testing.assert_allclose(online.metric, expected, atol=1e-10)
    assert losses == pytest.approx([1.0])
    assert online.threshold == pytest.approx(1.2)


def naive_pola(V, alike):
    M, b, losses, total = np.zeros((V.shape[1],) * 2), 1.0, [], 0.0
    for v, s in zip(V, np.where(alike, 1.0, -1.0), strict=True):
        losses.append(max(s * (v @ M @ v - b) + 1.0, 0.0))
        a = losses[-1] / ((v @ v) ** 2 + 1.0)
        values, vectors = np.linalg.eigh(M - s * a * np.outer(v, v))
        M = (vectors * np.maximum(values, 0.0)) @ vectors.T
        b = max(b + s * a, 1.0)
        total = total + M
    return M, b, np.array(losses), total / len(V)


@pytest.mark.parametrize("chunk", [1, 7, 400])
@pytest.mark.parametrize("width", [1, 2, 9])
def test_pola_in_chunks_is_pola_pair_by_pair(width, chunk):
    V, alike = normal_pairs(400, width)
    V[[3, 50]] = 0.0
    last, mean = Online(width), Online(width, averaged=True)
    losses = []
    for at in range(0, 400, chunk):
        part = slice(at, at + chunk)
        losses.append(last.learn(V[part], alike[part]))
        mean.learn(V[part], alike[part])
    M, b, expected, average = naive_pola(V, alike)
    np.testing.assert_allclose(last.metric, M, atol=1e-9)
    np.testing.assert_allclose(mean.metric, average, atol=1e-9)
    np.testing.assert_allclose(np.concatenate(losses), expected, atol=1e-9)
    assert last.threshold == pytest.approx(b, abs=1e-9)
    assert np.linalg.eigvalsh(last.metric)[0] >= -1e-12
    assert (expected > 0).sum() > 40


def test_pola_loses_less_as_it_goes():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 300)
    told = np.array(["a", "b", "c"])[y]
    noise = rng.integers(0, 4, (300, 3)).astype(str)
    model = POLA().fit(np.column_stack([told, noise]), y)
    assert len(model.loss_history_) == 5 * 300
    quarters = [part.mean() for part in np.array_split(model.loss_history_, 4)]
    assert quarters[-1] < 0.2 * quarters[0]
    assert model.threshold_ >= 1.0


def test_pola_takes_all_pairs_of_few_rows_and_draws_of_more():
    table, y = labelled_table(102)
    assert len(POLA().fit(table[:100], y[:100]).loss_history_) == 100 * 99 / 2
    assert len(POLA().fit(table, y).loss_history_) == 5 * 102
    assert len(POLA(n_pairs=40).fit(table, y).loss_history_) == 40


def test_pola_goes_on_where_it_was():
    model = POLA().partial_fit(X, Y)
    np.testing.assert_array_equal(
        model.pairwise_distances(X), POLA().fit(X, Y).pairwise_distances(X)
    )
    before, history = model.metric_, model.loss_history_
    n_pairs = len(history)
    more, labels = labelled_table(20, seed=8)
    model.partial_fit(more, labels)
    assert len(model.loss_history_) == n_pairs + 20 * 19 / 2
    np.testing.assert_array_equal(model.loss_history_[:n_pairs], history)
    assert (model.metric_ != before).any()
    assert np.linalg.eigvalsh(model.metric_)[0] >= -1e-9
    refitted = model.fit(X, Y)
    np.testing.assert_array_equal(refitted.metric_, before)


def test_pola_may_go_on_with_one_class_and_labels_missing():
    model = POLA().partial_fit(X, Y)
    n_pairs = len(model.loss_history_)
    some = np.array(["ham", "ham", None, "ham"], dtype=object)
    model.partial_fit(X[:4], some)
    assert len(model.loss_history_) == n_pairs + 3


def test_pola_takes_later_only_labels_that_were_named():
    with pytest.raises(ValueError, match=r"labels that the first call .*\['tea'\]"):
        POLA().partial_fit(X, Y).partial_fit(X[:2], ["ham", "tea"])
    model = POLA().partial_fit(X, Y, classes=["egg", "ham", "jam", "tea"])
    n_pairs = len(model.loss_history_)
    assert len(model.partial_fit(X[:2], ["ham", "tea"]).loss_history_) == n_pairs + 1
