"""Laws of both ways to sum a loss over every near distance against every far one."""

import os
import subprocess
import sys
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers import oracles
from helpers.strategies import integers
from nearkind.losses import pair_sums
from nearkind.losses.compiled_sums import CompiledSums
from nearkind.losses.pair_sums import NearFar, NumpySums

ENGINES = {"numpy": NumpySums(), "compiled": CompiledSums()}
WIDTHS = [0.0, 0.25, 1.0, 3.0]  # zero: the plain hinge
every_engine = pytest.mark.parametrize("engine", ENGINES.values(), ids=ENGINES)
every_width = pytest.mark.parametrize("width", WIDTHS)
any_width = st.sampled_from(WIDTHS)
any_corner = st.sampled_from(WIDTHS[1:])


def plain_columns(n_near, n_far, margin=0.0, n_rows=1):
    """Return n_near columns, then n_far, all of weight one."""
    numbers, n = np.arange(n_near + n_far), n_near + n_far
    near, far = numbers[:n_near], numbers[n_near:]
    nobody = np.full(n_rows, -1)
    ones = np.ones(n_rows)
    return NearFar(near, far, margin, np.ones(n), ones, nobody, 0.0 * ones)


@st.composite
def chunks(draw, types=(np.float64, np.float32)):
    """Return (d2, columns): ties, idle columns, weights of zero, either side longer.

    Near columns are those of all rows, or each row has its own, some of them twice.
    """
    a, p, m = draw(st.integers(1, 3)), draw(st.integers(1, 7)), draw(st.integers(1, 7))
    n = p + m + draw(st.integers(0, 2))
    numbers = np.array(draw(st.permutations(range(n))))
    near, far, near_weights = numbers[:p], numbers[p : p + m], None
    if draw(st.booleans()):
        choices = st.lists(st.sampled_from(near.tolist()), min_size=p, max_size=p)
        near = np.array([draw(choices) for _ in range(a)])
        near_weights = draw(integers((a, p), 0, 3))
    own = [draw(st.sampled_from([-1, *np.unique(near).tolist()])) for _ in range(a)]
    columns = NearFar(
        near,
        far,
        draw(st.integers(-8, 8)) / 4.0,
        draw(integers(n, 0, 3)),
        draw(integers(a, 0, 3)) / 2.0,
        np.array(own),
        draw(integers(a, 0, 3)),
        near_weights,
    )
    d2 = draw(integers((a, n), -8, 12)) / 4.0
    return d2.astype(draw(st.sampled_from(types))), columns


# --- small rows, by the definition ---------------------------------------------------


@every_engine
@given(width=any_width, chunk=chunks())
def test_loss_weights_and_intercept_equal_the_double_loop(engine, width, chunk):
    expected = oracles.all_pairs(*chunk, width)
    atol = 1e-9 if chunk[0].dtype == np.float64 else 1e-4
    for ours, slow in zip(engine.gradient(*chunk, width), expected, strict=True):
        np.testing.assert_allclose(ours, slow, rtol=1e-6, atol=atol)


@every_engine
@given(width=any_width, chunk=chunks())
def test_the_total_is_the_loss_of_the_gradient(engine, width, chunk):
    loss = engine.gradient(*chunk, width).loss
    np.testing.assert_allclose(engine.total(*chunk, width), loss, rtol=1e-12)


@every_engine
@given(width=any_width, chunk=chunks())
def test_what_is_pulled_in_a_row_equals_what_is_pushed(engine, width, chunk):
    d2, columns = chunk
    weights = engine.gradient(d2, columns, width).weights
    pushed = weights[:, columns.far]
    atol = 1e-9 if d2.dtype == np.float64 else 1e-4
    assert weights.dtype == d2.dtype
    assert (pushed <= 0.0).all()
    assert (np.delete(weights, columns.far, axis=1) >= 0.0).all()
    np.testing.assert_allclose(weights.sum(axis=1, dtype=float), 0.0, atol=atol)


@every_engine
@given(width=any_corner, chunk=chunks(types=[np.float64]), data=st.data())
def test_weights_are_the_gradient_of_the_total(engine, width, chunk, data):
    d2, columns = chunk
    ahead = 1e-4 * data.draw(integers(d2.shape, -2, 2))
    rise = engine.total(d2 + ahead, columns, width)
    rise -= engine.total(d2 - ahead, columns, width)
    weights = engine.gradient(d2, columns, width).weights
    pairs = columns.near.size * columns.far.size * 14.0  # the largest weight of one
    bend = pairs * np.abs(ahead).max() ** 2 / width  # derivatives change by so much
    np.testing.assert_allclose(rise / 2.0, np.vdot(weights, ahead), atol=2.0 * bend)


