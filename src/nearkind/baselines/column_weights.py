"""Weights that users give to columns."""

from collections.abc import Mapping
from numbers import Real
from typing import Any

import numpy as np

from nearkind.encoding.codebook import Codebook
from nearkind.errors import did_you_mean
from nearkind.protocols import Array
from nearkind.validation.parameters import wrong


def column_weights(model: Any, book: Codebook) -> Array:
    """Return the weight of each column (D,) by a dict; that of others is 1.

    Parameters
    ----------
    model : estimator
        Whose parameter ``weights`` is a dict of column to number, or None.
    book : Codebook
        Fitted.
    """
    given, names = model.weights, book.names_
    if given is None:
        return np.ones(len(names))
    if not isinstance(given, Mapping):
        wanted = 'None or a dict of columns and their weights, such as {"size": 2.0}'
        raise wrong(model, "weights", wanted)
    for name, weight in given.items():
        if name not in names:
            hint = did_you_mean(name, names)
            raise ValueError(f"weights names {name!r}, which is no column. {hint}")
        is_number = isinstance(weight, Real) and not isinstance(weight, bool | np.bool_)
        if not is_number or not 0.0 <= float(weight) < np.inf:
            raise ValueError(
                f"The weight of column {name!r} must be a finite number >= 0; got "
                f"{weight!r}."
            )
    found = np.array([float(given.get(name, 1.0)) for name in names])
    if not found.any():
        raise ValueError(
            "The weights of all columns are zero, so that all rows would be equal. "
            "Give some column a weight above zero."
        )
    return found
