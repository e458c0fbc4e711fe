"""Values of a column that may mean the same, by spelling or by the model."""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import chdtrc

from nearkind.distances import FittedDistance, ValueVectors
from nearkind.metrics import metric
from nearkind.protocols import Array
from nearkind.tasks.audited_rows import AuditedRows

MOST_VALUES = 2_000
"""The most frequent values of a column that are compared."""
SHORT, LONG = 5, 60
"""Letters of texts in which one wrong letter is a typing error."""
RARE = 0.1
"""Rows with a typing error, at most, as a share of those without."""
DIFFERENT = 0.01
"""Two values whose classes differ with a smaller p-value are no typing errors."""
NEAR = 0.02
"""Squared distance of two values that are one to a model, as a share of the mean."""
MATTERS = 0.25
"""Spread of the values of a column that a model looks at, as a share of the mean."""
ALIKE = 0.1
"""Largest difference of the shares of classes, known to be no more, of such values."""

REASONS = {
    "spelling": "spelled alike",
    "typo": "one letter apart",
    "model": "the model hardly distinguishes them",
}
"""Why two values may be one, in words."""


@dataclass(frozen=True)
class Synonym:
    """A value of a column that may mean the same as a more frequent one.

    Attributes
    ----------
    column : object
        Name of the column.
    value, like : object
        The rarer value, and the more frequent one.
    n_rows, n_like : int
        Number of rows with each value.
    reason : {"spelling", "typo", "model"}
        They differ only in capitals, blanks, hyphens, full stops or accents; they
        differ in one letter, and one is rare; or a learned distance hardly
        distinguishes them, and there are enough rows to conclude that their class
        distributions are similar.
    """

    column: object
    value: object
    like: object
    n_rows: int
    n_like: int
    reason: str

    def in_words(self) -> tuple[str, str]:
        """Return what this is about, and what is odd about it."""
        value = f"{self.value!r} ({self.n_rows:,})"
        like = f"{self.like!r} ({self.n_like:,})"
        return (
            f"values of {self.column!r}:",
            f"{value} may mean {like}: {REASONS[self.reason]}",
        )


def synonyms(
    rows: AuditedRows, distance: FittedDistance | None = None
) -> list[Synonym]:
    """Return the synonyms in a table, column by column, the most frequent value first.

    Parameters
    ----------
    rows : AuditedRows
    distance : FittedDistance, default=None
        A learned one over columns of these names; only vectors of values are looked at.

    Examples
    --------
    >>> rows = AuditedRows.of([["left"], ["Left "], ["right"], ["left"]], [0, 0, 1, 0])
    >>> [(each.value, each.like, each.reason) for each in synonyms(rows)]
    [('Left ', 'left', 'spelling')]
    """
    found = []
    for d, name in enumerate(rows.table.names):
        values = ColumnValues.of(rows, d)
        reasons = {"spelling": values.spelled_alike(), "typo": values.typing_errors()}
        if distance is not None:
            reasons["model"] = values.one_to(distance, name)
        pairs: dict[int, tuple[int, str]] = {}
        for reason, likes in reasons.items():
            for place, like in likes:
                pairs.setdefault(place, (like, reason))
        for place, (like, reason) in sorted(pairs.items()):
            both = values.values[place], values.values[like]
            n_rows, n_like = values.n_rows[[place, like]].tolist()
            found.append(Synonym(name, *both, n_rows, n_like, reason))
    return found


@dataclass(frozen=True)
class ColumnValues:
    """The most frequent values of a column, the most frequent first.

    Attributes
    ----------
    values : list
        None for a missing one.
    n_rows : ndarray of int (s,)
        Rows that have each.
    histograms : ndarray (s, C)
        Labelled rows of each class that have it.
    """

    values: list[Any]
    n_rows: NDArray[np.intp]
    histograms: Array

    @classmethod
    def of(cls, rows: AuditedRows, d: int) -> "ColumnValues":
        """Count the values of a column, and their classes."""
        codes, column = rows.table.codes[:, d], rows.table.columns[d]
        y, n_classes = rows.y, max(rows.n_classes, 1)
        used, value, counts = np.unique(codes, return_inverse=True, return_counts=True)
        order = np.argsort(-counts, kind="stable")[:MOST_VALUES]
        place = np.full(len(used), -1)
        place[order] = np.arange(len(order))
        at = place[value]
        counted = (at >= 0) & (y >= 0)
        size = len(order) * n_classes
        totals = np.bincount(at[counted] * n_classes + y[counted], minlength=size)
        histograms: Array = totals.reshape(-1, n_classes).astype(float)
        cells = column.cells()  # the last is missing
        values = [cells[code] for code in used[order]]
        return cls(values, counts[order], histograms)

    def spelled_alike(self) -> Iterator[tuple[int, int]]:
        """Yield the places of values that are spelled as a more frequent one."""
        first: dict[str, int] = {}
        for place, value in enumerate(self.values):
            if value is not None and (reading := spelled(str(value))):
                like = first.setdefault(reading, place)
                if like < place:
                    yield place, like

    def typing_errors(self) -> Iterator[tuple[int, int]]:
        """Yield the places of rare texts that are one letter off a common one."""
        sharing: dict[str, list[int]] = {}
        for place, value in enumerate(self.values):
            if isinstance(value, str) and SHORT <= len(value) <= LONG:
                likes = {
                    like
                    for key in one_left_out(value)
                    for like in sharing.get(key, ())
                    if self.n_rows[place] <= RARE * self.n_rows[like]
                    and is_one_letter_off(self.values[like], value)
                    and p_value_of_equality(*self.histograms[[like, place]])
                    >= DIFFERENT
                }
                if likes:
                    yield place, min(likes)
                for key in one_left_out(value):
                    sharing.setdefault(key, []).append(place)

    def one_to(
        self, distance: FittedDistance, name: object
    ) -> Iterator[tuple[int, int]]:
        """Yield the places of values that a learned distance hardly tells apart."""
        book = distance.codebook
        if not isinstance(distance, ValueVectors) or name not in book.names_:
            return
        d = book.place_of(name)
        code = {value: at for at, value in enumerate(book.values(d))}
        places = [i for i, value in enumerate(self.values) if value in code]
        vectors = distance.tables.vectors
        spreads = [float(table[:-1].var(axis=0).sum()) for table in vectors]
        is_told = spreads[d] >= MATTERS * float(np.mean(spreads))
        if len(places) < 2 or book.positions[d] is not None or not is_told:
            return
        table = vectors[d][[code[self.values[i]] for i in places]]
        d2 = metric.pairwise_distances(table)  # (m, m)
        n = self.n_rows[places].astype(float)
        mean = float(n @ d2 @ n / n.sum() ** 2)
        is_near, histograms = d2 <= NEAR * mean, self.histograms[places]
        for i in range(1, len(places)):
            likes = [
                j
                for j in range(i)
                if is_near[i, j] and largest_difference(*histograms[[i, j]]) <= ALIKE
            ]
            if likes:
                yield places[i], places[min(likes, key=lambda j: d2[i, j])]