@every_engine
@given(width=any_width, chunk=chunks(types=[np.float64]), data=st.data())
def test_the_total_is_above_its_tangents(engine, width, chunk, data):
    d2, columns = chunk
    other = data.draw(integers(d2.shape, -8, 12)) / 4.0
    at = engine.gradient(d2, columns, width)
    tangent = at.loss + np.vdot(at.weights, other - d2)
    assert engine.total(other, columns, width) >= tangent - 1e-9 * (1.0 + abs(tangent))


@every_engine
@given(width=any_width, chunk=chunks())
def test_inputs_stay_as_they_were(engine, width, chunk):
    d2, columns = chunk
    before = [np.copy(x) for x in (d2, *vars(columns).values())]
    engine.total(d2, columns, width)
    engine.gradient(d2, columns, width)
    for was, now in zip(before, (d2, *vars(columns).values()), strict=True):
        np.testing.assert_array_equal(now, was)


@every_engine
@pytest.mark.parametrize("n_near", [5, 30, 50, 75])
@pytest.mark.parametrize("scale", [1e-9, 1.0, 1e9])
def test_distances_apart_by_rounding_alone_are_tied(engine, n_near, scale):
    rng = np.random.default_rng(n_near)
    d2 = scale * rng.integers(1, 7, size=(3, 80)) / 4.0
    noisy = d2 * (1.0 + 1e-13 * rng.normal(size=d2.shape))
    columns = plain_columns(n_near, 80 - n_near, scale * 0.25, n_rows=3)
    exact = engine.gradient(d2, columns, 0.0).weights
    found = engine.gradient(noisy, columns, 0.0).weights
    np.testing.assert_allclose(found, exact, atol=1e-9)


@every_engine
@every_width
def test_rows_add_up_however_many_are_worked_on_at_a_time(engine, width, monkeypatch):
    rng = np.random.default_rng(4)
    d2, near = rng.normal(size=(7, 20)), rng.permutation(20)[:6]
    far = np.setdiff1d(np.arange(20), near)
    own, own_weights = np.append(near, -1), np.arange(7.0)
    weights, shares = rng.random(20), rng.random(7)
    columns = NearFar(near, far, 0.5, weights, shares, own, own_weights)
    monkeypatch.setattr(pair_sums, "_AT_ONCE", 60)  # three rows
    whole = engine.gradient(d2, columns, width)
    alone = [
        engine.gradient(d2[[i]], replace(columns, **rows_of(columns, i)), width)
        for i in range(7)
    ]
    np.testing.assert_allclose(whole.loss, sum(p.loss for p in alone))
    np.testing.assert_allclose(whole.intercept, sum(p.intercept for p in alone))
    stacked = np.vstack([p.weights for p in alone])
    np.testing.assert_allclose(whole.weights, stacked, atol=1e-12)
    np.testing.assert_allclose(engine.total(d2, columns, width), whole.loss)


def rows_of(columns, i):
    """Return what changes when only row i is there."""
    return {
        name: getattr(columns, name)[[i]]
        for name in ("shares", "self_columns", "self_weights")
    }


# --- long rows of many shapes --------------------------------------------------------

SIZES = [(1, 1_999), (150, 1_850), (1_850, 150), (1_999, 1)]


def outlier(rng, shape, at):
    d2 = rng.random(shape)
    d2[:, at] = 1e4
    return d2


# Each with how far apart two distances must be for both engines to tell them apart.
SHAPES = {
    "continuous": (lambda rng, s: 4.0 * rng.random(s), 1e-6),
    "of both signs": (lambda rng, s: rng.normal(size=s), 1e-6),
    "few distinct": (lambda rng, s: rng.integers(0, 5, s) / 4.0, 1e-6),
    "few distinct but for rounding": (
        lambda rng, s: (rng.integers(0, 5, s) + 4e-13 * rng.normal(size=s)) / 4.0,
        1e-6,
    ),
    "a near outlier": (lambda rng, s: outlier(rng, s, 0), 1e-3),
    "a far outlier": (lambda rng, s: outlier(rng, s, -1), 1e-3),
    "clusters of two scales": (
        lambda rng, s: np.where(rng.random(s) < 0.5, 1e-6, 1.0) * rng.random(s),
        1e-6,
    ),
    "far from zero": (lambda rng, s: 1e6 + rng.normal(size=s), 1e-3),
    "hardly different": (lambda rng, s: 1.0 + 1e-12 * rng.random(s), 1e-6),
    "all zero": (lambda rng, s: np.zeros(s), 1e-6),
}


