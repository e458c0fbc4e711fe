"""Classes as a legend can list them, and a sample that keeps their shares."""

from collections import Counter
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nearkind.plot import canvas
from nearkind.plot.taking import labels_of
from nearkind.plot.wording import counted, written


@dataclass(frozen=True)
class Groups:
    """Rows by class, the largest class first, small ones together as the last.

    Attributes
    ----------
    of_row : (n,), number of the group of each row
    names : what the legend says of each; none, if the rows have no labels
    colours : of each
    """

    of_row: NDArray[np.intp]
    names: list[str]
    colours: list[str]

    @classmethod
    def of(cls, y: Any, n_rows: int) -> "Groups":
        """Return the groups of labels, or one group if there are none.

        Examples
        --------
        >>> groups = Groups.of(["ham", "egg", "ham"], 3)
        >>> groups.names, groups.of_row.tolist()
        (['ham (2)', 'egg (1)'], [0, 1, 0])
        """
        if y is None:
            return cls(np.zeros(n_rows, dtype=np.intp), [], [canvas.MAIN])
        labels = labels_of(y, n_rows)
        counts = Counter(labels).most_common()
        counts.sort(key=lambda pair: (-pair[1], str(pair[0])))
        n_named = len(counts) if len(counts) <= len(canvas.COLOURS) else 7
        place = {label: min(k, n_named) for k, (label, _) in enumerate(counts)}
        of_row = np.array([place[label] for label in labels], dtype=np.intp)
        names = [f"{written(label, 22)} ({n:,})" for label, n in counts[:n_named]]
        colours = list(canvas.COLOURS[:n_named])
        if n_named < len(counts):
            n_rest = sum(n for _, n in counts[n_named:])
            names.append(f"{counted(len(counts) - n_named, 'other')} ({n_rest:,})")
            colours.append(canvas.REST)
        return cls(of_row, names, colours)


def stratified(groups: NDArray[np.intp], most: int) -> NDArray[np.intp]:
    """Return numbers of entries, at most so many, each group by its share.

    No group is left out; there must be fewer groups than ``most``.

    Examples
    --------
    >>> len(stratified(np.array([0] * 80 + [1] * 40 + [2]), 12))
    12
    """
    if len(groups) <= most:
        return np.arange(len(groups))
    shuffled = np.random.default_rng(0).permutation(len(groups))
    by_group = shuffled[np.argsort(groups[shuffled], kind="stable")]
    first = np.unique(groups[by_group], return_index=True)[1]  # one of each group
    others = np.delete(by_group, first)
    evenly = np.linspace(0, len(others), most - len(first), endpoint=False)
    return np.sort([*by_group[first], *others[evenly.astype(np.intp)]])