def spelled(text: str) -> str:
    """Return a text without capitals, accents, full stops and kinds of blanks.

    Examples
    --------
    >>> spelled(" Self-Employed"), spelled("self  employed"), spelled("Café")
    ('self employed', 'self employed', 'cafe')
    >>> spelled("N.Y."), spelled("St. Louis"), spelled("1.5")
    ('ny', 'st louis', '1.5')
    """
    letters = unicodedata.normalize("NFKD", text.casefold())
    plain = "".join(x for x in letters if not unicodedata.combining(x))
    plain = re.sub(r"(?<=[^\W\d_])\.(?!\d)", "", plain)
    return re.sub(r"(?<=[^\W_])[\s_-]+(?=[^\W_])", " ", plain).strip()


def one_left_out(text: str) -> set[str]:
    """Return the text, and all texts with one letter less.

    Two texts that are one letter off share one of these.

    Examples
    --------
    >>> sorted(one_left_out("abc"))
    ['ab', 'abc', 'ac', 'bc']
    """
    return {text, *(text[:i] + text[i + 1 :] for i in range(len(text)))}


def is_one_letter_off(a: str, b: str) -> bool:
    """Return whether one letter is wrong, too much, or two are exchanged; no digit.

    Examples
    --------
    >>> is_one_letter_off("married", "maried"), is_one_letter_off("grade1", "grade2")
    (True, False)
    """
    start = next(
        (i for i, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), None
    )
    if start is None:
        start = min(len(a), len(b))
    a, b = a[start:], b[start:]
    while a and b and a[-1] == b[-1]:
        a, b = a[:-1], b[:-1]
    is_one = max(len(a), len(b)) == 1 or (len(a) == 2 and a == b[::-1])
    return is_one and not any(x.isdigit() for x in a + b)


def p_value_of_equality(a: Array, b: Array) -> float:
    """Return the p-value of Pearson's test that two histograms are of one law.

    Parameters
    ----------
    a, b : ndarray (C,)
        Counts.

    Examples
    --------
    >>> round(p_value_of_equality(np.array([10.0, 0.0]), np.array([0.0, 10.0])), 6)
    8e-06
    """
    total = a + b
    used = total > 0.0
    n_a, n_b = a.sum(), b.sum()
    if used.sum() < 2 or n_a == 0.0 or n_b == 0.0:
        return 1.0
    # The sum over both rows of (count - expected)^2 / expected.
    steps = (a - total * n_a / (n_a + n_b))[used]
    statistic = (steps**2 / total[used]).sum() * (n_a + n_b) ** 2 / (n_a * n_b)
    return float(chdtrc(used.sum() - 1, statistic))


def largest_difference(a: Array, b: Array) -> float:
    """Return how far two histograms may be apart, at most, but for bad luck.

    It is half the sum of the differences of shares, and for each histogram as much
    again as one of so many rows is off on average, at most.

    Parameters
    ----------
    a, b : ndarray (C,)
        Counts.

    Examples
    --------
    >>> largest_difference(np.array([50.0, 50.0]), np.array([50.0, 50.0]))
    0.1
    """
    n_a, n_b = a.sum(), b.sum()
    if n_a == 0.0 or n_b == 0.0:
        return 1.0
    n_used = int((a + b > 0.0).sum())
    apart = float(np.abs(a / n_a - b / n_b).sum()) / 2.0
    off = [np.sqrt((n_used - 1) / n) / 2.0 for n in (n_a, n_b)]
    return apart + float(sum(off))
