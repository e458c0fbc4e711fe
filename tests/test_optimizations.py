"""Plain code answers as fast code does, within stated bounds."""

import pytest

from nearkind import optimizations
from nearkind.estimators.threads import thread_map
from nearkind.losses.pair_sums import WORTH_COMPILING, NumpySums, engine


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