@cache
def long_rows(shape, n_near, n_far):
    """Return (d2, columns) of two rows of mixed columns, with random weights."""
    rng = np.random.default_rng(n_near)
    n = n_near + n_far
    numbers = rng.permutation(n)
    d2 = np.empty((2, n))
    d2[:, numbers] = SHAPES[shape][0](rng, d2.shape)
    near, far = numbers[:n_near], numbers[n_near:]
    weights, shares = rng.integers(0, 4, n) / 2.0, np.array([0.5, 2.0])
    weights[[near[0], far[-1]]] = 1.0
    own = np.array([near[0], -1])
    return d2, NearFar(near, far, 0.25, weights, shares, own, np.array([0.5, 9.0]))


@cache
def written_out(shape, n_near, n_far, width, margin):
    """Return loss and weights (a, n) of long rows, every pair written out."""
    d2, columns = long_rows(shape, n_near, n_far)
    loss, weights = 0.0, np.zeros_like(d2)
    for row, at in zip(d2, range(len(d2)), strict=True):
        near_weights = columns.weights[columns.near].copy()
        near_weights[columns.near == columns.self_columns[at]] = columns.self_weights[
            at
        ]
        z = row[columns.near, None] + margin - row[None, columns.far]
        inside = np.clip(z, 0.0, width) if width else 0.0
        values = np.maximum(z - width, 0.0) + inside * inside / (2.0 * width or 1.0)
        slopes = np.clip(z / width, 0.0, 1.0) if width else z > 0.0
        pulls = near_weights * (slopes @ columns.weights[columns.far])
        pushes = columns.weights[columns.far] * (near_weights @ slopes)
        weights[at, columns.near] = columns.shares[at] * pulls
        weights[at, columns.far] = -columns.shares[at] * pushes
        loss += columns.shares[at] * (
            near_weights @ values @ columns.weights[columns.far]
        )
    return loss, weights


@pytest.mark.covering(2)
@every_engine
@pytest.mark.parametrize("width", [0.0, 0.5])
@pytest.mark.parametrize("sizes", SIZES, ids=str)
@pytest.mark.parametrize("shape", SHAPES)
def test_long_rows_of_any_shape_equal_all_pairs_written_out(
    engine, width, sizes, shape
):
    d2, columns = long_rows(shape, *sizes)
    apart = SHAPES[shape][1]
    loss, _ = written_out(shape, *sizes, width, 0.25)
    _, least = written_out(shape, *sizes, width, 0.25 - apart)
    _, most = written_out(shape, *sizes, width, 0.25 + apart)
    found = engine.gradient(d2, columns, width)
    assert found.loss == pytest.approx(loss, rel=1e-6)
    assert engine.total(d2, columns, width) == pytest.approx(found.loss, rel=1e-12)
    slack = 1e-6 * (1.0 + np.abs(most))
    # A larger margin pulls more and pushes more.
    sign = np.ones(d2.shape[1])
    sign[columns.far] = -1.0
    assert (sign * found.weights >= sign * least - slack).all()
    assert (sign * found.weights <= sign * most + slack).all()
    pulled = found.weights[:, columns.near].sum()
    assert found.intercept == pytest.approx(0.25 * pulled, rel=1e-9)


# --- what is no number, and what could lead out of an array --------------------------


@pytest.mark.covering(2)
@every_engine
@every_width
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("n_near", [2, 5])
def test_a_distance_that_is_not_finite_makes_no_finite_loss(
    engine, width, dtype, bad, n_near
):
    columns = plain_columns(n_near, 7 - n_near, 0.5, n_rows=2)
    for row, column in np.ndindex(2, 7):
        d2 = np.random.default_rng(1).normal(size=(2, 7)).astype(dtype)
        d2[row, column] = bad
        with np.errstate(invalid="ignore"):
            assert not np.isfinite(engine.total(d2, columns, width))
            assert not np.isfinite(engine.gradient(d2, columns, width).loss)


