"""Goodall's similarity in four variants: matches of rare values say more, or less."""

from abc import abstractmethod

import numpy as np

from nearkind.baselines.frequencies import Frequencies
from nearkind.baselines.frequency_measures import MeanMeasure, matches
from nearkind.protocols import Array


class _Goodall(MeanMeasure):
    """S = mean over features of a number of the value on a match, 0 on a mismatch."""

    zero_on_equal_rows = False

    def _table(self, feature: Frequencies) -> Array:
        return matches(self._on_match(feature), 0.0, len(feature.f))

    @abstractmethod
    def _on_match(self, feature: Frequencies) -> Array:
        """Return the similarity of each value to itself (s + 1,)."""


class Goodall1(_Goodall):
    """S = mean of 1 - sum of p2(q) over values q no more frequent than x, on a match.

    A mismatch adds 0; d = 1 - S, above 0 for equal rows. p2(q) = f (f - 1) /
    (N (N - 1)) is the chance that two rows both have q. Goodall, *A new similarity
    index based on probability*, Biometrics 1966, in the variants of Boriah, Chandola
    and Kumar 2008.

    Parameters
    ----------
    unseen, missing, numeric : as in :class:`nearkind.CPML`

    Examples
    --------
    >>> goodall = Goodall1().fit([["a"], ["a"], ["b"], ["b"]])
    >>> goodall.similarities([["a"]], [["a"], ["b"]]).round(4)
    array([[0.6667, 0.    ]])
    """

    def _on_match(self, feature: Frequencies) -> Array:
        rank = feature.rank
        return 1.0 - (rank[:-1] <= rank[:, None]) @ feature.p2[:-1]


class Goodall2(_Goodall):
    """S = mean of 1 - sum of p2(q) over values q no less frequent than x, on a match.

    All else as in :class:`Goodall1`; here matches of frequent values say more.

    Parameters
    ----------
    unseen, missing, numeric : as in :class:`nearkind.CPML`

    Examples
    --------
    >>> goodall = Goodall2().fit([["a"], ["a"], ["b"], ["b"]])
    >>> goodall.similarities([["a"]], [["a"], ["b"]]).round(4)
    array([[0.6667, 0.    ]])
    """

    def _on_match(self, feature: Frequencies) -> Array:
        rank = feature.rank
        return 1.0 - (rank[:-1] >= rank[:, None]) @ feature.p2[:-1]


class Goodall3(_Goodall):
    """S = mean of 1 - p2(x) on a match; all else as in :class:`Goodall1`.

    Parameters
    ----------
    unseen, missing, numeric : as in :class:`nearkind.CPML`

    Examples
    --------
    >>> goodall = Goodall3().fit([["a"], ["a"], ["b"], ["b"]])
    >>> goodall.similarities([["a"]], [["a"], ["b"]]).round(4)
    array([[0.8333, 0.    ]])
    """

    def _on_match(self, feature: Frequencies) -> Array:
        return 1.0 - feature.p2


class Goodall4(_Goodall):
    """S = mean of p2(x) on a match; all else as in :class:`Goodall1`.

    Parameters
    ----------
    unseen, missing, numeric : as in :class:`nearkind.CPML`

    Examples
    --------
    >>> goodall = Goodall4().fit([["a"], ["a"], ["b"], ["b"]])
    >>> goodall.similarities([["a"]], [["a"], ["b"]]).round(4)
    array([[0.1667, 0.    ]])
    """

    def _on_match(self, feature: Frequencies) -> Array:
        return np.array(feature.p2)
