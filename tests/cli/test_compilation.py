"""Compiling is over before a fit begins."""

import numpy as np
import pytest

import nearkind as nk
from helpers.estimator_tables import labelled_table
from nearkind.cli import compilation
from nearkind.cli.compilation import compile_ahead


def test_few_rows_are_not_compiled_for(monkeypatch):
    monkeypatch.setattr(compilation, "has_compiler", lambda: pytest.fail("asked for"))
    compile_ahead(100)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_a_fit_finds_all_sums_compiled():
    sums = pytest.importorskip("nearkind.losses.compiled_sums")
    compile_ahead()
    kernels = [sums._hinge_total, sums._smoothed_total, sums._smoothed_gradient]
    before = [list(kernel.signatures) for kernel in kernels]
    assert all(before)
    X, y = labelled_table(200)
    nk.CPML(max_iter=3).fit(X, y)
    nk.CPML("diagonal", constraints="pairs", max_iter=3).fit(X, y)
    nk.CPML(scope="local", max_iter=3).fit(X, np.asarray(y))
    assert [kernel.signatures for kernel in kernels] == before
