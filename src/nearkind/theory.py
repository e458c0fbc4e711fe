"""Bounds on the loss of a learned metric on new rows: the paper's two theorems.

Symbols: A = (phi(x) - phi(x'))(phi(x) - phi(x'))'; X* and X_F, the suprema of its dual
and Frobenius norms; B, the radius of a ball that holds M. The bounds are for the pair
loss with a learned threshold and a projection fixed before the n rows were seen: count
class histograms on other rows.
"""

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from numbers import Real
from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np

from nearkind.protocols import Array

_CHUNK = 2**20  # numbers held at once: 8 MB
_EXPONENTS: dict[str, Callable[[float], float]] = {
    "corrected": lambda p: max(0.0, 0.5 - 1 / p),
    "printed": lambda p: (0.5 if p >= 2 else 1.0) - 1 / p,
}
_ROOTS: dict[str, Callable[[float], float]] = {
    "squared": lambda p: 0.5,
    "norm": lambda p: 1.0,
    "power": lambda p: 1 / p,
}
_WANTED: dict[str, tuple[str, Callable[[Any], bool]]] = {
    "p": ("at least 1, or inf", lambda v: v >= 1),
    "n_samples": ("at least 2", lambda v: 2 <= v < math.inf),
    "n_features": ("at least 1", lambda v: 1 <= v < math.inf),
    "diameter": ("finite and not negative", lambda v: 0 <= v < math.inf),
    "strength": ("finite and above 0", lambda v: 0 < v < math.inf),
    "margin": ("finite and above 0", lambda v: 0 < v < math.inf),
    "delta": ("above 0 and below 1", lambda v: 0 < v < 1),
    "n_draws": ("at least 2", lambda v: 2 <= v < math.inf),
}


def _check(**given: Any) -> None:
    """Raise where a number is outside its range."""
    for name, value in given.items():
        wanted, holds = _WANTED[name]
        if not isinstance(value, Real) or not holds(value):
            raise ValueError(f"{name} must be a number, {wanted}; got {value!r}.")


def _rule(
    name: str, key: str, rules: dict[str, Callable[[float], float]]
) -> Callable[[float], float]:
    """Return the rule called ``key``; raise with the list of rules if there is none."""
    if key not in rules:
        raise ValueError(f"{name} must be one of {sorted(rules)}; got {key!r}.")
    return rules[key]


@dataclass(frozen=True)
class Bound:
    """What the loss on new rows can add to that on n, with probability 1 - delta.

    ``value`` is the sum of ``terms``; printing it gives one sentence.
    """

    value: float
    n_samples: int
    delta: float
    terms: dict[str, float]

    def __float__(self) -> float:
        return self.value

    @property
    def informative(self) -> bool:
        """Whether the bound is below 1, the hinge loss of the metric M = 0."""
        return self.value < 1

    def __str__(self) -> str:
        said = (
            f"With probability {1 - self.delta:.6g} the expected pair loss exceeds that"
            f" on the {self.n_samples:,} rows by at most {self.value:.4g}"
        )
        if self.informative:
            return said + "."
        needed = np.ceil(self.n_samples * self.value * self.value)  # it is c / sqrt(n)
        return (
            f"{said}; not being below 1, the loss of the metric M = 0, it says nothing,"
            f" and about {needed:,.12g} rows would be needed for it to drop below 1."
        )


@runtime_checkable
class HasDifferences(Protocol):
    """A model that can be bounded: a fitted CPML."""

    def difference_matrices(self, X: Any) -> tuple[Array, float]:
        """Return A (m, B, W, W) of pairs of rows, and the exponent p."""


class Complexity(NamedTuple):
    """An empirical complexity; ``standard_error`` is 0 where it is ``exact``."""

    value: float
    standard_error: float
    exact: bool


def rademacher_bound(
    p: float,
    n_samples: int,
    n_features: int,
    diameter: float,
    variant: str = "corrected",
) -> float:
    """Bound the Rademacher complexity of metrics of Schatten p-norm at most 1.

    Theorem 1: 2 X* / sqrt(n) times D^(1/2 - 1/p) for p >= 2, D^(1 - 1/p) for p < 2.
    Corrected: 2 X_F / sqrt(n) times D^max(0, 1/2 - 1/p).

    Parameters
    ----------
    p : float
        Schatten exponent, 1 to inf.
    n_samples : int
        Number of rows n.
    n_features : int
        D, the order of M; D times C for one matrix per class.
    diameter : float
        X*, or X_F if corrected; ``diameter(tables)`` is above both.
    variant : {"corrected", "printed"}, default="corrected"
        The printed bound can be false for p < 2.

    Returns
    -------
    float

    Examples
    --------
    >>> round(rademacher_bound(p=2, n_samples=1000, n_features=8, diameter=2), 6)
    0.126491
    """
    _check(p=p, n_samples=n_samples, n_features=n_features, diameter=diameter)
    exponent = _rule("variant", variant, _EXPONENTS)(float(p))
    factor: float = float(n_features) ** exponent
    return factor * 2 * float(diameter) / math.sqrt(n_samples)


