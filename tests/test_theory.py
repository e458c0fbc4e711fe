"""The two theorems against worked figures, slow enumeration and simulation."""

import doctest
import itertools
import math
import tracemalloc
from types import SimpleNamespace

import numpy as np
import pytest

from nearkind import theory
from nearkind.theory import (
    Bound,
    ball_radius,
    bound_terms,
    diameter,
    empirical_complexity,
    empirical_rademacher,
    generalization_bound,
    rademacher_bound,
)

EXPONENTS = [1, 1.5, 2, 3, math.inf]
SIX_PERSONS = [
    ("Acc", "Bach", "Mar", "Low"),
    ("Doc", "Mas", "Mar", "Low"),
    ("Plu", "TAFE", "Sin", "High"),
    ("Plu", "HS", "Sin", "Mid"),
    ("Doc", "Mas", "Mar", "Mid"),
    ("Acc", "Mas", "Sin", "High"),
]
# p, n, D, diameter, strength, delta; Theorem 1 printed and corrected; Theorem 2 too.
FIGURES = [
    ((1, 1000, 8, 2, 1, 0.05), (0.1264911064, 0.1264911064), (1.8558294777,) * 2),
    (
        (1.5, 1000, 8, 2, 1, 0.05),
        (0.2529822128, 0.1264911064),
        (2.3617939033, 1.8558294777),
    ),
    ((2, 1000, 8, 2, 1, 0.05), (0.1264911064, 0.1264911064), (1.8558294777,) * 2),
    ((3, 10000, 16, 4, 0.25, 0.01), (0.1269920842,) * 2, (2.3222104398,) * 2),
    ((math.inf, 10000, 16, 4, 0.25, 0.01), (0.32, 0.32), (3.8662737666,) * 2),
]
ROW_FOUR = (3, 10000, 16, 4, 0.25, 0.01)


def histograms(rows, labels):
    """Class shares of each value of each feature, counted one by one."""
    classes = sorted(set(labels))
    tables = []
    for column in zip(*rows, strict=True):
        table = {}
        for value in sorted(set(column)):
            held = [y for v, y in zip(column, labels, strict=True) if v == value]
            table[value] = np.array([held.count(c) / len(held) for c in classes])
        tables.append(table)
    return tables


def difference_matrices(rows, tables):
    """A of the pairs (i, floor(n/2) + i), as one block (m, 1, D, D)."""
    m = len(rows) // 2
    matrices = []
    for i in range(m):
        here = np.array([t[v] for t, v in zip(tables, rows[i], strict=True)])
        there = np.array([t[v] for t, v in zip(tables, rows[m + i], strict=True)])
        matrices.append((here - there) @ (here - there).T)
    return np.array(matrices)[:, None]


def lists(tables):
    return [np.array(list(table.values())) for table in tables]


@pytest.fixture
def six_tables():
    return histograms([r[:3] for r in SIX_PERSONS], [r[3] for r in SIX_PERSONS])


@pytest.fixture
def six_matrices(six_tables):
    return difference_matrices([r[:3] for r in SIX_PERSONS], six_tables)


@pytest.fixture
def random_data():
    rng = np.random.default_rng(5)
    rows = [tuple(r) for r in rng.integers(4, size=(40, 6)).tolist()]
    tables = histograms(rows, rng.integers(3, size=40).tolist())
    return difference_matrices(rows, tables), diameter(lists(tables))


# Worked figures


@pytest.mark.parametrize(("inputs", "complexity", "risk"), FIGURES)
@pytest.mark.parametrize("variant", ["printed", "corrected"])
def test_worked_figures(inputs, complexity, risk, variant):
    which = ["printed", "corrected"].index(variant)
    first = rademacher_bound(*inputs[:4], variant)
    second = generalization_bound(*inputs, variant)
    assert first == pytest.approx(complexity[which], abs=5.1e-11)
    assert second == pytest.approx(risk[which], abs=5.1e-11)


