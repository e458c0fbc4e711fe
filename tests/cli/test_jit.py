"""Compiling is over before a fit begins."""

import signal
from threading import Thread

import numpy as np
import pytest

import nearkind as nk
from helpers.estimator_tables import labelled_table
from nearkind.cli import jit
from nearkind.cli.jit import compile_ahead, signals_held


def test_few_rows_are_not_compiled_for(monkeypatch):
    monkeypatch.setattr(jit, "has_compiler", lambda: pytest.fail("asked for"))
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


@pytest.fixture(params=[signal.SIGINT, signal.SIGTERM], ids=lambda s: s.name)
def leaving(request):
    """Return a signal whose handler leaves, as that of a command does."""

    def leave(number, _):
        raise SystemExit(128 + number)

    before = signal.signal(request.param, leave)
    yield request.param
    signal.signal(request.param, before)


def test_a_signal_waits_for_the_end_and_is_handled_then(leaving):
    done = []

    def compile_one():
        with signals_held():
            signal.raise_signal(leaving)
            signal.raise_signal(leaving)
            done.append("compiled")
        done.append("went on")

    with pytest.raises(SystemExit) as ended:
        compile_one()
    assert ended.value.code == 128 + leaving
    assert done == ["compiled"]
    with pytest.raises(SystemExit):  # at once, as before
        signal.raise_signal(leaving)


def test_without_a_signal_nothing_changes(leaving):
    before = signal.getsignal(leaving)
    with signals_held():
        assert signal.getsignal(leaving) is not before
    assert signal.getsignal(leaving) is before


def test_other_threads_may_compile():
    done = []

    def compile_one():
        with signals_held():
            done.append("compiled")

    thread = Thread(target=compile_one)
    thread.start()
    thread.join()
    assert done == ["compiled"]
