"""Rows of values -> rows of codes, and the policy for what is missing or unseen."""

from collections.abc import Iterable, Sequence
from typing import Any, Final, Self

import numpy as np
from numpy.typing import NDArray

from nearkind.encoding import NUMERIC, SKIPPED, Feature, Ordinal, Sample
from nearkind.encoding.checks import (
    UnseenReports,
    UnseenValues,
    column_places,
    missing_clause,
    refuse_free_text,
    refuse_missing,
    report_unseen,
    warn_if_mixed,
    warn_if_nearly_unique,
)
from nearkind.encoding.crosses import (
    WANTED,
    Cross,
    Setting,
    ValuePair,
    as_setting,
    cross_features,
    named_pairs,
)
from nearkind.encoding.interactions import chosen_pairs
from nearkind.encoding.orders import as_orders, check_ordered
from nearkind.errors import require_known
from nearkind.protocols import Array, Codes, TableLike
from nearkind.tables import (
    CELL_TYPES,
    Column,
    FactorizedTable,
    Table,
    as_cell,
    read_table,
)

FEW_ROWS = 32
"""So many rows are coded value by value, more of them column by column."""
MAX_CODES = 500_000_000
"""Codes of crosses that are held at a time."""

POLICIES = {
    "missing": ("level", "prior", "error", "skip"),
    "unseen": ("prior", "error"),
    "numeric": tuple(NUMERIC),
}

KEPT = ("level", "skip")
"""Policies under which a missing cell that ``fit`` saw has a code of its own."""