def test_corrected_is_the_default():
    assert rademacher_bound(1.5, 1000, 8, 2) < rademacher_bound(
        1.5, 1000, 8, 2, "printed"
    )


def test_row_four_by_terms():
    bound = bound_terms(*ROW_FOUR)
    assert bound.terms == pytest.approx(
        {"complexity": 1.01593667, "sampling": 0.76, "confidence": 0.54627377},
        abs=5.1e-9,
    )
    assert float(bound) == bound.value == generalization_bound(*ROW_FOUR)
    assert sum(bound.terms.values()) == bound.value


@pytest.mark.parametrize(
    ("penalty", "value"),
    [("squared", 2.3222104398), ("norm", 4.46372379), ("power", 1.88041736)],
)
def test_row_four_by_radius(penalty, value):
    bound = generalization_bound(*ROW_FOUR, penalty=penalty)
    assert bound == pytest.approx(value, abs=5.1e-9)


def test_ball_radius():
    assert ball_radius(0.25, 3, "squared") == 2
    assert ball_radius(0.25, 3, "norm") == 4
    assert ball_radius(0.125, 3, "power") == pytest.approx(2)
    assert ball_radius(0.125, math.inf, "power") == 1
    assert ball_radius(0.25, 3, "norm", margin=2.5) == 10


def test_diameter_of_six_persons(six_tables):
    assert diameter(lists(six_tables)) == pytest.approx(3.3888889, abs=5.1e-8)


def test_the_first_matrix_of_six_persons(six_tables):
    first_two = difference_matrices([r[:3] for r in SIX_PERSONS[:2]], six_tables)
    np.testing.assert_allclose(first_two[0, 0], np.diag([1 / 2, 2 / 3, 0]), atol=1e-15)


@pytest.mark.parametrize(
    ("p", "value"),
    [
        (1, 0.9383565852),
        (1.5, 0.9434166671),
        (2, 0.9748251576),
        (3, 1.0455835473),
        (math.inf, 1.3081436609),
    ],
)
def test_complexity_of_six_persons(six_matrices, p, value):
    q = {1: math.inf, math.inf: 1}.get(p) or p / (p - 1)
    norms = []
    for signs in itertools.product([-1, 1], repeat=3):
        total = sum(s * A[0] for s, A in zip(signs, six_matrices, strict=True))
        norms.append(np.linalg.norm(np.linalg.eigvalsh(total), ord=q))
    assert np.mean(norms) / 3 == pytest.approx(value, abs=5.1e-11)
    result = empirical_complexity(six_matrices, p, 8, None)
    assert result == (pytest.approx(value, abs=5.1e-11), 0.0, True)
    model = SimpleNamespace(difference_matrices=lambda X: (six_matrices, p))
    assert empirical_rademacher(model, SIX_PERSONS) == result.value


# The bound, and the printed one where it fails


@pytest.mark.parametrize("p", EXPONENTS)
def test_simulation_stays_below_the_corrected_bound(random_data, p):
    A, widest = random_data
    simulated = empirical_complexity(A, p, 2000, np.random.default_rng(0))
    assert not simulated.exact
    frobenius = np.linalg.norm(A[:, 0], axis=(1, 2)).max()
    bound = rademacher_bound(p, 40, 6, frobenius)
    assert simulated.value + 4 * simulated.standard_error < bound
    assert bound <= rademacher_bound(p, 40, 6, widest)


