"""The paper's synthetic data: multinomial features with a favoured value a class."""

import math
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from nearkind.datasets.dataset import Dataset, ObjectArray
from nearkind.protocols import Array

if TYPE_CHECKING:
    from sklearn.utils import Bunch

READINGS = ("raw", "normalised")
"""What the weight is added to: uniforms, or probabilities."""


def make_synthetic(
    n_samples: int = 1000,
    n_features: int = 10,
    n_classes: int = 4,
    weight: float = 0.3,
    n_noisy: int = 0,
    random_state: object = None,
    *,
    n_values: int = 5,
    reading: str = "raw",
    distinct: bool = False,
    as_frame: bool = True,
) -> "Bunch":
    """Draw categorical rows whose features favour one value in each class.

    For feature d draw u_d uniform on [0, 1]^s. In class c a random component f(c, d) is
    raised by ``weight``, and the value is drawn with probability

        P(x_d = v | c) = (u_dv + weight [v = f(c, d)]) / (sum_v u_dv + weight).

    Noisy features have no component raised, so they tell nothing of the class.

    The paper does not say whether the weight is added to the uniforms or to
    probabilities, nor whether classes share favoured values: ``reading`` and
    ``distinct`` choose.

    Features are drawn one after another, informative ones first: more noisy features,
    or another weight, leave the rest of the draw as it was.

    Parameters
    ----------
    n_samples : int, default=1000
        Rows; classes are as equal in size as they can be.
    n_features : int, default=10
        Informative features, named feature0, feature1, ...
    n_classes : int, default=4
        Classes, named c0, c1, ...
    weight : float, default=0.3
        What the favoured value gains; 0 makes every feature noise.
    n_noisy : int, default=0
        Further features that ignore the class, named noise0, noise1, ...
    random_state : None, int, numpy Generator or RandomState, default=None
        The same seed gives the same data.
    n_values : int, default=5
        Values a feature (s), named v0, v1, ...
    reading : {"raw", "normalised"}, default="raw"
        "raw" adds the weight to u_d, as above; "normalised" divides u_d by its sum
        first, which makes the same weight worth more: sum_v u_dv is about s / 2.
    distinct : bool, default=False
        False: each class draws its favoured value alone, so that two may have the same.
        True: no value is favoured by a second class before all are by one.
    as_frame : bool, default=True
        True: pandas DataFrame and Series, or where there is no pandas a list of
        dicts and an object array; False: object arrays.

    Returns
    -------
    Bunch
        X (n_samples, D), y, name, source, feature_names, ``informative`` (D,) bool, and
        ``probabilities`` (D, n_classes, n_values), the law the values were drawn by;
        D = n_features + n_noisy.

    Examples
    --------
    >>> data = make_synthetic(6, 2, 2, n_noisy=1, random_state=0, as_frame=False)
    >>> data.feature_names
    ['feature0', 'feature1', 'noise0']
    >>> data.X.shape
    (6, 3)
    """
    _check_count("n_features", n_features, 1)
    _check_count("n_classes", n_classes, 2)
    _check_count("n_noisy", n_noisy, 0)
    _check_count("n_values", n_values, 2)
    _check_count("n_samples", n_samples, n_classes, " (n_classes: one row per class)")
    if not isinstance(weight, Real) or not math.isfinite(weight) or weight < 0:
        raise ValueError(f"weight must be a finite number >= 0, got {weight!r}.")
    if reading not in READINGS:
        raise ValueError(
            f"reading must be {' or '.join(map(repr, READINGS))}, got {reading!r}."
        )
    if not isinstance(distinct, bool | np.bool_):
        raise ValueError(f"distinct must be True or False, got {distinct!r}.")
    rng = _generator(random_state)
    classes = rng.permutation(np.arange(n_samples) % n_classes)
    boosts = [float(weight)] * n_features + [0.0] * n_noisy
    shape = n_classes, n_values
    draws = [_draw(rng, classes, shape, boost, reading, distinct) for boost in boosts]
    names = [f"feature{d}" for d in range(n_features)]
    names += [f"noise{d}" for d in range(n_noisy)]
    codes = np.stack([codes for codes, _ in draws], axis=1)  # (n, D)
    X, y = _named("v", n_values)[codes], _named("c", n_classes)[classes]
    return Dataset(names, "class", X, y).bunch(
        as_frame=as_frame,
        name="synthetic",
        source="drawn by the multinomial generator of the CPML paper",
        informative=np.arange(len(names)) < n_features,
        probabilities=np.stack([law for _, law in draws]),
    )


def _draw(
    rng: np.random.Generator,
    classes: NDArray[np.intp],
    shape: tuple[int, int],
    boost: float,
    reading: str,
    distinct: bool,
) -> tuple[NDArray[np.intp], Array]:
    """Return one feature's codes (n,) and its law (n_classes, n_values)."""
    n_classes, n_values = shape
    uniforms = rng.random(n_values)
    if reading == "normalised":
        uniforms /= uniforms.sum()
    law = np.tile(uniforms, (n_classes, 1))
    favoured = _favoured_values(rng, n_classes, n_values, distinct)
    law[np.arange(n_classes), favoured] += boost
    law /= law.sum(axis=1, keepdims=True)
    # The last sum is left out: were it rounded below 1, a code could be n_values.
    bounds = law.cumsum(axis=1)[:, :-1]
    position = rng.random(len(classes))
    return (position[:, None] >= bounds[classes]).sum(axis=1), law  # O(n s)


def _favoured_values(
    rng: np.random.Generator, n_classes: int, n_values: int, distinct: bool
) -> NDArray[np.int64]:
    """Return the value that each class favours (n_classes,)."""
    if not distinct:
        return rng.integers(n_values, size=n_classes)
    rounds = -(-n_classes // n_values)
    drawn = [rng.permutation(n_values) for _ in range(rounds)]
    return np.concatenate(drawn)[:n_classes]


def _named(letter: str, count: int) -> ObjectArray:
    """Return the names letter0, letter1, ..."""
    return np.array([f"{letter}{i}" for i in range(count)], dtype=object)


def _generator(random_state: Any) -> np.random.Generator:
    """Return a generator for any form of seed that scikit-learn or numpy takes."""
    if isinstance(random_state, np.random.RandomState):
        random_state = random_state.randint(2**31 - 1)
    try:
        return np.random.default_rng(random_state)
    except (TypeError, ValueError) as error:
        raise ValueError(
            "random_state must be None, a non-negative integer, a numpy Generator or "
            f"a RandomState, got {random_state!r}."
        ) from error


def _check_count(name: str, value: Any, least: int, why: str = "") -> None:
    """Raise ``ValueError`` if a value is not an integer of at least ``least``."""
    whole = isinstance(value, Integral) and not isinstance(value, bool)
    if not whole or value < least:
        raise ValueError(f"{name} must be an integer >= {least}{why}, got {value!r}.")