class Codebook:
    """The values of each feature, and the policy for what is missing or unseen.

    Parameters
    ----------
    missing : {"level", "prior", "error", "skip"}
        A missing cell is a level of its own if ``fit`` saw one, and unseen otherwise;
        or always has code -1; or is refused; or is a level of its own if ``fit`` saw
        one, and has the code ``SKIPPED`` otherwise, for distances that leave it out.
    unseen : {"prior", "error"}
        A value that ``fit`` did not see has code -1, with a warning; or is refused.
    numeric : {"auto", "category", "bin", "scale", "number"}
        Columns of numbers: levels if there are at most 20 distinct numbers and quantile
        bins otherwise; every number a level; bins in any case; places on one axis
        (see `positions`); or every number itself (``NumberLine``). Columns that their
        owner declared categorical are levels in any case, and so are those without a
        number.
    crosses : int, "auto" or list of (name, name), default=0
        Pairs of columns that are added as features, whose values are the pairs of
        values seen in ``fit``: an int is the maximum number of pairs, those with the
        most information on the class beyond that of their columns; "auto" those that
        clearly have some; a list gives the pairs.
    ordered : dict of column to sequence, default=None
        The values of columns in order, lowest first; other values are refused. Columns
        that their library declares ordered need no entry.

    Attributes
    ----------
    names_ : list
        Column names.
    named_ : bool
        Whether they came from the user; then later tables are matched by name.
    features_ : list of Levels, Bins or Coordinate
        One per column.
    crosses_ : list of Cross
        Features that are pairs of these; they come after them everywhere.
    library_ : str or None
        Library of the table given to fit, if it is known; model files do not have it.

    Examples
    --------
    >>> book = Codebook()
    >>> book.fit_encode([["red", 1], ["blue", 2], ["red", None]]).tolist()
    [[1, 0], [0, 1], [1, 2]]
    >>> book.values(0), book.values(1)
    (['blue', 'red'], [1, 2, None])
    >>> book.encode([["blue", 2]]).tolist()
    [[0, 1]]
    """

    names_: list[Any]
    named_: bool
    features_: list[Feature]
    crosses_: list[Cross]
    library_: str | None = None

    def __init__(
        self,
        missing: str = "level",
        unseen: str = "prior",
        numeric: str = "auto",
        crosses: object = 0,
        ordered: object = None,
    ) -> None:
        self.missing: Final = missing
        self.unseen: Final = unseen
        self.numeric: Final = numeric
        for parameter, allowed in POLICIES.items():
            value = getattr(self, parameter)
            if not isinstance(value, str) or value not in allowed:
                listed = ", ".join(map(repr, allowed))
                raise ValueError(f"{parameter} must be one of {listed}, got {value!r}.")
        setting = as_setting(crosses)
        if setting is None:
            raise ValueError(f"crosses must be {WANTED}, got {crosses!r}.")
        self.crosses: Final[Setting] = setting
        self.ordered: Final = as_orders(ordered)
        self._reported = UnseenReports(0)

    @property
    def is_fitted(self) -> bool:
        """Whether it has seen a table."""
        return hasattr(self, "features_")

    @property
    def policies(self) -> dict[str, Any]:
        """The parameters by name."""
        return {name: getattr(self, name) for name in (*POLICIES, "crosses", "ordered")}

    @property
    def feature_names(self) -> list[Any]:
        """Name of each feature: those of the columns, then those of the crosses."""
        return [*self.names_, *(cross.name for cross in self.crosses_)]

    @property
    def n_values(self) -> list[int]:
        """Number of codes of each feature."""
        of_columns = [feature.n_values for feature in self.features_]
        return [*of_columns, *(cross.n_values for cross in self.crosses_)]

    @property
    def lowest_codes(self) -> list[int]:
        """The lowest code that each feature may give to a cell."""
        of_columns = [min(f.lowest_code, f.missing_code) for f in self.features_]
        return [*of_columns, *[-1] * len(self.crosses_)]

    @property
    def n_ordered(self) -> list[int]:
        """How many values of each feature, the first ones, are in order."""
        of_columns = [feature.n_ordered for feature in self.features_]
        return [*of_columns, *(0 for _ in self.crosses_)]

    @property
    def positions(self) -> list[Array | None]:
        """Where on its axis each value of a feature stands (n_values,), if on any."""
        of_columns = [feature.positions for feature in self.features_]
        return [*of_columns, *(None for _ in self.crosses_)]

    def values(self, d: int) -> list[Any]:
        """Return the display values of feature d in code order; missing is None.

        Those of a cross are pairs.
        """
        if d < len(self.features_):
            return self.features_[d].values
        cross = self.crosses_[d - len(self.features_)]
        first, second = (self.features_[part].values for part in cross.parts)
        return [ValuePair((first[a], second[b])) for a, b in cross.levels.tolist()]

    def __repr__(self) -> str:
        shown = {k: v for k, v in self.policies.items() if v}
        settings = ", ".join(f"{k}={v!r}" for k, v in shown.items())
        return f"Codebook({settings})"

    def fit(
        self, table: FactorizedTable, weights: Array, y: NDArray[np.intp] | None = None
    ) -> Self:
        """Learn the values of each column from the rows of a table.

        Parameters
        ----------
        table : FactorizedTable
        weights : ndarray (n,)
            Number of rows that each row represents; weight zero is ignored.
        y : ndarray of int (n,), default=None
            Class numbers, -1 where unknown, by which to choose ``crosses``.

        Returns
        -------
        self
        """
        self.library_ = table.library
        n_rows, n_columns = table.codes.shape
        named = zip(table.names, table.codes.T, strict=True)
        refuse_missing([g for name, codes in named for g in self._gap(name, codes < 0)])
        known = (table.codes >= 0).sum(axis=0).tolist()
        columns = (
            (table.columns[d], table.counts(d, weights)) for d in range(n_columns)
        )
        self.fit_counts(table.names, table.named, columns, n_rows, known)
        if self.crosses:
            counted = np.flatnonzero(weights)
            codes = self.lookup(table)[counted]
            labels = np.full(n_rows, -1) if y is None else y
            self.fit_crosses(codes, labels[counted], weights[counted])
        return self

    def fit_crosses(self, codes: Codes, y: NDArray[np.intp], weights: Array) -> None:
        """Choose and learn the crosses from rows, after the values of the columns.

        Parameters
        ----------
        codes : ndarray of int32 (n, D)
            Codes of the columns.
        y : ndarray of int (n,)
            Class numbers, -1 where unknown.
        weights : ndarray (n,)
            Number of rows that each represents.
        """
        if not self.crosses:
            return
        if isinstance(self.crosses, tuple):
            pairs = named_pairs(self.crosses, self.names_, self.named_, self.features_)
        else:
            if not (y >= 0).any():
                raise ValueError(
                    f"crosses={self.crosses!r} chooses pairs of columns by the labels "
                    "of the rows, and no row has one. Name the pairs: crosses=[(a, b)]."
                )
            is_axis = [position is not None for position in self.positions]
            pairs = chosen_pairs(np.where(is_axis, 0, codes), y, weights, self.crosses)
        if len(codes) * len(pairs) > MAX_CODES:
            raise ValueError(
                f"{len(pairs):,} pairs of columns over {len(codes):,} rows are too "
                f"many to hold; at most {MAX_CODES:,} cells are. Cross fewer columns."
            )
        self.crosses_ = cross_features(pairs, self.names_, codes)
        for cross in self.crosses_:
            warn_if_nearly_unique(cross, int(weights.sum()))

    def fit_encode(self, X: TableLike, weights: Array | None = None) -> Codes:
        """Learn the values of each column and return the codes of X.

        Parameters
        ----------
        X : table
            Anything that `nearkind.tables.read_table` takes.
        weights : ndarray (n,), default=None
            As in ``fit``; None: ones.

        Returns
        -------
        ndarray of int32 (n, D)
            Codes, columns contiguous.
        """
        table = read_table(X).factorize()
        ones = np.ones(table.n_rows)
        return self.fit(table, ones if weights is None else weights).lookup(table)

    def fit_counts(
        self,
        names: list[Any],
        named: bool,
        columns: Iterable[tuple[Column, Array]],
        n_rows: int,
        n_known: Sequence[int] | None = None,
    ) -> Self:
        """Learn the values of each column from its distinct values.

        Parameters
        ----------
        names, named : as in ``Table``
        columns : iterable of (Column, ndarray)
            For each feature its distinct values, and how many rows have each.
        n_rows : int
            Number of rows in all.
        n_known : sequence of int, default=None
            For each feature the rows that have a value; None: as many as are counted.

        Returns
        -------
        self
        """
        features, gaps = [], []
        check_ordered(self.ordered, names)
        for d, (column, weights) in enumerate(columns):
            n_missing = int(weights[column.missing].sum())
            if n_missing and self.missing == "error":
                gaps.append(missing_clause(names[d], n_missing))
            n_cells = max(weights[~column.missing].sum(), n_known[d] if n_known else 0)
            features.append(self._feature(names[d], column, weights, int(n_cells)))
        refuse_missing(gaps)
        self.keep(names, named, features)
        for feature in features:
            warn_if_nearly_unique(feature, n_rows)
        return self

    def keep(
        self,
        names: list[Any],
        named: bool,
        features: list[Feature],
        crosses: Iterable[Cross] = (),
    ) -> None:
        """Take features as learned; no unseen value has been reported yet."""
        self.names_, self.named_, self.features_ = names, named, features
        self.crosses_ = list(crosses)
        for feature in features if self.missing == "skip" else ():
            if feature.missing_code < 0:
                feature.missing_code = SKIPPED
        self._reported = UnseenReports(len(features))

    def lookup(self, table: FactorizedTable) -> Codes:
        """Return the codes (n, D) of a table's rows, columns in the order of fit.

        Each distinct value is coded once; -1 stands for one without a code.
        """
        codes = self._room(table.n_rows)
        for d, feature in enumerate(self.features_):
            code_of = feature.encode(table.columns[d])  # (n_distinct + 1,)
            codes[:, d] = code_of.take(table.codes[:, d], mode="wrap")
        return self.fill_crosses(codes)

    def encode(self, X: TableLike, owner: str = "nearkind") -> Codes:
        """Return the codes of X by the values that fit saw.

        Parameters
        ----------
        X : table
            Its columns are found by name, in any order, if names were given both here
            and in fit; by position otherwise.
        owner : str, default="nearkind"
            Who to name in the message if the number of columns is wrong.

        Returns
        -------
        ndarray of int32 (n, D)
            Codes, columns contiguous; -1 for a value without one.
        """
        table = read_table(X)
        order = self.order_of(table, owner)
        if table.n_rows <= FEW_ROWS and table.list_rows is not None:
            found = self._codes_of(table.list_rows(), order)
            if found is not None:
                return found
        return self._encode_columns(table, order)

    def cells_of(self, X: TableLike) -> list[Any]:
        """Return the cells of a table of one row, in the order of the features."""
        table = read_table(X)
        columns = [table.column(place) for place in self.order_of(table, "nearkind")]
        cells = [column.cells()[0] for column in columns]
        pairs = (cross.parts for cross in self.crosses_)
        return [*cells, *(ValuePair((cells[a], cells[b])) for a, b in pairs)]

    def library_of(self, row: object) -> str | None:
        """Return the library of a table, or of the one given to fit if it has none."""
        is_frame = getattr(row, "ndim", 2) == 2 and hasattr(row, "columns")
        found = read_table(row).library if is_frame else None
        return found or self.library_

    def place_of(self, name: object) -> int:
        """Return the number of a feature by its name."""
        names = self.feature_names
        require_known(name, names, f"There was no column {name!r} in fit.")
        return names.index(name)

    def fill_crosses(self, codes: Codes) -> Codes:
        """Write the codes of crosses (n, D), which follow from those of the columns."""
        for d, cross in enumerate(self.crosses_, start=len(self.features_)):
            codes[:, d] = cross.encode(codes)
        return codes

    def _room(self, n_rows: int) -> Codes:
        """Return room for the codes of rows, columns contiguous."""
        n_features = len(self.features_) + len(self.crosses_)
        return np.empty((n_rows, n_features), np.int32, order="F")

    def _codes_of(
        self, rows: Sequence[Sequence[object]], order: list[int]
    ) -> Codes | None:
        """Return codes value by value: those of ``_encode_columns``, found sooner.

        None where that has to look: at a value of another type, or with no code yet to
        be reported.
        """
        codes: list[int] = []
        for row in rows:
            start = len(codes)
            for d, place in enumerate(order):
                value = row[place]
                if type(value) not in CELL_TYPES:
                    value = as_cell(value)
                    if type(value) not in CELL_TYPES:
                        return None
                code = self.features_[d].code(value)
                if code < 0 and not self._is_reported(d, value):
                    return None
                codes.append(code)
            for cross in self.crosses_:
                a, b = cross.parts
                codes.append(cross.code(codes[start + a], codes[start + b]))
        return np.array(codes, np.int32).reshape((len(rows), -1)).copy("F")

    def _encode_columns(self, table: Table, order: list[int]) -> Codes:
        """Return codes column by column, and report what is missing or unseen."""
        codes = self._room(table.n_rows)
        unseen: list[UnseenValues] = []
        gaps: list[str] = []
        for d, place in enumerate(order):
            column, feature = table.column(place), self.features_[d]
            codes[:, d] = feature.encode(column)
            if codes[:, d].min() < 0:
                gaps += self._gap(feature.name, column.missing)
                unseen += self._unseen_values(d, column)
        refuse_missing(gaps)
        self._report(unseen)
        return self.fill_crosses(codes)

    def _feature(
        self, name: object, column: Column, weights: Array, n_cells: int
    ) -> Feature:
        sample = Sample(name, column, weights, keep_missing=self.missing in KEPT)
        order = dict(self.ordered).get(name, column.order)
        if order is not None:
            return Ordinal(name, order, sample.has_missing)
        feature = NUMERIC[self.numeric](sample)
        if not column.declared:
            refuse_free_text(feature, n_cells)
            if self.numeric != "category":
                warn_if_mixed(feature)
        return feature

    def _gap(self, name: object, is_missing: NDArray[np.bool_]) -> list[str]:
        """Return a clause on the rows that miss a value, if they are refused."""
        if self.missing != "error" or not is_missing.any():
            return []
        rows = np.flatnonzero(is_missing)
        return [missing_clause(name, len(rows), f", the first in row {rows[0]}")]

    def _unseen_values(self, d: int, column: Column) -> list[UnseenValues]:
        values = self.features_[d].unseen_values(column)
        if self.missing == "level" and self.features_[d].missing_code < 0:
            values += [None] if column.missing.any() else []
        seen = [value for value in self.features_[d].values if value is not None]
        return [UnseenValues(d, self.names_[d], values, seen)] if values else []

    def order_of(self, table: Table, owner: str = "nearkind") -> list[int]:
        """Return where each feature stands in a new table, refusing other columns."""
        if not self.is_fitted:
            raise ValueError("This Codebook is not fitted; call fit_encode first.")
        if self.named_ and table.named:
            return column_places(self.names_, table.names)
        n, m = len(table.names), len(self.names_)
        if n != m:
            raise ValueError(
                f"X has {n} features, but {owner} is expecting {m} features as input."
            )
        return list(range(m))

    def _report(self, unseen: list[UnseenValues]) -> None:
        """Refuse values that fit did not see, or warn of those not yet reported."""
        if self.unseen == "prior":
            unseen = [s for s in map(self._reported.add, unseen) if s.values]
        if unseen:
            report_unseen(unseen, self.unseen == "error")

    def _is_reported(self, d: int, value: object) -> bool:
        """Return whether no word is due of a value without a code."""
        if value is None or value != value:
            if self.missing != "level":
                return self.missing != "error"
            value = None
        return self._reported.has(d, value)
