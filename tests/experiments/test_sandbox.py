"""Sandboxes: what comes back, and how calls end that fail, die or take too long."""

import math
import os
import sys
import time

import pytest

from nearkind.experiments.rows import DONE, FAILED, NO_MEMORY, TIMED_OUT
from nearkind.experiments.sandbox import Limits, Sandbox, call, peak_megabytes


@pytest.mark.parametrize(
    "preload",
    [
        pytest.param(False, id="fresh", marks=pytest.mark.slow),
        pytest.param(True, id="forked"),
    ],
)
def test_a_call_returns_its_value_and_its_peak_of_memory(preload):
    outcome = call(math.hypot, 3.0, 4.0, preload=preload)
    assert (outcome.status, outcome.value) == (DONE, 5.0)
    assert outcome.peak_memory > 1.0


def test_an_exception_comes_with_its_traceback():
    with pytest.raises(RuntimeError, match=r"(?s)sqrt failed .*ValueError"):
        call(math.sqrt, -1.0, preload=True)


def test_a_process_that_dies_is_no_error_here():
    outcome = call(os._exit, 3, preload=True)
    assert outcome.status == FAILED
    assert outcome.reason == "The process ended with code 3 and gave no reason."


def test_a_call_that_takes_too_long_is_killed():
    start = time.monotonic()
    outcome = call(time.sleep, 60.0, limits=Limits(seconds=0.2), preload=True)
    assert outcome.status == TIMED_OUT
    assert time.monotonic() - start < 30.0


def test_it_ends_without_a_word_when_nobody_waits_any_more(capfd):
    sandbox = Sandbox(time.sleep, [0.3], preload=True)
    sandbox.pipe.close()
    sandbox.join()
    assert capfd.readouterr().err == ""


@pytest.mark.skipif(sys.platform != "linux", reason="limits of memory need Linux")
def test_memory_may_be_limited():
    limits = Limits(megabytes=100.0)
    assert call(bytearray, 1 << 20, limits=limits, preload=True).status == DONE
    assert call(bytearray, 1 << 29, limits=limits, preload=True).status == NO_MEMORY


def test_the_environment_is_that_of_the_caller_now(monkeypatch):
    call(math.hypot, 3.0, 4.0, preload=True)  # the server that forks is there
    monkeypatch.setenv("NEARKIND_DATA", "somewhere")
    monkeypatch.delenv("HOME", raising=False)
    forked = {"limits": Limits(n_threads=1), "preload": True}
    assert call(os.getenv, "NEARKIND_DATA", **forked).value == "somewhere"
    assert call(os.getenv, "LOKY_MAX_CPU_COUNT", **forked).value == "1"
    assert call(os.getenv, "HOME", **forked).value is None


def test_this_process_has_a_peak_of_memory():
    assert peak_megabytes() > 1.0
