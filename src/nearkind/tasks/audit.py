"""Possible errors in a labelled table."""

from collections.abc import Iterator
from dataclasses import asdict, dataclass, field, fields, replace
from typing import Any

import numpy as np

from nearkind.protocols import TableLike
from nearkind.tables import frame
from nearkind.tables.html import html_outline
from nearkind.tasks.audited_rows import AuditedRows
from nearkind.tasks.doubtful_labels import (
    MOST_TAUGHT,
    DoubtfulLabel,
    doubtful_labels,
    judge,
)
from nearkind.tasks.doubtful_numbers import DoubtfulNumber, judge_numbers
from nearkind.tasks.duplicates import (
    MOST_COMPARED,
    Contradiction,
    NearRows,
    contradictions,
    near_rows,
)
from nearkind.tasks.fitted_distance import unfitted_distance
from nearkind.tasks.odd_columns import OddColumn, odd_columns
from nearkind.tasks.synonyms import MOST_VALUES, Synonym, synonyms
from nearkind.validation.parameters import check_choice, check_whole, generator

MOST_SHOWN = 3
"""Findings of a kind that the summary shows."""
MOST_IN_HTML = 10
"""Findings of a kind that a notebook shows."""
RECORDS: dict[str, type] = {
    "doubtful_labels": DoubtfulLabel,
    "doubtful_numbers": DoubtfulNumber,
    "contradictions": Contradiction,
    "odd_columns": OddColumn,
    "synonyms": Synonym,
    "near_rows": NearRows,
}


@dataclass(frozen=True, repr=False)
class Audit:
    """The findings of ``nearkind.audit``; the repr is a summary.

    Attributes
    ----------
    n_rows, n_columns, n_classes : int
        Size of the table, and number of classes; 0 for a numeric target.
    doubtful_labels : list of DoubtfulLabel
        Rows whose label contradicts their neighbours, the most certain first.
    doubtful_numbers : list of DoubtfulNumber
        Rows whose number is far from the prediction by other rows, the farthest first.
    contradictions : list of Contradiction
        Equal rows with different labels, those with most errors first.
    ceiling : float
        Maximum accuracy of any model on the labelled rows, given the contradictions.
    odd_columns : list of OddColumn
        Columns that are constant, identify rows, or leak the label.
    synonyms : list of Synonym
        Values of a column that may mean the same.
    near_rows : list of NearRows
        The pairs of different rows that differ in fewest columns.
    n_repeated : int
        Number of rows that equal an earlier row.
    unlabelled : list of int
        Rows without a label.
    notes : list of str
        What was left out or sampled, with the reason.
    """

    n_rows: int
    n_columns: int
    n_classes: int
    doubtful_labels: list[DoubtfulLabel]
    contradictions: list[Contradiction]
    ceiling: float
    odd_columns: list[OddColumn]
    synonyms: list[Synonym]
    near_rows: list[NearRows]
    n_repeated: int
    unlabelled: list[int]
    notes: list[str]
    library: str | None = field(default=None)
    doubtful_numbers: list[DoubtfulNumber] = field(default_factory=list)

    def frame(self, part: str) -> Any:
        """Return the findings of one kind as a data frame, one row per finding.

        Parameters
        ----------
        part : {"doubtful_labels", "doubtful_numbers", "contradictions", \
"odd_columns", "synonyms", "near_rows"}

        Returns
        -------
        data frame
            Of the library of the table, else of pandas (a dict of lists where there
            is none). Lists are text if the library has no list columns.
        """
        check_choice(part, RECORDS, "part must be one of")
        found = getattr(self, part)
        columns = {
            each.name: [getattr(record, each.name) for record in found]
            for each in fields(RECORDS[part])
        }
        return frame(columns, library=self.library)

    def to_dict(self) -> dict[str, Any]:
        """Return all findings as dicts and lists, for JSON.

        Labels and values are those of the table.
        """
        found = asdict(self)
        del found["library"]
        return found

    def __repr__(self) -> str:
        head = (
            f"Audit of {self.n_rows:,} rows, {self.n_columns} columns, "
            f"{self.target_text}"
        )
        return "\n".join([head, *self.lines(MOST_SHOWN)])

    @property
    def target_text(self) -> str:
        """What the target is."""
        return f"{self.n_classes} classes" if self.n_classes else "a number"

    def _repr_html_(self) -> str:
        """Return the summary as HTML, with more findings."""
        head, *_ = repr(self).split("\n")
        return html_outline([head, *self.lines(MOST_IN_HTML)])

    def lines(self, most: int) -> Iterator[str]:
        """Yield the findings in words, those of a kind below a line that counts them.

        Parameters
        ----------
        most : int
            Findings of a kind to show.
        """
        of_labels = {
            "doubtful_labels": "",
            "contradictions": f"; maximum accuracy {self.ceiling:.1%}",
        }
        for part, after in {
            **(of_labels if self.n_classes else {"doubtful_numbers": ""}),
            "odd_columns": "",
            "synonyms": "",
            "near_rows": f"; {self.n_repeated:,} rows repeat another",
        }.items():
            found = getattr(self, part)
            yield f"{part.replace('_', ' ')}: {len(found):,}{after}"
            yield from ("    " + " ".join(each.in_words()) for each in found[:most])
            if len(found) > most:
                yield f"    and {len(found) - most:,} more"
        yield from (f"note: {note}" for note in self.notes)


