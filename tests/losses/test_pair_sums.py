"""The sort behind the sums, and which of the two ways to sum is taken."""

import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers.strategies import integers
from nearkind.losses import pair_sums as sums
from nearkind.losses.compiled_sums import CompiledSums
from nearkind.losses.pair_sums import Merged, NumpySums


@st.composite
def points_and_values(draw):
    a, p, m = draw(st.integers(1, 3)), draw(st.integers(1, 6)), draw(st.integers(1, 6))
    return draw(integers((a, p), -6, 6)) / 4.0, draw(integers((a, m), -6, 6)) / 4.0


@given(lists=points_and_values(), data=st.data())
def test_below_sums_the_values_strictly_below_each_point(lists, data):
    points, values = lists
    first, second = (data.draw(integers(values.shape, -3, 3)) for _ in range(2))
    sums = Merged(points, values).below(first, second)
    for terms, found in zip((first, second), sums, strict=True):
        for row, j in np.ndindex(points.shape):
            expected = terms[row][values[row] < points[row, j]].sum()
            np.testing.assert_allclose(found[row, j], expected, atol=1e-12)


@given(lists=points_and_values(), data=st.data())
def test_above_sums_the_points_strictly_above_each_value(lists, data):
    points, values = lists
    first, second = (data.draw(integers(points.shape, -3, 3)) for _ in range(2))
    sums = Merged(points, values).above(first, second)
    for terms, found in zip((first, second), sums, strict=True):
        for row, k in np.ndindex(values.shape):
            expected = terms[row][points[row] > values[row, k]].sum()
            np.testing.assert_allclose(found[row, k], expected, atol=1e-12)


@given(lists=points_and_values())
def test_a_scalar_term_is_that_term_for_each(lists):
    points, values = lists
    counts, twice = Merged(points, values).below(1.0, 2.0)
    np.testing.assert_array_equal(
        counts, (values[:, None, :] < points[:, :, None]).sum(axis=2)
    )
    np.testing.assert_array_equal(twice, 2.0 * counts)


def test_order_holds_over_all_magnitudes_and_signs():
    sizes = np.logspace(-30, 30, 121)
    numbers = np.sort(np.concatenate([-sizes, [0.0], sizes]))
    shuffled = np.random.default_rng(2).permutation(numbers)
    counts, _ = Merged(numbers[None], shuffled[None]).below(1.0, 0.0)
    np.testing.assert_array_equal(counts[0], np.arange(len(numbers)))


def test_numbers_beyond_single_precision_are_sorted_too():
    numbers = np.array([[-1e290, 1e260, 1e270, 2e270, 1e300]])
    counts, _ = Merged(numbers, numbers).below(1.0, 0.0)
    np.testing.assert_array_equal(counts[0], np.arange(5))


@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e6])
def test_numbers_apart_by_rounding_alone_count_as_equal(scale):
    point = np.array([[1.5 * scale]])
    values = point * (1.0 + np.array([[-1e-15, 0.0, 1e-15]]))
    assert Merged(point, values).below(1.0, 0.0)[0] == 0.0
    assert (Merged(point, values).above(1.0, 0.0)[0] == 0.0).all()


def test_numbers_a_millionth_apart_are_told_apart():
    point = np.array([[3.0]])
    values = point * (1.0 + np.array([[-1e-6, 1e-6]]))
    assert Merged(point, values).below(1.0, 0.0)[0] == 1.0


def test_zero_equals_zero_whatever_its_sign():
    zeros = np.array([[0.0, -0.0]])
    counts, _ = Merged(zeros, zeros[:, ::-1]).below(1.0, 0.0)
    np.testing.assert_array_equal(counts, [[0.0, 0.0]])


@pytest.fixture
def _forgetful():
    """Let the search for a compiler be made anew, here and afterwards."""
    sums.has_compiler.cache_clear()
    yield
    sums.has_compiler.cache_clear()


@pytest.mark.usefixtures("optimized")
@pytest.mark.usefixtures("_forgetful")
def test_few_distances_are_not_worth_a_compiler():
    assert isinstance(sums.engine(1), NumpySums)
    assert isinstance(sums.engine(sums.WORTH_COMPILING - 1), NumpySums)
    assert isinstance(sums.engine(sums.WORTH_COMPILING), CompiledSums)


@pytest.mark.usefixtures("_forgetful")
def test_without_a_compiler_all_sums_are_made_by_numpy(monkeypatch):
    monkeypatch.setattr(sums, "find_spec", lambda name: None)
    assert not sums.has_compiler()
    assert isinstance(sums.engine(1 << 40), NumpySums)


def test_loading_the_package_loads_no_compiler():
    code = "import sys, nearkind, nearkind.losses.hinge; print('numba' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert done.stdout == "False\n"


def test_code_is_compiled_also_where_it_cannot_be_kept(monkeypatch):
    """As numba does where no folder may be written to."""
    compiled_sums = pytest.importorskip("nearkind.losses.compiled_sums")
    real, asked = compiled_sums.njit, []

    def without_folders(*, cache=False, **options):
        asked.append(cache)
        if cache:
            return lambda function: (_ for _ in ()).throw(RuntimeError("no locator"))
        return real(**options)

    monkeypatch.setattr(compiled_sums, "njit", without_folders)
    double = compiled_sums.compiled(lambda x: 2.0 * x)
    assert double(3.0) == 6.0
    assert asked == [True, False]
