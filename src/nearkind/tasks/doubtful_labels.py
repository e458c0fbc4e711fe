"""Labels that contradict those of neighbouring rows, by cross-validation."""

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nearkind.encoding.rows import row_keys
from nearkind.protocols import Array
from nearkind.search.classifier_cv import CPMLClassifierCV
from nearkind.search.folds import Fold, deal_by_class, limit_training
from nearkind.tasks.audited_rows import AuditedRows
from nearkind.tasks.nearest_rows import NearestRows
from nearkind.validation.parameters import generator

MOST_TAUGHT = 6_000
"""Rows that the distances are learned from and that vote; others are only judged."""
N_FOLDS = 5
SURE = 0.8
"""How sure the neighbours must be."""
ENOUGH = 0.9
"""Probability of another class that is enough, whatever is usual for its rows."""


@dataclass(frozen=True)
class DoubtfulLabel:
    """A row whose neighbours have another label.

    Attributes
    ----------
    row : int
        Row number.
    label, suggested : object
        Label of the row, and the label that its neighbours suggest.
    sure : float
        Probability of the suggested label, of these two.
    probability : float
        Probability of the label of the row, among all, predicted from other rows.
    neighbors : list of int
        The nearest rows that have the suggested label.
    """

    row: int
    label: object
    suggested: object
    sure: float
    probability: float
    neighbors: list[int]

    def in_words(self) -> tuple[str, str]:
        """Return what this is about, and what is odd about it."""
        near = ", ".join(map(str, self.neighbors))
        return (
            f"row {self.row}",
            f"has {self.label!r}, its neighbours {self.suggested!r} ({self.sure:.0%} "
            f"sure), such as rows {near}",
        )


@dataclass(frozen=True)
class Judgement:
    """What the other rows say of the label of each row.

    Attributes
    ----------
    model : CPMLClassifierCV
        Learned from the rows ``taught``.
    proba : ndarray (n, C)
        Probabilities of the classes of each row, by models that have not seen it.
    taught : ndarray of int (m,)
        The rows that taught and voted, rising.
    folds : list of (ndarray of int, ndarray of int)
        Of these, the rows to learn from and the rows judged.
    """

    model: CPMLClassifierCV
    proba: Array
    taught: NDArray[np.intp]
    folds: list[tuple[NDArray[np.intp], NDArray[np.intp]]]


def judge(
    rows: AuditedRows, metric: object = None, random_state: object = 0, verbose: int = 0
) -> Judgement:
    """Let the other rows of a table vote on the label of each.

    Distances are chosen and learned on folds of at most 6,000 rows, and each of these
    rows is judged while it is held out; further rows are judged by what is learned
    from all of these. A row equal to another may vote on it. Equal rows of one label
    are judged alike, by the mean of what is said of them, so that nothing depends on
    the order of the rows.

    Parameters
    ----------
    rows : AuditedRows
        All have a label, and each class has two rows or more.
    metric : distance or str, default=None
        Learned anew without the held-out rows; None: the best of those that
        CPMLClassifierCV tries.
    random_state : int, RandomState or None, default=0
    verbose : int, default=0
        1 shows what is fitted.
    """
    table, y = rows.table, rows.y
    keys = row_keys(np.column_stack([y, table.codes]))
    order = np.argsort(keys, kind="stable")  # the same whatever order rows came in
    rng = generator(0 if random_state is None else random_state)
    nobody = np.empty(0, dtype=np.intp)
    some = limit_training(Fold(order, nobody), y, rng, MOST_TAUGHT).train
    taught = order[np.isin(order, some)]
    n_folds = min(N_FOLDS, len(taught))
    most = n_folds * len(taught)  # all are held
    dealt = deal_by_class(y[taught], n_folds, rng, most)
    folds = [(fold.train, fold.held) for fold in dealt]
    model = CPMLClassifierCV(
        candidates=None if metric is None else [metric],
        scoring="log_loss",
        cv=folds,
        random_state=random_state,
        verbose=verbose,
    )
    with warnings.catch_warnings(action="ignore"):  # of new values and the like
        model.fit(table.take(taught), y[taught])
        if len(model.held_rows_) < len(taught):
            raise KeyboardInterrupt  # which a search takes for its own end
        proba = np.empty((len(y), len(model.classes_)))
        proba[taught[model.held_rows_]] = model.held_proba_
        others = np.setdiff1d(np.arange(len(y)), taught)
        if len(others):
            proba[others] = model.predict_proba(table.take(others))
    _, alike = np.unique(keys, return_inverse=True)
    sums = np.array([np.bincount(alike, column) for column in proba.T])  # (C, m)
    means = (sums / np.bincount(alike)).T[alike]
    in_table = [(taught[train], taught[held]) for train, held in folds]
    return Judgement(model, means, np.sort(taught), in_table)


