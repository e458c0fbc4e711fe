"""What is too large is refused before it is allocated, with advice that applies."""

import tracemalloc

import numpy as np
import pytest
from sklearn import config_context

from nearkind import CPML, CPMLClassifier
from nearkind.estimators import problem
from nearkind.estimators.base import code_rows
from nearkind.estimators.problem import project
from nearkind.estimators.spec import CPMLSpec
from nearkind.metrics.structures import Diagonal, Full, Multi, Single
from nearkind.projections.onehot import OneHot
from nearkind.projections.vdm import VDM
from nearkind.validation.limits import COPIES_OF_PHI, check_size

NAMES = ["city", "size"]


@pytest.mark.parametrize("projection", ["vdm", "onehot"])
@pytest.mark.parametrize("structure", ["single", "multi", "diagonal", "full"])
def test_no_more_copies_of_phi_are_held_than_counted(structure, projection):
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 6, (1000, 8)).astype(str), rng.integers(0, 40, 1000)
    model = CPML(structure=structure, projection=projection)
    rows = code_rows(model, X, y).merge_equal()
    tracemalloc.start()
    projected = project(CPMLSpec.of(model), model.codebook_, len(model.classes_), rows)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    n_numbers = projected.projection.transform(rows.codes).size
    assert peak / 8 / n_numbers < COPIES_OF_PHI + 0.2


@pytest.mark.parametrize("structure", ["single", "diagonal"])
def test_more_classes_than_values_are_compressed(structure, monkeypatch):
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 3, (90, 2)).astype(str), np.arange(90) % 30
    X[:, 0] = y % 3

    def fitted():
        return CPML(structure=structure, tol=1e-3, max_iter=50).fit(X, y)

    short = fitted()
    monkeypatch.setattr(problem, "compress_tables", lambda tables, _: tables)
    long = fitted()
    assert short.transform(X).shape[1] < long.transform(X).shape[1]
    np.testing.assert_allclose(short.metric_, long.metric_, rtol=1e-6, atol=1e-9)
    np.testing.assert_allclose(
        short.feature_relevance_, long.feature_relevance_, atol=1e-9
    )
    np.testing.assert_allclose(
        short.pairwise_distances(X), long.pairwise_distances(X), atol=1e-7
    )


def test_vectors_of_all_rows_are_never_held():
    many = np.tile(np.arange(500).astype(str), 40)[:, None]
    model = CPMLClassifier("hamming").fit(many[:5_000], np.arange(5_000) % 2)
    n_bytes = 8 * len(many) * model.distance_.size
    with config_context(working_memory=8):
        for answer in (model.predict_proba, model.kneighbors, model.score_samples):
            tracemalloc.start()
            answer(many)
            peak = tracemalloc.get_traced_memory()[1]
            tracemalloc.stop()
            assert peak < n_bytes / 2, answer.__name__


def test_what_fits_is_not_refused():
    check_size(VDM(), Single(), NAMES * 4, [9] * 8, 20_000, 1_000)


def test_classes_beyond_the_number_of_values_cost_nothing():
    sizes = NAMES * 4, [9] * 8, 100_000, 9_000
    check_size(VDM(), Single(), *sizes, cross_fit=False)
    for structure, cross_fit in [(Single(), True), (Full(), False)]:
        with pytest.raises(ValueError, match="9,000 numbers, one per class"):
            check_size(VDM(), structure, *sizes, cross_fit=cross_fit)


def test_values_are_to_blame_where_the_size_depends_on_them():
    words = r"GiB\. Column 'city' has the most values, 9,000.*use projection='vdm'"
    with pytest.raises(ValueError, match=words):
        check_size(OneHot(), Full(), NAMES, [9_000, 9], 500, 2, setting="projection")
    with pytest.raises(ValueError, match="use coding='vdm'"):
        check_size(OneHot(), Full(), NAMES, [9_000, 9], 500, 2)


def test_vdm_is_not_advised_to_vdm():
    with pytest.raises(ValueError, match="merge classes") as refusal:
        check_size(VDM(), Diagonal(), NAMES, [9_000, 9], 100_000, 1_000)
    assert "vdm" not in str(refusal.value)
    assert "city" not in str(refusal.value)


@pytest.mark.parametrize("structure", [Single(), Multi(), Full()], ids=repr)
def test_ten_thousand_columns_may_have_a_weight_each(structure):
    sizes = NAMES * 5_000, [4] * 10_000, 500, 2
    with pytest.raises(ValueError, match="structure='diagonal': one weight per column"):
        check_size(VDM(), structure, *sizes, setting="projection")
    check_size(VDM(), Diagonal(), *sizes, setting="projection")


def test_vdm_is_not_advised_where_it_is_larger():
    with pytest.raises(ValueError, match="fit without it") as refusal:
        check_size(OneHot(), Full(), NAMES, [9_000, 9], 500, 90_000)
    assert "vdm" not in str(refusal.value)