def test_coins_break_the_printed_bound_and_not_the_corrected():
    """D fair binary features of orthogonal unit vectors: A = diag(2 B_d), X* = 2."""
    rng = np.random.default_rng(1)
    n, D = 200, 200
    replicates = []
    for _ in range(400):
        A = 2.0 * rng.integers(2, size=(n // 2, D, 1, 1))
        replicates.append(empirical_complexity(A, 1, 2, rng).value)
    simulated = np.mean(replicates)
    error = np.std(replicates, ddof=1) / math.sqrt(len(replicates))
    printed = rademacher_bound(1, n, D, 2, "printed")
    assert printed == pytest.approx(0.283, abs=5e-4)
    assert simulated == pytest.approx(0.352, abs=4 * math.hypot(error, 0.004))
    assert simulated - 4 * error > printed
    corrected = rademacher_bound(1, n, D, 2 * math.sqrt(D))
    assert simulated < corrected == pytest.approx(4)


@pytest.mark.parametrize("variant", ["printed", "corrected"])
@pytest.mark.parametrize("p", EXPONENTS)
def test_more_rows_tighten_both(p, variant):
    sizes = [2, 3, 10, 100, 10_000]
    complexity = [rademacher_bound(p, n, 8, 2, variant) for n in sizes]
    risk = [generalization_bound(p, n, 8, 2, 1, 0.05, variant) for n in sizes]
    assert complexity == sorted(complexity, reverse=True)
    assert risk == sorted(risk, reverse=True)


def test_only_the_corrected_is_continuous_at_two():
    def jump(variant):
        below, at = (rademacher_bound(p, 1000, 60, 2, variant) for p in (1.99, 2))
        return below / at

    assert jump("printed") == pytest.approx(7.67, abs=5e-3)
    assert jump("corrected") == 1
    above, at = (rademacher_bound(p, 1000, 60, 2) for p in (2 + 1e-9, 2))
    assert above == pytest.approx(at, rel=1e-8)


# Empirical complexity


@pytest.mark.parametrize("p", EXPONENTS)
def test_exact_and_drawn_agree(random_data, p):
    A = random_data[0][:10]
    exact = empirical_complexity(A, p, 1024, None)
    drawn = empirical_complexity(A, p, 1023, 3)
    assert (exact.exact, drawn.exact) == (True, False)
    assert abs(exact.value - drawn.value) < 4 * drawn.standard_error


@pytest.mark.parametrize("p", EXPONENTS)
def test_blocks_are_one_block_diagonal_matrix(p):
    rng = np.random.default_rng(2)
    halves = rng.normal(size=(5, 2, 3, 3))
    halves = halves @ halves.swapaxes(2, 3)
    whole = np.zeros((5, 1, 6, 6))
    whole[:, 0, :3, :3] = halves[:, 0]
    whole[:, 0, 3:, 3:] = halves[:, 1]
    one, two = (empirical_complexity(A, p, 32).value for A in (whole, halves))
    assert one == pytest.approx(two)


@pytest.mark.parametrize("n_draws", [100, 1 << 20])
def test_chunks_change_nothing(random_data, n_draws, monkeypatch):
    A = random_data[0][:8]
    whole = empirical_complexity(A, 1.5, n_draws, 7)
    monkeypatch.setattr(theory, "_CHUNK", 300)
    assert empirical_complexity(A, 1.5, n_draws, 7) == pytest.approx(whole)


def test_drawing_holds_little_at_once():
    A = np.ones((64, 4, 10, 10))
    tracemalloc.start()
    empirical_complexity(A, 2, 20_000, 0)  # 64 MB of sums in all
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 40e6


def test_exponents_near_one_stay_finite(six_matrices):
    near, at = (empirical_complexity(six_matrices, p, 8).value for p in (1 + 1e-9, 1))
    assert near == pytest.approx(at)
    assert empirical_complexity(0 * six_matrices, 1.5, 8).value == 0


def test_a_seed_gives_the_same_value(random_data):
    model = SimpleNamespace(difference_matrices=lambda X: (random_data[0], 2))
    first, again, other = (empirical_rademacher(model, None, 50, s) for s in (0, 0, 1))
    assert first == again != other


# Diameter


def test_diameter_is_the_widest_pair_of_each_feature():
    rng = np.random.default_rng(4)
    tables = [rng.dirichlet(np.ones(3), size=s) for s in (1, 2, 30, 200)]
    slow = 0.0
    for table in tables:
        slow += max(((a - b) ** 2).sum() for a in table for b in table)
    assert diameter(tables) == pytest.approx(slow)
    assert 0 <= slow <= 2 * len(tables)


def test_diameter_in_small_chunks(monkeypatch):
    table = np.random.default_rng(6).normal(size=(300, 4))
    whole = diameter([table])
    monkeypatch.setattr(theory, "_CHUNK", 700)
    assert diameter([table]) == pytest.approx(whole)


def test_diameter_of_a_feature_of_very_many_values():
    table = np.random.default_rng(8).dirichlet(np.ones(3), size=30_000)
    tracemalloc.start()
    widest = diameter([table])
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert 1.9 < widest < 2
    assert peak < 60e6  # all pairs would take 7 GB


# What is said


def test_a_bound_above_one_says_that_it_says_nothing():
    bound = bound_terms(*FIGURES[0][0])
    assert not bound.informative
    assert "says nothing" in str(bound)
    assert "3,445 rows" in str(bound)
    assert not bound_terms(1, 3444, *FIGURES[0][0][2:]).informative
    assert bound_terms(1, 3445, *FIGURES[0][0][2:]).informative


def test_a_bound_below_one_is_one_plain_sentence():
    bound = bound_terms(1, 100_000, *FIGURES[0][0][2:])
    assert bound.informative
    assert str(bound) == (
        "With probability 0.95 the expected pair loss exceeds that on the 100,000 rows"
        " by at most 0.1856."
    )
    assert not Bound(1.0, 10, 0.5, {}).informative


def test_examples_of_the_docstrings():
    failed, tried = doctest.testmod(theory)
    assert failed == 0 < tried


# Refusals

GOOD = dict(p=2, n_samples=100, n_features=8, diameter=2, strength=1, delta=0.05)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("p", 0.99),
        ("p", math.nan),
        ("n_samples", 1),
        ("n_samples", math.inf),
        ("n_features", 0),
        ("diameter", -0.1),
        ("diameter", math.inf),
        ("strength", 0),
        ("strength", -1.0),
        ("strength", "auto"),
        ("delta", 0),
        ("delta", 1),
        ("variant", "fixed"),
        ("penalty", "trace"),
    ],
)
def test_a_bad_argument_is_named_with_its_value(name, value):
    with pytest.raises(ValueError, match=rf"^{name} must be .*; got {value!r}\.$"):
        generalization_bound(**{**GOOD, name: value})


