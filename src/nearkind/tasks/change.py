"""Counterfactuals: the fewest changes for which a model predicts another class."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from typing import Any

from sklearn.frozen import FrozenEstimator
from sklearn.utils.validation import check_is_fitted

from nearkind.distances.form import object_array
from nearkind.errors import require_known
from nearkind.estimators.neighbor_classifier import NeighborClassifier
from nearkind.neighbors import most_votes
from nearkind.protocols import Array
from nearkind.tables import frame, one_row, read_table
from nearkind.tables.selection import changed_row
from nearkind.tasks.alternatives import Alternatives, Numbers
from nearkind.tasks.change_search import ChangedVotes, ChangeSearch, FoundChange
from nearkind.validation.parameters import check_whole
from nearkind.voting import Committee
from nearkind.voting.explanation import aligned_lines, cell_texts

MOST_COMPARED = 400_000_000
"""Comparisons of a changed row with a training row, by default."""


@dataclass(frozen=True, repr=False)
class Change:
    """A counterfactual of a row, or the reason why there is none; prints as text.

    Attributes
    ----------
    found : bool
        Whether a counterfactual was found.
    row : as the row was given, or None
        The changed row, of the type of the given row; for a range of numbers, a number
        in the range.
    changes : DataFrame
        Columns column, from, to: the changed values. For a range of numbers, ``to`` is
        the range.
    before : object
        Predicted class of the unchanged row.
    predicted : object
        Predicted class of the changed row, or ``before`` if none was found.
    probability : float
        Probability of this class by ``predict_proba``.
    n_changes : int or None
        Number of changed columns.
    distance : float or None
        Distance between the two rows, by ``distance_`` of the model.
    proven : bool
        Whether it is proven that fewer changes do not suffice and that no equally few
        are nearer; or that no change suffices.
    at_least : int or None
        Proven minimum number of changes; None: no number suffices.
    reason : str
        Why it is proven or not.
    """

    found: bool
    row: Any
    before: Any
    predicted: Any
    probability: float
    changes: Any
    n_changes: int | None
    distance: float | None
    proven: bool
    at_least: int | None
    reason: str

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain Python values; the row is a part of what is known."""
        lines = zip(*(self.changes[name] for name in COLUMNS), strict=True)
        changes = [dict(zip(COLUMNS, line, strict=True)) for line in lines]
        told = {each.name: getattr(self, each.name) for each in fields(self)}
        del told["row"]
        return told | {"changes": changes}

    def __repr__(self) -> str:
        if not self.found:
            return f"No change found: class {self.before!r} stays.\n{self.reason}"
        shown = [cell_texts(self.changes[name], ".15g") for name in COLUMNS]
        is_one = self.n_changes == 1
        return "\n".join(
            [
                f"Class {self.predicted!r} ({self.probability:.1%}) instead of "
                f"{self.before!r} by {self.n_changes} change{'' if is_one else 's'}, "
                f"at distance {self.distance:.4g}"
                if self.n_changes
                else f"Class {self.predicted!r} ({self.probability:.1%})",
                *(aligned_lines(COLUMNS, shown) if self.n_changes else []),
                self.reason,
            ]
        )


COLUMNS = ["column", "from", "to"]


