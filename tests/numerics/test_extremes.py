"""Every setting at its extremes: finite, positive semi-definite, settled or warned of.

What weights, strengths and margins do to the optimum is in
``tests/estimators/test_extreme_numbers.py``.
"""

import warnings

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from nearkind import CPML

P = [1.0, 1.0001, 1.5, 2.0, 50.0, np.inf]
STRENGTHS = [1e-12, 1e-6, 1e-2, 1.0, 1e12]
MARGINS = [1e-9, 1e-3, 1e3, 1e6]
WEIGHTS = [1e-300, 1e-9, 1e9, 1e300]
SOLVERS = ["proximal", "subgradient", "stochastic"]
LARGEST = 600
"""Width of the metrics whose eigenvalues are computed once more."""


def table(n=60, n_columns=4, n_classes=3, seed=0):
    """Return rows of which every second column says something of the class."""
    rng = np.random.default_rng(seed)
    y = np.arange(n) % n_classes
    told = np.arange(n_columns) % 2 * (rng.random((n, n_columns)) < 0.8)
    X = np.where(told, y[:, None] % 5, rng.integers(0, 5, (n, n_columns)))
    return X.astype(str), y


def fitted(X, y, weights=None, **settings):
    """Return a model, after checking what must hold of every one."""
    model = CPML(**{"random_state": 0, "tol": 1e-2, **settings})
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model.fit(X, y, sample_weight=weights)
    categories = [each.category for each in caught]
    assert RuntimeWarning not in categories, [str(each.message) for each in caught]
    is_settled = model.stop_reason_ in ("TOLERANCE", "SETTLED")
    warned = any(issubclass(each, ConvergenceWarning) for each in categories)
    assert is_settled != warned
    assert np.isfinite(model.metric_).all()
    assert np.isfinite(model.objective_)
    assert np.isfinite(model.transform(X)).all()
    spectra = [model.spectrum_]
    if model.metric_.shape[1] <= LARGEST:
        spectra.append(np.linalg.eigvalsh(model.metric_))
    for values in spectra:
        assert values.min() >= -1e-12 * values.max()
    return model


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("p", P)
def test_exponents(p, solver):
    fitted(*table(), p=p, solver=solver, max_iter=30)


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("strength", STRENGTHS)
def test_strengths(strength, solver):
    fitted(*table(), strength=strength, solver=solver, max_iter=30)


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("margin", MARGINS)
def test_margins(margin, solver):
    fitted(*table(), margin=margin, solver=solver, max_iter=30)


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("weight", WEIGHTS)
def test_weights_beside_weights_of_one(weight, solver):
    X, y = table()
    weights = np.where(np.arange(len(y)) < 30, 1.0, weight)
    fitted(X, y, weights, solver=solver, max_iter=30)


@pytest.mark.parametrize("n_columns", [1, 2, 100])
@pytest.mark.parametrize("structure", ["single", "multi", "diagonal", "full"])
def test_columns(structure, n_columns):
    fitted(*table(n_columns=n_columns), structure=structure, max_iter=10)


@pytest.mark.slow
@pytest.mark.parametrize("structure", ["single", "diagonal"])
@pytest.mark.parametrize("n_columns", [1000, 5000])
def test_many_columns(structure, n_columns):
    fitted(*table(n_columns=n_columns), structure=structure, max_iter=10)


@pytest.mark.parametrize("n_classes", [2, 60])
@pytest.mark.parametrize("structure", ["single", "multi", "diagonal", "full"])
def test_classes(structure, n_classes):
    X, y = table(n=120, n_classes=n_classes)
    fitted(X, y, structure=structure, max_iter=10)


@pytest.mark.slow
@pytest.mark.parametrize("structure", ["single", "multi", "diagonal", "full"])
def test_a_thousand_classes(structure):
    X, y = table(n=2000, n_classes=1000)
    fitted(X, y, structure=structure, max_iter=1)


@pytest.mark.parametrize("solver", SOLVERS)
def test_an_ill_conditioned_start(solver):
    """From eigenvalues 1e-12 to 1e12 the optimum is as good as from Euclid's."""
    X, y = table()
    cold = fitted(X, y, solver=solver, max_iter=100)
    Q = np.linalg.qr(np.random.default_rng(0).normal(size=(4, 4)))[0]
    warm = CPML(random_state=0, tol=1e-2, solver=solver, max_iter=100, warm_start=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        warm.fit(X, y)
        warm.metric_ = ((Q * [1e-12, 1e-3, 1.0, 1e12]) @ Q.T)[None]
        warm.fit(X, y)
    assert np.isfinite(warm.metric_).all()
    assert warm.objective_ <= 1.1 * cold.objective_
