"""Contradictions are found, and no table of answers beats the ceiling."""

from collections import Counter, defaultdict

import numpy as np
import pytest

from nearkind.tasks.audited_rows import AuditedRows
from nearkind.tasks.duplicates import contradictions


def by_dictionary(cells, labels):
    """Return the same as contradictions, row by row."""
    groups = defaultdict(list)
    for row, (cell, label) in enumerate(zip(map(tuple, cells), labels, strict=True)):
        if label is not None:
            groups[cell].append((row, label))
    best = {cell: Counter(y for _, y in rows).most_common(1)[0][1]
            for cell, rows in groups.items()}  # fmt: skip
    wrong = {cell: len(rows) - best[cell] for cell, rows in groups.items()}
    found = sorted(
        (-wrong[cell], [row for row, _ in rows], [y for _, y in rows])
        for cell, rows in groups.items()
        if wrong[cell]
    )
    return found, sum(best.values()) / sum(map(len, groups.values()))


@pytest.mark.parametrize("seed", range(5))
def test_they_are_those_of_a_dictionary(seed):
    rng = np.random.default_rng(seed)
    cells = rng.integers(0, 3, (60, 2)).astype(str).tolist()
    labels = rng.choice(["a", "b", "c"], 60).tolist()
    labels[::7] = [None] * len(labels[::7])
    found, ceiling = contradictions(AuditedRows.of(cells, labels))
    wanted, largest = by_dictionary(cells, labels)
    assert [(-c.n_wrong, c.rows, c.labels) for c in found] == wanted
    assert ceiling == pytest.approx(largest)


def test_missing_cells_are_equal_and_numbers_are_not_cut_into_ranges():
    cells = [["a", None], ["a", None], ["a", 1.0], ["a", 1.001]]
    found, ceiling = contradictions(AuditedRows.of(cells, ["x", "y", "x", "y"]))
    assert [each.rows for each in found] == [[0, 1]]
    assert ceiling == 0.75
