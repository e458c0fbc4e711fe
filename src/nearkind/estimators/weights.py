"""Checks of weights of rows and of classes."""

import warnings
from math import inf
from numbers import Real
from typing import Any

import numpy as np

from nearkind.encoding.rows import CodedRows
from nearkind.errors import SmallWeightWarning
from nearkind.protocols import Array, LabelArray
from nearkind.validation.parameters import wrong

LARGEST_SIZE = 100
"""Power of two that the largest weight has at most; and minus that at least."""
LEAST_SHARE = 1e-250
"""Share of the largest below which sums of weights and factors of classes are this."""


def check_weights(sample_weight: object, n_rows: int) -> Array:
    """Return one finite weight >= 0 a row; a weight counts repetitions of its row."""
    if sample_weight is None:
        return np.ones(n_rows)
    try:
        weights = np.asarray(sample_weight, dtype=float)
    except (ValueError, TypeError, OverflowError) as error:
        raise ValueError(
            f"sample_weight must be finite numbers >= 0, one per row; got "
            f"{sample_weight!r:.60}: {error}."
        ) from None
    if weights.ndim == 0:
        weights = np.full(n_rows, float(weights))
    if weights.shape != (n_rows,):
        raise ValueError(
            f"sample_weight must be 1D with one weight per row: wanted shape "
            f"({n_rows},), got {weights.shape}."
        )
    bad = np.flatnonzero(~(np.isfinite(weights) & (weights >= 0.0)))
    if len(bad):
        raise ValueError(
            f"sample_weight must be finite and >= 0; got {weights[bad[0]]} in row "
            f"{bad[0]}."
        )
    if not weights.any():
        raise ValueError("sample_weight is zero for every row; give some row a weight.")
    return _within_range(weights)


def _within_range(weights: Array) -> Array:
    """Return the weights, scaled by a power of two where the largest is extreme.

    Sums of products of three weights then neither overflow nor vanish. A weight counts
    repetitions of a row, but among weights so large or so small only ratios matter.
    """
    size = int(np.frexp(weights.max())[1])
    excess = size - min(max(size, -LARGEST_SIZE), LARGEST_SIZE)
    return np.ldexp(weights, -excess) if excess else weights


def class_factors(
    class_weight: object, classes: LabelArray, totals: Array, owner: str
) -> Array:
    """Return the factor of the weights of each class's rows (C,).

    Parameters
    ----------
    class_weight : "balanced" or dict
        The same weight in sum for each class, or a factor for some labels.
    classes : ndarray (C,)
        Labels.
    totals : ndarray (C,)
        Sum of the weights of each class's rows; their sum stays as it is.
    owner : str
        Who to name in messages.

    Examples
    --------
    >>> class_factors("balanced", np.array(["a", "b"]), np.array([3.0, 1.0]), "CPML")
    array([0.66666667, 2.        ])
    """
    totals = np.maximum(totals, max(LEAST_SHARE * totals.max(), 1e-300))
    factors = 1.0 / totals
    if isinstance(class_weight, dict):
        labels = classes.tolist()
        unknown = [label for label in class_weight if label not in labels]
        if unknown:
            raise ValueError(
                f"The 'class_weight' parameter of {owner} names {unknown[0]!r}, which "
                f"is no class of y. Classes are {', '.join(map(repr, labels[:8]))}"
                f"{' and more' if len(labels) > 8 else ''}."
            )
        factors = np.array([float(class_weight.get(label, 1.0)) for label in labels])
    factors = np.maximum(factors / factors.max(), LEAST_SHARE)
    return factors * (totals.sum() / (factors @ totals))


def check_class_weight(model: Any) -> None:
    """Refuse a class_weight that is neither None, "balanced" nor a dict of numbers."""
    given = model.class_weight
    if isinstance(given, dict):
        for label, weight in given.items():
            is_number = isinstance(weight, Real) and not isinstance(weight, bool)
            if not is_number or not 0.0 < weight < inf:
                raise ValueError(
                    f"The 'class_weight' parameter of {type(model).__name__} must have "
                    f"finite numbers > 0; got {weight!r} for {label!r}. To do without "
                    "a class, leave its rows out."
                )
    elif given is not None and not (isinstance(given, str) and given == "balanced"):
        raise wrong(model, "class_weight", "None, 'balanced' or a dict of numbers > 0")


def warn_of_small_weights(rows: CodedRows, k: int) -> None:
    """Warn if the weights of all rows are less than the number of neighbours, k."""
    total = float(rows.weights.sum())
    if total < k <= len(rows):
        warnings.warn(
            f"The sample weights add up to less than n_neighbors={k}, so all rows "
            "vote on every prediction. A weight counts repetitions of its row; "
            "scale the weights up, so that their mean is 1 for example.",
            SmallWeightWarning,
            stacklevel=4,
        )