def nearest_change(
    model: object,
    row: object,
    to: object = None,
    fixed: Iterable[object] = (),
    *,
    allowed: Mapping[Any, Iterable[object]] | None = None,
    max_trials: int | None = None,
) -> Change:
    """Return a counterfactual: the fewest changes for which another class is predicted.

    Among equally few changes, the nearest one by ``distance_`` of the model is
    returned; among equally near ones, the one with the most probable class. New values
    are values of the training rows. All rows with one change are tried, then all with
    two, and so on, except those excluded by bounds on the votes, so it is proven that
    fewer changes do not suffice. If there are too many rows to try, changes are taken
    from training rows of the class or made greedily, and ``proven`` is False. The class
    of the changed row is always checked by ``predict``.

    Parameters
    ----------
    model : CPMLClassifier or CPMLClassifierCV
        Fitted, under any distance.
    row : one row: a dict, a list, a pandas Series, an array or a table of one row
    to : object, default=None
        The requested class; None: any class other than that of the row.
    fixed : iterable of names, default=()
        Columns that must not change; "x0", "x1", ... for columns without names.
    allowed : dict of name to values, default=None
        Allowed values of some columns; other columns may take all values of the
        training rows.
    max_trials : int, default=None
        Maximum number of changed rows to try, or of parts of them to bound, before
        heuristics are used; None: as many as take a few seconds, by the number of
        training rows.

    Returns
    -------
    Change

    Examples
    --------
    >>> import nearkind as nk
    >>> data = nk.datasets.load("monks1")
    >>> model = nk.CPMLClassifier("hamming", n_neighbors=1).fit(data.X, data.y)
    >>> nk.nearest_change(model, data.X.iloc[[0]], fixed=["a1"], allowed={"a5": ["3"]})
    Class '0' (100.0%) instead of '1' by 2 changes, at distance 0.3333
    column  from  to
    a2      1     2
    a5      1     3
    Proven: fewer do not suffice, and none as few is nearer. All 26 rows were tried.
    """
    committee, owner = _committee_of(model), type(model).__name__
    if max_trials is not None:
        max_trials = check_whole(max_trials, "max_trials", "nearest_change")
    wanted = None if to is None else _class_number(committee, to)
    fixed = [fixed] if isinstance(fixed, str) else fixed
    task = _Task(committee, row, owner)
    books = [voter.distance.codebook for voter in committee.voters]
    alternatives = Alternatives.of(books, task.codes, fixed, allowed)
    if task.current == wanted:
        return task.unchanged()
    if not len(alternatives):
        return task.none("No column that may change has another value to take.", True)
    votes = ChangedVotes(committee, alternatives, task.current, wanted)
    limit = max_trials or int(MOST_COMPARED / votes.work)

    def has_class(chosen: Numbers) -> bool:
        p = task.probabilities_with(alternatives, chosen)
        return bool(votes.is_wanted[most_votes(committee.weighed(p[None]))[0]])

    place = committee.voters.index(committee.explaining)
    search = ChangeSearch(votes, place, limit, has_class)
    found = search.run()
    chosen = found.chosen
    if chosen is None:
        told = "another class" if to is None else f"class {to!r}"
        return task.none(
            _none_reason(found, alternatives, told, limit), found.is_complete
        )
    distance = float(search.distances(chosen[None])[0])
    reason = _reason(found, alternatives, len(chosen), limit)
    return task.changed(alternatives, chosen, distance, found, reason)