@pytest.mark.parametrize(
    ("name", "value"), [("p", 0), ("n_samples", 1), ("diameter", -1), ("variant", "")]
)
def test_theorem_one_refuses_too(name, value):
    good = {k: GOOD[k] for k in ("p", "n_samples", "n_features", "diameter")}
    with pytest.raises(ValueError, match=f"^{name} must be"):
        rademacher_bound(**{**good, name: value})


def test_ball_radius_refuses_a_margin_of_zero():
    with pytest.raises(ValueError, match=r"margin must be .* above 0; got 0"):
        ball_radius(1, 2, "norm", margin=0)


@pytest.mark.parametrize("shape", [(3, 2, 2), (0, 1, 2, 2), (3, 1, 2, 4)])
def test_complexity_refuses_a_wrong_shape(shape):
    with pytest.raises(ValueError, match=r"\(m, B, W, W\)"):
        empirical_complexity(np.zeros(shape), 2, 10)


@pytest.mark.parametrize(("p", "n_draws"), [(0.5, 10), (2, 1)])
def test_complexity_refuses_bad_numbers(p, n_draws):
    with pytest.raises(ValueError, match="must be a number, at least"):
        empirical_complexity(np.ones((3, 1, 2, 2)), p, n_draws)


@pytest.mark.parametrize("table", [[[math.nan, 1.0]], np.zeros((0, 3))])
def test_diameter_refuses_what_is_no_table(table):
    with pytest.raises(ValueError, match=r"tables\[1\] must hold finite numbers"):
        diameter([[[0.5, 0.5]], table])


def test_a_model_without_difference_matrices_is_refused():
    with pytest.raises(TypeError, match=r"fitted CPML.*got object"):
        empirical_rademacher(object(), None)
