"""Plain code answers as fast code does, within stated bounds."""

import warnings

import numpy as np
import pytest
from sklearn.base import clone

import nearkind as nk
from helpers.estimator_tables import labelled_table
from nearkind import optimizations
from nearkind.encoding.codebook import Codebook
from nearkind.encoding.rows import CodedRows, UniqueRows
from nearkind.losses.pair_sums import WORTH_COMPILING, NumpySums, engine
from nearkind.neighbors.exact import TREE_FROM
from nearkind.tables import read_table
from nearkind.validation.threads import thread_map

pytestmark = pytest.mark.usefixtures("optimized")


@pytest.mark.parametrize(
    ("value", "is_enabled"), [(None, True), ("", True), ("0", True), ("1", False)]
)
def test_the_environment_variable_turns_them_off(monkeypatch, value, is_enabled):
    monkeypatch.delenv("NEARKIND_PLAIN", raising=False)
    if value is not None:
        monkeypatch.setenv("NEARKIND_PLAIN", value)
    assert optimizations.enabled() is is_enabled


def test_they_are_off_inside_the_block_alone(monkeypatch):
    monkeypatch.delenv("NEARKIND_PLAIN", raising=False)
    with optimizations.disabled():
        with optimizations.disabled():
            assert not optimizations.enabled()
        assert not optimizations.enabled()
    assert optimizations.enabled()


def test_plain_code_neither_compiles_nor_starts_threads():
    with optimizations.disabled(), thread_map(2, n_rows=10_000) as each:
        assert isinstance(engine(WORTH_COMPILING), NumpySums)
        assert each is map


def both_ways(answer):
    """Return what a function returns with optimisations and without."""
    fast = answer()
    with optimizations.disabled():
        return fast, answer()


VOTES = 1e-6
"""Bound on shares of votes: exponentials in single precision."""


@pytest.mark.parametrize("constraints", ["triplets", "neighbors"])
@pytest.mark.parametrize("structure", ["single", "full"])
def test_a_metric_is_learned_alike(structure, constraints):
    X, y = labelled_table(160, seed=4)
    settings = {"structure": structure, "constraints": constraints, "strength": "10%"}
    model = nk.CPML(**settings, tol=1e-5, max_iter=5000, random_state=0)
    fast, plain = both_ways(lambda: clone(model).fit(X, y))
    assert fast.objective_ == pytest.approx(plain.objective_, rel=2e-5)
    np.testing.assert_allclose(
        fast.pairwise_distances(X), plain.pairwise_distances(X), atol=2e-3
    )


@pytest.mark.parametrize("name", sorted(nk.baselines.all()))
def test_baselines_answer_alike(name):
    X, y = labelled_table(60, seed=1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        fast, plain = both_ways(
            lambda: nk.CPMLClassifier(nk.baselines.all()[name](), n_neighbors=3).fit(
                X, y
            )
        )
    np.testing.assert_allclose(
        fast.distance_.pairwise_distances(X),
        plain.distance_.pairwise_distances(X),
        rtol=1e-3,
        atol=1e-3,
    )
    agree = fast.predict(X) == plain.predict(X)
    assert agree.mean() >= 0.96


@pytest.mark.parametrize("index", ["exact", "faiss"])
@pytest.mark.parametrize("weights", ["uniform", "distance", "soft"])
def test_one_model_votes_alike(index, weights):
    X, y = labelled_table(3000, seed=2)
    X = X.assign(number=np.random.default_rng(0).normal(size=len(X)))
    metric = nk.baselines.Euclidean(numeric="scale")
    model = nk.CPMLClassifier(metric, n_neighbors=7, weights=weights, index=index).fit(
        X, y
    )
    assert len(model.committee_.voters[0].rows.weights) > TREE_FROM
    fast, plain = both_ways(lambda: model.predict_proba(X[:200]))
    np.testing.assert_allclose(fast, plain, rtol=0, atol=VOTES)
    fast, plain = both_ways(lambda: model.kneighbors(X[:200], 5))
    np.testing.assert_allclose(fast[0], plain[0], rtol=0, atol=0)
    np.testing.assert_array_equal(fast[1], plain[1])


def test_a_search_answers_alike_and_fits_everything():
    X, y = labelled_table(900, seed=3)
    candidates = ["hamming", "euclidean", nk.CPML(max_iter=20), "vdm"]
    search = nk.CPMLClassifierCV(candidates, cv=3, random_state=0)
    fast, plain = both_ways(lambda: clone(search).fit(X, y))
    assert min(fast.cv_results_["n_held"]) < len(X)  # some were dropped
    assert set(plain.cv_results_["n_held"]) == {len(X)}
    assert abs(fast.best_score_ - plain.best_score_) <= 0.02
    assert (fast.predict(X) == plain.predict(X)).mean() >= 0.95


def test_merging_equal_rows_changes_no_metric(monkeypatch):
    """The oracle of merging: every row is a unique row of its own."""
    X, y = labelled_table(120, seed=6)
    weights = np.random.default_rng(6).integers(1, 3, len(X)).astype(float)
    model = nk.CPML(strength="10%", tol=1e-5, max_iter=5000)
    merged = clone(model).fit(X, y, sample_weight=weights)

    def each_row_alone(rows):
        order = np.argsort(rows.y, kind="stable")
        codes, y, weights = rows.codes[order], rows.y[order], rows.weights[order]
        return UniqueRows(codes, y, weights, np.argsort(order))

    assert len(each_row_alone(CodedRows.of(read_table(X), Codebook()))) == len(X)
    monkeypatch.setattr(CodedRows, "merge_equal", each_row_alone)
    alone = clone(model).fit(X, y, sample_weight=weights)
    assert merged.objective_ == pytest.approx(alone.objective_, rel=2e-5)
    np.testing.assert_allclose(
        merged.pairwise_distances(X), alone.pairwise_distances(X), atol=2e-3
    )