class _Task:
    """A row, what a committee says of it, and changes of it as users read them."""

    def __init__(self, committee: Committee, row: object, owner: str) -> None:
        self.committee, self.row = committee, row
        self.table = read_table(one_row(row))
        self.book = committee.explaining.distance.codebook
        voters = committee.voters
        self.codes = [voter.encode(self.table, owner)[0] for voter in voters]
        self.cells = self.book.cells_of(self.table)[: len(self.book.names_)]
        self.p = committee.predict_proba([self.cells])[0]
        self.current = int(most_votes(committee.weighed(self.p[None]))[0])
        self.library = self.book.library_of(row)

    def probabilities_with(self, alternatives: Alternatives, chosen: Numbers) -> Array:
        """Return the probabilities (C,) of the row with some alternatives (r,)."""
        cells = list(self.cells)
        for each in chosen.tolist():
            cells[alternatives.column[each]] = alternatives.values[each]
        return self.committee.predict_proba([cells])[0]

    def unchanged(self) -> Change:
        """Return the row as it is."""
        label = self.committee.classes.tolist()[self.current]
        reason = f"The row is of class {label!r} as it is."
        return self._change(self.row, [], self.p, 0, 0.0, True, 0, reason)

    def none(self, reason: str, is_proven: bool) -> Change:
        """Return that there is no change."""
        return self._change(None, [], self.p, None, None, is_proven, None, reason)

    def changed(
        self,
        alternatives: Alternatives,
        chosen: Numbers,
        distance: float,
        found: FoundChange,
        reason: str,
    ) -> Change:
        """Return the row with alternatives (r,) that a search found."""
        order, values, lines = self.book.order_of(self.table), {}, []
        for each in chosen.tolist():
            d = int(alternatives.column[each])
            values[order[d]] = alternatives.values[each]
            lines.append((self.book.names_[d], self.cells[d], alternatives.texts[each]))
        p = self.probabilities_with(alternatives, chosen)
        proven = found.is_complete and found.at_least == len(chosen)
        facts = len(chosen), distance, proven, found.at_least, reason
        return self._change(changed_row(self.row, values), lines, p, *facts)

    def _change(self, row: object, lines: list[Any], p: Array, *facts: Any) -> Change:
        labels, said = (
            self.committee.classes.tolist(),
            int(most_votes(self.committee.weighed(p[None]))[0]),
        )
        columns = [object_array([line[i] for line in lines]) for i in range(3)]
        shown = frame(dict(zip(COLUMNS, columns, strict=True)), library=self.library)
        before, after = labels[self.current], labels[said]
        return Change(
            row is not None, row, before, after, float(p[said]), shown, *facts
        )


def _committee_of(model: object) -> Committee:
    model = model.estimator if isinstance(model, FrozenEstimator) else model
    if not isinstance(model, NeighborClassifier):
        raise TypeError(
            "nearest_change requires a fitted CPMLClassifier or "
            f"CPMLClassifierCV; got {type(model).__name__}."
        )
    check_is_fitted(model)
    return model.committee_


def _class_number(committee: Committee, label: object) -> int:
    labels = committee.classes.tolist()
    require_known(label, labels, f"The model has no class {label!r}.")
    return labels.index(label)


def _reason(
    found: FoundChange, alternatives: Alternatives, n_changes: int, limit: int
) -> str:
    """Return why changes are proven to be the fewest and nearest, or not."""
    if found.is_complete:
        nearer = (
            "no other one is nearer"
            if n_changes == 1
            else ("fewer do not suffice, and none as few is nearer")
        )
        return f"Proven: {nearer}. {_tried(found, alternatives, n_changes)}"
    if found.at_least == 1:
        return f"Not proven: trying all would exceed max_trials={limit:,}."
    tried = _tried(found, alternatives, found.at_least - 1)
    more = f"Trying all with one more would exceed max_trials={limit:,}."
    if found.at_least == n_changes:
        return (
            f"Not proven to be the nearest; fewer changes do not suffice. {tried} "
            f"{more}"
        )
    return (
        f"Not proven: {found.at_least} changes might suffice, fewer do not. {tried} "
        f"{more}"
    )


def _tried(found: FoundChange, alternatives: Alternatives, n_changes: int) -> str:
    """Return how many rows of up to so many changes were tried."""
    n_all = sum(alternatives.count(size) for size in range(1, n_changes + 1))
    rows = "1 row" if n_all == 1 else f"{n_all:,} rows"
    if found.n_tried == n_all:
        return f"All {rows} were tried." if n_all > 1 else "It was the only one to try."
    return f"Of {rows} {found.n_tried:,} were tried; bounds exclude the others."


def _none_reason(
    found: FoundChange, alternatives: Alternatives, told: str, limit: int
) -> str:
    """Return why there is no change."""
    if found.is_complete:
        tried = _tried(found, alternatives, alternatives.n_columns)
        return (
            "Proven: for all values of the columns that may change, the model "
            f"does not predict {told}. {tried}"
        )
    return (
        f"Not proven: no row that was tried has {told}, and trying all would "
        f"exceed max_trials={limit:,}."
    )
