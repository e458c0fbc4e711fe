"""A data set: rows of strings with labels."""

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from nearkind.io import Columns

if TYPE_CHECKING:
    from sklearn.utils import Bunch

ObjectArray = NDArray[np.object_]


class Dataset(NamedTuple):
    """Rows of strings and their labels; ``None`` is a missing value.

    Attributes
    ----------
    feature_names : list of str
    target : str
        Name of the column of labels.
    X : ndarray of shape (n, D)
    y : ndarray of shape (n,)
    """

    feature_names: list[str]
    target: str
    X: ObjectArray
    y: ObjectArray

    def columns(self) -> Columns:
        """Return all columns, the labels last.

        Examples
        --------
        >>> X, y = np.array([["red"]], dtype=object), np.array(["a"], dtype=object)
        >>> Dataset(["colour"], "class", X, y).columns()
        {'colour': ['red'], 'class': ['a']}
        """
        features = dict(zip(self.feature_names, self.X.T.tolist(), strict=True))
        return {**features, self.target: self.y.tolist()}

    def bunch(self, *, as_frame: bool, **facts: Any) -> "Bunch":
        """Return X, y, feature_names and ``facts`` as scikit-learn hands out data.

        Parameters
        ----------
        as_frame : bool
            True: pandas DataFrame and Series, or where there is no pandas a list of
            dicts and an object array; False: object arrays.
        **facts
            Further entries, such as name and source.

        Returns
        -------
        Bunch

        Examples
        --------
        >>> X, y = np.array([["red"]], dtype=object), np.array(["a"], dtype=object)
        >>> Dataset(["colour"], "class", X, y).bunch(as_frame=False, name="one").name
        'one'
        """
        from sklearn.utils import Bunch

        X, y = self._frame() if as_frame else (self.X, self.y)
        return Bunch(X=X, y=y, feature_names=self.feature_names, **facts)

    def _frame(self) -> tuple[Any, Any]:
        """Return X and y as pandas objects, or else X as dicts and y as an array."""
        try:
            import pandas as pd
        except ImportError:
            named = (zip(self.feature_names, row, strict=True) for row in self.X)
            return [dict(row) for row in named], self.y
        X = pd.DataFrame(self.X, columns=self.feature_names)
        return X, pd.Series(self.y, name=self.target)