def ball_radius(strength: float, p: float, penalty: str, margin: float = 1.0) -> float:
    """Return the radius B of a ball, in the Schatten p-norm, that holds the optimum.

    No worse than M = 0, it has strength r(M) <= margin, so B is margin / strength to
    the power 1/2 for r = ||M||^2 ("squared", Theorem 2), 1 for ||M|| ("norm"), 1/p for
    Tr M^p ("power"; for p = inf the limit, B = 1).

    Examples
    --------
    >>> ball_radius(strength=0.25, p=2, penalty="norm")
    4.0
    """
    _check(strength=strength, p=p, margin=margin)
    root = _rule("penalty", penalty, _ROOTS)(float(p))
    radius: float = (float(margin) / float(strength)) ** root
    return radius


def bound_terms(
    p: float,
    n_samples: int,
    n_features: int,
    diameter: float,
    strength: float,
    delta: float,
    variant: str = "corrected",
    *,
    penalty: str = "squared",
) -> Bound:
    """Return the bound of ``generalization_bound``, same inputs, by its three terms.

    Examples
    --------
    >>> bound = bound_terms(3, 10_000, 16, 4, strength=0.25, delta=0.01)
    >>> {name: round(term, 3) for name, term in bound.terms.items()}
    {'complexity': 1.016, 'sampling': 0.76, 'confidence': 0.546}
    """
    _check(delta=delta)
    R = rademacher_bound(p, n_samples, n_features, diameter, variant)
    B = ball_radius(strength, p, penalty)
    reach, root = float(diameter) * B, math.sqrt(n_samples)
    terms = {
        "complexity": 4 * B * R,
        "sampling": 4 * (3 + 2 * reach) / root,
        "confidence": 2 * (1 + reach) * math.sqrt(2 * math.log(1 / delta)) / root,
    }
    return Bound(sum(terms.values()), int(n_samples), float(delta), terms)


def generalization_bound(
    p: float,
    n_samples: int,
    n_features: int,
    diameter: float,
    strength: float,
    delta: float,
    variant: str = "corrected",
    *,
    penalty: str = "squared",
) -> float:
    """Bound what the pair loss on new rows adds to the loss on the rows learned from.

    Theorem 2, with R of ``rademacher_bound`` and B of ``ball_radius``:
    4 B R + 4 (3 + 2 X* B) / sqrt(n) + 2 (1 + X* B) sqrt(2 ln(1 / delta) / n).

    Parameters
    ----------
    p, n_samples, n_features, diameter : as in ``rademacher_bound``
    strength : float
        Lambda, the weight of the penalty.
    delta : float
        Probability that the bound fails.
    variant : {"corrected", "printed"}, default="corrected"
        As in ``rademacher_bound``.
    penalty : {"squared", "norm", "power"}, default="squared"
        What lambda multiplies, as for ``ball_radius``.

    Returns
    -------
    float
        A bound of 1 or more is useless: the metric M = 0 has the loss 1.

    Examples
    --------
    >>> round(generalization_bound(2, 100_000, 8, 2, strength=1, delta=0.05), 6)
    0.185583
    """
    given = (p, n_samples, n_features, diameter, strength, delta, variant)
    return float(bound_terms(*given, penalty=penalty))


def _signs(
    m: int, n_draws: int, size: int, rng: np.random.Generator
) -> Iterator[Array]:
    """Yield chunks (``size``, m) of random signs; of all patterns, if no more exist."""
    exact = 2**m <= n_draws
    # A pattern and its opposite give the same norm, so half of all will do.
    total = 2 ** (m - 1) if exact else n_draws
    for start in range(0, total, size):
        stop = min(start + size, total)
        if exact:
            bits = (np.arange(start, stop)[:, None] >> np.arange(m)) & 1
        else:
            bits = rng.integers(2, size=(stop - start, m))
        yield np.asarray(2.0 * bits - 1.0, dtype=float)


def _dual_norms(S: Array, p: float) -> Array:
    """Return the dual Schatten norm of each stack of blocks in S (s, B, W, W)."""
    q = math.inf if p == 1 else 1 / (1 - 1 / p)
    spectrum = np.abs(np.linalg.eigvalsh(S)).reshape(len(S), -1)  # (s, B W)
    top = spectrum.max(axis=1)
    # Scaled, for with p near 1 the q-th powers would leave the range of floats.
    scaled = spectrum / np.where(top > 0, top, 1.0)[:, None]
    norms: Array = top * np.linalg.norm(scaled, ord=q, axis=1)
    return norms