def audit(
    X: TableLike,
    y: object,
    metric: object = None,
    *,
    n_neighbors: int = 5,
    n_pairs: int = 10,
    row_numbers: object = None,
    task: str = "auto",
    random_state: object = None,
    verbose: int = 0,
) -> Audit:
    """Return possible errors in a labelled table.

    These are labels that contradict those of the neighbouring rows, equal rows with
    different labels, columns that are constant, identifiers or leak the label, values
    that may be synonyms, and near-duplicate rows. Identifiers are used only in the
    check of columns.

    Parameters
    ----------
    X : table of any kind
    y : array-like (n,)
        One label or number per row, None or NaN where there is none.
    metric : distance or str, default=None
        Distance for the check of labels, as in :class:`nearkind.CPMLClassifier`; it is
        refitted without the rows that are checked. None: the best candidate of
        :class:`nearkind.CPMLClassifierCV`.
    n_neighbors : int, default=5
        Number of neighbours to list for each doubtful label.
    n_pairs : int, default=10
        Maximum number of pairs of near rows.
    row_numbers : array-like of int (n,), default=None
        Row numbers to report; None: 0, 1, 2 and so on.
    task : {"auto", "class", "number"}, default="auto"
        Whether y contains labels or numbers; "auto" means numbers if they are not all
        whole.
    random_state : int, RandomState or None, default=None
        Seed of folds, and of samples of large tables; None means 0.
    verbose : int, default=0
        1 shows progress.

    Returns
    -------
    Audit

    Examples
    --------
    >>> import nearkind as nk
    >>> data = nk.datasets.load("monks1", as_frame=False)
    >>> y = data.y.copy()
    >>> y[7] = "1" if y[7] == "0" else "0"
    >>> found = audit(data.X, y)
    >>> [(each.row, each.suggested == data.y[7]) for each in found.doubtful_labels]
    [(7, True)]
    """
    check_whole(n_neighbors, "n_neighbors", "audit")
    check_whole(n_pairs, "n_pairs", "audit")
    if metric is not None:
        metric = unfitted_distance(metric, "audit")
    if task not in ("auto", "class", "number"):
        raise ValueError(f"task must be 'auto', 'class' or 'number'; got {task!r}.")
    truth, notes = None, []
    if task == "number" or (task == "auto" and _is_measured(y)):
        rows, truth = AuditedRows.of_numbers(X, y, row_numbers)
    else:
        rows = AuditedRows.of(X, y, row_numbers)
    rng = generator(0 if random_state is None else random_state)
    odd = odd_columns(rows)
    names = [each.column for each in odd if each.what == "identifier"]
    useful = rows.without(names)
    if useful is not rows:
        notes.append(f"Left out as identifiers: {', '.join(map(repr, names))}.")
    judged, doubtful, distance, far = None, [], None, []
    equal, ceiling = ([], 1.0) if truth is not None else contradictions(useful)
    if truth is not None:
        said = judge_numbers(useful, truth, metric, n_neighbors, random_state, verbose)
        distance, far = said.model.distance_, said.doubtful
        if said.n_judged < np.isfinite(truth).sum():
            notes.append(f"Numbers of {said.n_judged:,} rows were checked.")
    elif (judged := _rows_to_judge(useful, odd, notes)) is not None:
        judgement = judge(judged, metric, random_state, verbose)
        doubtful = doubtful_labels(judged, judgement, n_neighbors)
        voter = judgement.model.committee_.explaining
        distance = voter.distance if voter.report.is_learned else None
    told = useful if truth is None else useful.with_values(truth)
    near, n_different = near_rows(told, n_pairs, rng)
    notes += _drawn(judged, useful, n_different)
    return Audit(
        n_rows=len(rows),
        n_columns=len(rows.table.names),
        n_classes=rows.n_classes,
        doubtful_labels=doubtful,
        contradictions=equal,
        ceiling=ceiling,
        odd_columns=odd,
        synonyms=synonyms(useful, distance),
        near_rows=near,
        n_repeated=len(rows) - n_different,
        unlabelled=told.numbers[told.y < 0].tolist(),
        notes=notes,
        library=rows.table.library,
        doubtful_numbers=far,
    )