def contradicted(proba: Array, y: NDArray[np.intp]) -> tuple[Any, Any, Any]:
    """Return the rows whose label the others contradict, the surest first.

    A row is called doubtful if another class is at least as probable for it as that
    class is, on average, for the rows that have its label, as in confident learning
    (Northcutt, Jiang and Chuang, *Confident learning: estimating uncertainty in dataset
    labels*, Journal of Artificial Intelligence Research 70, 2021), or has nine tenths
    of the probability; and if, of that class and its own, the other has four fifths or
    more.

    Parameters
    ----------
    proba : ndarray (n, C)
        Probabilities of the classes of each row, by others.
    y : ndarray of int (n,)
        Class numbers.

    Returns
    -------
    rows : ndarray of int (m,)
    suggested : ndarray of int (n,)
        The most probable other class of each row, doubtful or not.
    sure : ndarray (n,)
        Its probability if it is that or its own.

    Examples
    --------
    >>> proba = np.array([[0.9, 0.1], [0.8, 0.2], [0.05, 0.95], [0.1, 0.9]])
    >>> contradicted(proba, np.array([0, 0, 0, 1]))[0]
    array([2])
    """
    n_rows, n_classes = proba.shape
    each = np.arange(n_rows)
    own = proba[each, y]
    typical = np.bincount(y, own, n_classes) / np.maximum(np.bincount(y), 1)
    others = proba.copy()
    others[each, y] = -1.0
    suggested = others.argmax(axis=1)
    best = others[each, suggested]
    sure = best / np.maximum(best + own, 1e-300)
    doubtful = np.flatnonzero(
        (best >= np.minimum(typical, ENOUGH)[suggested]) & (sure >= SURE)
    )
    return doubtful[np.lexsort((doubtful, -sure[doubtful]))], suggested, sure


def doubtful_labels(
    rows: AuditedRows, judgement: Judgement, n_neighbors: int = 5
) -> list[DoubtfulLabel]:
    """Return the doubtful labels of a table, the surest first.

    Parameters
    ----------
    rows : AuditedRows
        Those that were judged.
    judgement : Judgement
    n_neighbors : int, default=5
        Rows of the suggested label to name.
    """
    table, y, labels, numbers = rows.table, rows.y, rows.classes.tolist(), rows.numbers
    doubtful, suggested, sure = contradicted(judgement.proba, y)
    distance, taught = judgement.model.distance_, judgement.taught
    near: dict[int, list[int]] = {}
    with warnings.catch_warnings(action="ignore"):
        for label in np.unique(suggested[doubtful]):
            mine = doubtful[suggested[doubtful] == label]
            known = taught[y[taught] == label]
            search = NearestRows(distance, n_neighbors=min(n_neighbors, len(known)))
            search.fit(table.take(known))
            places = search.kneighbors(table.take(mine), return_distance=False)
            near |= zip(mine.tolist(), numbers[known[places]].tolist(), strict=True)
    return [
        DoubtfulLabel(
            int(numbers[row]),
            labels[y[row]],
            labels[suggested[row]],
            float(sure[row]),
            float(judgement.proba[row, y[row]]),
            near[row],
        )
        for row in doubtful.tolist()
    ]
