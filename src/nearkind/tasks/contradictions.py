"""Equal rows that have different labels, and how right a model can be at most."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from nearkind.encoding.rows import row_keys
from nearkind.tasks.labelled_rows import LabelledRows


@dataclass(frozen=True)
class Contradiction:
    """Rows that are equal in every column and differ in their label.

    Attributes
    ----------
    rows : list of int
        Their numbers, rising.
    labels : list
        The label of each.
    n_wrong : int
        Rows that every answer to them gets wrong, whatever it is.
    """

    rows: list[int]
    labels: list[Any]
    n_wrong: int


def contradictions(rows: LabelledRows) -> tuple[list[Contradiction], float]:
    """Return the contradictions among labelled rows, and the largest accuracy.

    Parameters
    ----------
    rows : LabelledRows
        At least one of them has a label.

    Returns
    -------
    found : list of Contradiction
        Those of most wrong rows first, then by their first row.
    ceiling : float
        Share of the labelled rows that a function of their columns can get right at
        most.

    Examples
    --------
    >>> rows = LabelledRows.of([["a"], ["b"], ["a"], ["a"]], ["no", "no", "yes", "no"])
    >>> contradictions(rows)
    ([Contradiction(rows=[0, 2, 3], labels=['no', 'yes', 'no'], n_wrong=1)], 0.75)
    """
    rows = rows.labelled
    y, numbers, classes = rows.y, rows.numbers, rows.classes
    _, group = np.unique(row_keys(rows.table.codes), return_inverse=True)
    pairs, counts = np.unique(group * len(classes) + y, return_counts=True)
    of_pair = pairs // len(classes)
    sizes = np.bincount(group)
    most = np.zeros(len(sizes), dtype=np.intp)  # rows of the commonest label
    np.maximum.at(most, of_pair, counts)
    found = []
    order = np.lexsort((numbers, group))
    starts = np.cumsum(sizes) - sizes
    for g in np.flatnonzero(most < sizes):
        mine = order[starts[g] : starts[g] + sizes[g]]
        labels = classes[y[mine]].tolist()
        n_wrong = int(sizes[g] - most[g])
        found.append(Contradiction(numbers[mine].tolist(), labels, n_wrong))
    found.sort(key=lambda each: (-each.n_wrong, each.rows[0]))
    return found, float(most.sum() / len(y))