def _is_measured(y: object) -> bool:
    """Return whether y holds numbers that are not all whole."""
    y = None if y is None else np.asarray(y)
    if y is None or y.dtype.kind != "f" or y.ndim != 1:
        return False
    known = y[np.isfinite(y)]
    return bool((known != np.floor(known)).any())


def _rows_to_judge(
    rows: AuditedRows, odd: list[OddColumn], notes: list[str]
) -> AuditedRows | None:
    """Return the rows whose labels can be judged, or None; note what cannot be."""
    constant = {each.column for each in odd if each.what == "constant"}
    named = {each.column for each in odd if each.what == "identifier"}
    if set(rows.table.names) <= constant | named:
        notes.append("No label was checked: every column is constant or an identifier.")
        return None
    labelled = rows.labelled
    counts = np.bincount(labelled.y, minlength=rows.n_classes)
    alone = rows.classes[counts == 1].tolist()
    if alone:
        more = " and more" if len(alone) > MOST_SHOWN else ""
        listed = ", ".join(map(repr, alone[:MOST_SHOWN]))
        notes.append(
            f"The labels of classes with one row were not checked: {listed}{more}."
        )
    if (counts > 1).sum() < 2:
        notes.append(
            "No label was checked: this requires two classes with two rows each."
        )
        return None
    judged = labelled.take(np.flatnonzero(counts[labelled.y] > 1))
    present, y = np.unique(judged.y, return_inverse=True)
    return replace(judged.without(constant), classes=rows.classes[present], y=y)


def _drawn(
    judged: AuditedRows | None, rows: AuditedRows, n_different: int
) -> Iterator[str]:
    """Yield what was not looked at in whole."""
    if judged is not None and len(judged) > MOST_TAUGHT:
        yield (
            f"Distances were learned from a sample of {MOST_TAUGHT:,} of "
            f"{len(judged):,} rows; all labels were checked with them."
        )
    if n_different > MOST_COMPARED:
        yield (
            f"Near rows were searched in a sample of {MOST_COMPARED:,} of "
            f"{n_different:,} distinct rows."
        )
    for name, column in zip(rows.table.names, rows.table.columns, strict=True):
        if column.numeric is None and len(column.values) > MOST_VALUES:
            yield f"Only the {MOST_VALUES:,} most frequent values of {name!r} were "
            "compared."
