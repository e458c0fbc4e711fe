"""What the built-in sets are, and the form in which every set is handed out."""

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from sklearn.utils import Bunch

ObjectArray = NDArray[np.object_]


class Entry(NamedTuple):
    """Size of a set, and one line on what it is."""

    n_samples: int
    n_features: int
    n_classes: int
    about: str


CATALOGUE = {
    "adult": Entry(48842, 14, 2, "UCI Adult, training rows then test rows"),
    "audiology": Entry(226, 69, 24, "UCI Audiology (standardized)"),
    "balance": Entry(625, 4, 3, "UCI Balance Scale, computed from its rule"),
    "car": Entry(1728, 6, 4, "UCI Car Evaluation"),
    "census": Entry(299285, 41, 2, "UCI Census-Income (KDD)"),
    "connect4": Entry(67557, 42, 3, "UCI Connect-4, positions after eight moves"),
    "credit_risk": Entry(6, 3, 3, "the six persons of the CPML paper"),
    "dna_nominal": Entry(3186, 60, 3, "StatLog DNA, decoded to letters"),
    "dna_promoter": Entry(106, 57, 2, "UCI Promoter Gene Sequences"),
    "housevotes": Entry(232, 16, 2, "UCI Congressional Voting, complete rows only"),
    "krkopt": Entry(28056, 6, 18, "UCI Chess, king and rook against king"),
    "krvskp": Entry(3196, 36, 2, "UCI Chess, king and rook against king and pawn"),
    "led24": Entry(3200, 24, 10, "UCI LED Display with 17 irrelevant bits"),
    "lymphography": Entry(148, 18, 4, "UCI Lymphography"),
    "monks1": Entry(432, 6, 2, "UCI Monk's problem 1, computed from its rule"),
    "monks2": Entry(432, 6, 2, "UCI Monk's problem 2, computed from its rule"),
    "monks3": Entry(432, 6, 2, "UCI Monk's problem 3, computed from its rule"),
    "mushroom": Entry(8124, 22, 2, "UCI Mushroom"),
    "nursery": Entry(12960, 8, 5, "UCI Nursery"),
    "soybean_large": Entry(307, 35, 19, "UCI Soybean (Large), training file"),
    "spect": Entry(267, 22, 2, "UCI SPECT Heart, training rows then test rows"),
    "splice": Entry(3190, 60, 3, "UCI Splice-junction Gene Sequences"),
    "tic_tac_toe": Entry(958, 9, 2, "UCI Tic-Tac-Toe Endgame, computed from its rule"),
    "voting": Entry(435, 16, 2, "UCI Congressional Voting Records, 1984"),
    "zoo": Entry(101, 16, 7, "UCI Zoo, without the animal's name"),
}
"""The sets that nearkind knows by name; sizes are counted, not quoted."""


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
