"""The form in which every set is handed out: rows of strings and their labels."""

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from sklearn.utils import Bunch

ObjectArray = NDArray[np.object_]


class Table(NamedTuple):
    """Rows of strings and their labels; ``None`` is a missing value."""

    feature_names: list[str]
    target: str
    X: ObjectArray  # (n, D)
    y: ObjectArray  # (n,)

    def bunch(self, *, as_frame: bool, **facts: Any) -> "Bunch":
        """Return X, y, feature_names and ``facts`` as scikit-learn hands out data.

        Parameters
        ----------
        as_frame : bool
            True: pandas DataFrame and Series; False: object arrays.
        **facts
            Further entries, such as name and source.

        Returns
        -------
        Bunch

        Examples
        --------
        >>> import numpy as np
        >>> X, y = np.array([["red"]], dtype=object), np.array(["a"], dtype=object)
        >>> Table(["colour"], "class", X, y).bunch(as_frame=False, name="one").name
        'one'
        """
        from sklearn.utils import Bunch

        X, y = self._frame() if as_frame else (self.X, self.y)
        return Bunch(X=X, y=y, feature_names=self.feature_names, **facts)

    def _frame(self) -> tuple[Any, Any]:
        """Return X and y as pandas objects."""
        try:
            import pandas as pd
        except ImportError as error:
            raise ImportError(
                "as_frame=True returns pandas objects and pandas is not installed: "
                "run `pip install pandas`, or pass as_frame=False for numpy arrays."
            ) from error
        X = pd.DataFrame(self.X, columns=self.feature_names)
        return X, pd.Series(self.y, name=self.target)