def empirical_complexity(A: Any, p: float, n_draws: int, rng: Any = None) -> Complexity:
    """Return (1/m) E || sum_i sigma_i A_i ||_q over random signs, 1/p + 1/q = 1.

    What Theorem 1 bounds, on given rows. The norm is that of the joint spectrum of all
    blocks.

    Parameters
    ----------
    A : array-like of shape (m, B, W, W)
        Differences of m pairs of rows, B symmetric blocks each.
    p : float
        Schatten exponent of the metric, 1 to inf.
    n_draws : int
        Sign patterns to draw; if there are no more in all, each is taken once.
    rng : int or Generator, default=None
        For ``numpy.random.default_rng``.

    Returns
    -------
    Complexity

    Examples
    --------
    >>> empirical_complexity(np.ones((2, 1, 1, 1)), p=1, n_draws=4)
    Complexity(value=0.5, standard_error=0.0, exact=True)
    """
    _check(p=p, n_draws=n_draws)
    A = np.asarray(A, dtype=float)
    if A.ndim != 4 or A.shape[2] != A.shape[3] or not A.size:
        raise ValueError(f"A must have a shape (m, B, W, W), none 0; got {A.shape}.")
    m, flat = len(A), A.reshape(len(A), -1)
    size = max(1, _CHUNK // sum(flat.shape))
    signs = _signs(m, int(n_draws), size, np.random.default_rng(rng))
    sums = ((s @ flat).reshape(-1, *A.shape[1:]) for s in signs)
    norms = np.concatenate([_dual_norms(S, float(p)) for S in sums]) / m
    exact = 2**m <= n_draws
    error = 0.0 if exact else norms.std(ddof=1) / math.sqrt(len(norms))
    return Complexity(float(norms.mean()), float(error), exact)


def empirical_rademacher(
    model: Any, X: Any, n_draws: int = 1000, random_state: Any = None
) -> float:
    """Return the empirical Rademacher complexity of a fitted CPML's metrics on X.

    As ``empirical_complexity``, of the pairs of rows (i, floor(n/2) + i).

    Parameters
    ----------
    model : HasDifferences
        Its ``difference_matrices(X)`` gives the stack A of these pairs, and p.
    X : table
        Rows, as the model takes them.
    n_draws : int, default=1000
        As in ``empirical_complexity``.
    random_state : int or Generator, default=None
        For ``numpy.random.default_rng``.

    Returns
    -------
    float

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> A = np.ones((2, 1, 1, 1))
    >>> model = SimpleNamespace(difference_matrices=lambda X: (A, 1))
    >>> empirical_rademacher(model, X=None)
    0.5
    """
    if not isinstance(model, HasDifferences):
        raise TypeError(
            "model must be a fitted CPML, or have its method difference_matrices(X);"
            f" got {type(model).__name__}. From matrices, use empirical_complexity."
        )
    A, p = model.difference_matrices(X)
    return empirical_complexity(A, p, n_draws, random_state).value


def _widest(rows: Array) -> float:
    """Return the largest squared distance between two rows."""
    rows = np.unique(rows, axis=0)
    rows = rows - rows.mean(axis=0)
    radius = np.linalg.norm(rows, axis=1)
    order = np.argsort(-radius)
    rows, radius = rows[order], radius[order]
    start, widest = 0, 0.0
    while start < len(rows):
        # By the triangle inequality only rows this far out can make a wider pair.
        far = int(np.searchsorted(-radius, radius[start] - math.sqrt(widest)))
        if far <= start:
            break
        end = start + max(1, _CHUNK // (far - start))
        cross = rows[start:end] @ rows[start:far].T
        d2 = radius[start:end, None] ** 2 + radius[start:far] ** 2 - 2 * cross
        start, widest = end, max(widest, float(d2.max()))
    return widest


def diameter(tables: Iterable[Any]) -> float:
    """Return the largest Tr A over all rows that the values of the features can form.

    The sum over features of the largest squared distance between two values: it is at
    least X* and X_F, since || A ||_q <= Tr A.

    Parameters
    ----------
    tables : iterable of array-like of shape (s_d, C)
        The class histograms of the values of each feature.

    Returns
    -------
    float

    Examples
    --------
    >>> diameter([[[1, 0], [0, 1]], [[0.5, 0.5]]])
    2.0
    """
    total = 0.0
    for d, table in enumerate(tables):
        rows = np.asarray(table, dtype=float)
        if not rows.size or not np.isfinite(rows).all():
            raise ValueError(f"tables[{d}] must hold finite numbers; got {rows}.")
        total += _widest(rows.reshape(len(rows), -1))
    return total
