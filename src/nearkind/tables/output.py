"""Tables that users get back."""

from collections.abc import Mapping
from typing import Any


def frame(columns: Mapping[str, Any], index: Any = None) -> Any:
    """Return columns as a data frame if pandas is there, else as they are.

    Parameters
    ----------
    columns : dict of str to array
        The columns, all of one length.
    index : sequence, optional
        Row labels; without pandas they are left out.

    Returns
    -------
    pandas.DataFrame or dict
        The frame; without pandas, a dict of the same columns.

    Examples
    --------
    >>> list(frame({"feature": ["a", "b"], "share": [0.75, 0.25]}))
    ['feature', 'share']
    """
    try:
        import pandas as pd
    except ImportError:
        return dict(columns)
    return pd.DataFrame(columns, index=index)