SPAN = np.spacing(1.5)
MANY = 400_000
NASTY = {  # near, far, margin
    "one against one": ([2.0], [1.0], 0.0),
    "all zero": ([0.0, 0.0, 0.0], [0.0, 0.0], 0.0),
    "zeros of both signs": ([-0.0, 0.0, -0.0], [0.0, -0.0], 0.0),
    "next to each other": ([1.0, np.nextafter(1.0, 2.0), 0.5], [1.0, 0.5], 0.0),
    "just a tie": ([1.0, 1.0 + 0.999e-10, 3.0], [1.0, 1.0 + 0.999e-10], 0.0),
    "just no tie": ([1.0, 1.0 + 1.001e-10, 3.0], [1.0, 1.0 + 1.001e-10], 0.0),
    "a margin that drowns them": ([1.0, 2.0], [0.0, 1.0, 2.0], 1e18),
    "zero and the least number": ([1.0, 2.0, 3.0], [0.0, 5e-324], 0.0),
    "the least numbers": ([5e-324, 1e-323], [0.0, 5e-324, 1.5e-323], 0.0),
    "subnormal": ([1.0, 2.0, 3.0], [1e-309, 3e-309], 1.0),
    "nearly subnormal": ([1.0, 2.0, 3.0], [1e-306, 1e-307], 1.0),
    "tiny": ([2e-17, 3e-17], [1e-17], 0.0),
    "equal and huge": ([3e16, 3e16], [0.0, 1.0, 2.0], 0.0),
    "huge": ([1e150, 2e150, -1e150], [1e150, 0.0], 0.0),
    "nearly too large": ([1.0, 2.0, 3.0], [-8.4e307, 8.4e307], 1.0),
    "too large together": ([1.7e308, 1.0], [-1.7e308, 1.7e308], 1.0),
    "far beyond the sorted": ([0.1, 0.2], [-1e12, 1e12, 0.15], 0.0),
    "many in one bucket": ([*np.linspace(0.0, 1.0, 40), 1e9], [0.5] * 60, 0.0),
    "many nearly equal": (
        1.5 + 1.55e-10 * (np.arange(MANY) % 2),
        np.zeros(MANY + 1),
        0.0,
    ),
    "many as near as numbers can be": (
        1.5 + SPAN + SPAN * np.append(np.arange(MANY - 1), 2 * MANY),
        np.zeros(MANY + 1),
        0.0,
    ),
}


def check_nasty(name):
    """Compare the compiled sums of one nasty row with all pairs written out."""
    near, far, margin = (np.asarray(x, dtype=float) for x in NASTY[name])
    d2, columns = np.append(near, far)[None], plain_columns(len(near), len(far), margin)
    largest = max(np.abs(d2).max(), abs(margin))
    for width in (0.0, 0.5, max(largest / 4.0, 1e-290)):
        loss = ENGINES["compiled"].gradient(d2, columns, width).loss
        if largest > 1e100 and not np.isfinite(loss):
            continue  # that large, sums of squares may overflow
        if width != 0.5:  # too narrow for numbers of any size
            expected = loss_of(near + margin, far, width)
            atol = 1e-9 * largest * d2.size + 1e-300
            np.testing.assert_allclose(loss, expected, rtol=1e-6, atol=atol)


def loss_of(t, c, width):
    """Return the sum over all pairs, each distinct c only once."""
    distinct, counts = np.unique(c, return_counts=True)
    z = np.maximum(t - distinct[:, None], 0.0)
    corner = np.minimum(z, width)
    values = z - corner + corner * (corner / (2.0 * width or 1.0))
    with np.errstate(over="ignore"):
        return (counts[:, None] * values).sum()


@pytest.mark.slow
def test_compiled_sums_stay_within_their_arrays(tmp_path):
    """Numba checks bounds only when it is told to before it compiles."""
    code = "import test_sums_contract as laws\nfor name in laws.NASTY:\n"
    code += "    try: laws.check_nasty(name)\n"
    code += "    except Exception as error: print(name, '-', repr(error))\n"
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={
            **os.environ,
            "PYTHONPATH": os.pathsep.join([str(Path(__file__).parent), *sys.path]),
            "NUMBA_BOUNDSCHECK": "1",
            "NUMBA_CACHE_DIR": str(tmp_path),
            "NUMBA_OPT": "0",  # compiles faster, and warns that it may not cache
            "PYTHONWARNINGS": "ignore",
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout.splitlines()) == (0, []), done.stderr


def test_no_rows_have_no_loss():
    columns = plain_columns(2, 3, n_rows=0)
    for engine in ENGINES.values():
        for width in (0.0, 1.0):
            found = engine.gradient(np.zeros((0, 5)), columns, width)
            assert engine.total(np.zeros((0, 5)), columns, width) == 0.0
            assert (found.loss, found.weights.shape) == (0.0, (0, 5))
