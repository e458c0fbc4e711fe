"""SQL: tables and views for one member of a model.

Tables hold all values with their vectors or distances, and the training rows. Views
lead from cells to codes, to vectors, to the rows that vote, to shares of votes.
"""

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from math import inf, nextafter
from typing import Any

import numpy as np

from nearkind.export.portable import LEAST_EXPONENT, PortableMember, PortableVotes
from nearkind.export.portable_features import (
    CrossFeature,
    IntervalFeature,
    PortableFeature,
    as_double,
)
from nearkind.export.sql_dialects import Dialect, identifier, number, optional, text
from nearkind.neighbors import TrainingRows
from nearkind.neighbors.soft_votes import COLD
from nearkind.protocols import Array
from nearkind.tables import parse_number

ROWS_AT_ONCE = 500
"""Rows of one INSERT."""


@dataclass(frozen=True)
class Statements:
    """Statements of a dialect that create what is named by a word and what it is."""

    dialect: Dialect
    word: str

    def named(self, word: str) -> "Statements":
        """Return statements for names that begin with another word."""
        return Statements(self.dialect, word)

    def name(self, what: str) -> str:
        """Return the quoted name of a table, view or index."""
        return identifier(f"{self.word}_{what}")

    def new_name(self, what: str) -> str:
        """Return the quoted name of what is created, which the database must keep."""
        most, name = self.dialect.max_name, f"{self.word}_{what}"
        if most is not None and len(name.encode()) > most:
            raise ValueError(
                f"The name {name!r} has more than {most} bytes, and the database would "
                "cut it. Pass a shorter name (--name)."
            )
        return self.name(what)

    def table(self, what: str, columns: str, rows: Iterable[str]) -> Iterator[str]:
        """Yield the statements for a table and its rows."""
        table = self.new_name(what)
        yield f"CREATE TABLE {table} ({columns})"
        left = iter(rows)
        while some := [f"({row})" for row in islice(left, ROWS_AT_ONCE)]:
            yield f"INSERT INTO {table} VALUES\n" + ",\n".join(some)
        yield from self.analysis(what)

    def analysis(self, what: str) -> list[str]:
        """Return statements that make plans good once a table has its rows."""
        return [each.format(self.name(what)) for each in self.dialect.analysis]

    def index(self, what: str, table: str, columns: str) -> str:
        """Return the statement for an index on columns of a table."""
        return f"CREATE INDEX {self.new_name(what)} ON {self.name(table)} ({columns})"

    def view(self, what: str, query: str) -> str:
        """Return the statement for a view."""
        return f"CREATE VIEW {self.new_name(what)} AS\n{query}"


@dataclass(frozen=True)
class MemberScript:
    """The statements for one member: what is its own, and what all members share."""

    columns: Sequence[str]
    member: PortableMember
    own: Statements
    shared: Statements

    @property
    def dialect(self) -> Dialect:
        """The dialect."""
        return self.own.dialect

    @property
    def axes(self) -> list[str]:
        """The columns of a vector, none without vectors."""
        member = self.member
        return self.dialect.axes(member.size) if member.has_vectors else []

    def tables(self) -> Iterator[str]:
        """Yield the statements for all tables."""
        yield from self.own.table(
            "features",
            "feature INTEGER PRIMARY KEY, name TEXT, column_number INTEGER, "
            "first_part INTEGER, second_part INTEGER, missing INTEGER, unseen INTEGER, "
            "refused TEXT, refusal TEXT",
            self._feature_rows(),
        )
        kind = self.dialect.axis_type(self.member.size)
        axes = "".join(f", {axis} {kind}" for axis in self.axes)
        yield from self.own.table(
            "values",
            "feature INTEGER, code INTEGER, kind TEXT, as_text TEXT, as_number DOUBLE "
            "PRECISION, low DOUBLE PRECISION, high DOUBLE PRECISION, first_code "
            f"INTEGER, second_code INTEGER{axes}, PRIMARY KEY (feature, code)",
            self._value_rows(),
        )
        for column in ("as_text", "as_number", "low", "first_code"):
            yield self.own.index(column, "values", f"feature, {column}")
        if not self.member.has_vectors:
            yield from self.own.table(
                "distances",
                "feature INTEGER, code INTEGER, other INTEGER, distance DOUBLE "
                "PRECISION, PRIMARY KEY (feature, code, other)",
                self._distance_rows(),
            )
        if self.member.votes is not None:
            rows = self.member.votes.rows
            yield from self._row_tables(rows, axes or ", codes TEXT")

        if self.member.knots is not None:
            yield from self._number_tables(self.member.knots)

    def _number_tables(self, knots: Array) -> Iterator[str]:
        """Yield the numbers that shares are on, and what codes add to their mean."""
        yield from self.own.table(
            "knots",
            "class INTEGER PRIMARY KEY, knot DOUBLE PRECISION",
            (f"{k}, {number(knot)}" for k, knot in enumerate(knots)),
        )
        yield from self.own.table(
            "trend",
            "feature INTEGER, code INTEGER, added DOUBLE PRECISION, "
            "PRIMARY KEY (feature, code)",
            (
                f"{d}, {code}, {number(added)}"
                for d, trend in enumerate(self.member.trend)
                for code, added in enumerate(trend)
            ),
        )

    def terms(self) -> Iterator[str]:
        """Yield queries for key and t, whose sum is the number that the member votes.

        Of a model of numbers: the mean of the votes, and the trend.
        """
        own = self.own
        yield (
            f"SELECT v.key, SUM(v.share * k.knot) AS t FROM {own.name('votes')} v "
            f"JOIN {own.name('knots')} k ON k.class = v.class GROUP BY v.key"
        )
        if self.member.trend:
            yield (
                f"SELECT c.key, SUM(r.added) AS t FROM {own.name('codes')} c "
                f"JOIN {own.name('trend')} r ON r.feature = c.feature "
                "AND r.code = c.code GROUP BY c.key"
            )

    def _feature_rows(self) -> Iterator[str]:
        for d, feature in enumerate(self.member.features):
            if isinstance(feature, CrossFeature):
                source = f"NULL, {feature.parts[0]}, {feature.parts[1]}"
            else:
                source = f"{self.columns.index(feature.name)}, NULL, NULL"
            codes = f"{feature.missing}, {feature.n_codes - 1}"
            name = self.dialect.text(feature.name)
            refusal = ", ".join(
                optional(self.dialect.text, x) for x in refusal_of(feature)
            )
            yield f"{d}, {name}, {source}, {codes}, {refusal}"

    def _value_rows(self) -> Iterator[str]:
        for d, feature in enumerate(self.member.features):
            highs = _highs(feature) if isinstance(feature, IntervalFeature) else []
            numbers = numbers_of(feature)
            for code, (kind, value) in enumerate(feature.entries()):
                high = highs[code] if kind == "from" else None
                cells = self._value_cells(kind, value, numbers.get(code), high)
                if self.member.has_vectors:
                    cells += self.dialect.literals(self.member.tables[d][code])
                yield f"{d}, {code}, {text(kind)}, {', '.join(cells)}"

    def _value_cells(
        self, kind: str, value: Any, x: object, high: float | None
    ) -> list[str]:
        """Return as_text, as_number, low, high, first_code and second_code."""
        number = self.dialect.number
        first, second = value if kind == "pair" else (None, None)
        return [
            optional(self.dialect.text, value if kind == "text" else None),
            optional(number, x),
            optional(number, value if kind == "from" else None),
            optional(number, high),
            optional(str, first),
            optional(str, second),
        ]

    def _distance_rows(self) -> Iterator[str]:
        """Yield distances of two values less the one that most pairs have."""
        for d, table in enumerate(self.member.tables):
            rest = table - _most_common(table)
            for code, other in np.argwhere(rest != 0.0).tolist():
                yield f"{d}, {code}, {other}, {number(rest[code, other])}"

    def _row_tables(self, rows: TrainingRows, axes: str) -> Iterator[str]:
        """Yield the training rows and their classes; ``cell`` numbers unique rows."""
        yield from self.own.table(
            "rows",
            "cell INTEGER PRIMARY KEY, first_row INTEGER, n_rows DOUBLE PRECISION"
            f"{axes}",
            self._training_rows(rows),
        )
        if self.member.has_vectors:
            yield from self.dialect.index(self.own.name("rows"), self.member.size)
        else:
            yield from self.own.table(
                "row_codes",
                "cell INTEGER, feature INTEGER, code INTEGER, "
                "PRIMARY KEY (feature, code, cell)",
                (),
            )
            query = self.dialect.row_codes.format(
                rows=self.own.name("rows"), n_features=len(self.member.features)
            )
            yield f"INSERT INTO {self.own.name('row_codes')}\n{query}"
            yield from self.own.analysis("row_codes")
        yield from self.own.table(
            "shares",
            "cell INTEGER, class INTEGER, share DOUBLE PRECISION, "
            "PRIMARY KEY (cell, class)",
            (
                f"{row}, {label}, {number(rows.shares[row, label])}"
                for row, label in np.argwhere(rows.shares > 0.0).tolist()
            ),
        )

    def _training_rows(self, rows: TrainingRows) -> Iterator[str]:
        member, first_rows = self.member, rows.groups.first_rows
        for row, count in enumerate(rows.weights):
            cells = [str(row), str(first_rows[row]), number(count)]
            if member.has_vectors:
                cells += self.dialect.literals(member.ball.vectors[row])
            else:
                cells.append(f"'{member.codes[row].tolist()}'")
            yield ", ".join(cells)

    def views(self) -> Iterator[str]:
        """Yield the views from cells to codes, vectors, and the rows that vote."""
        if any(isinstance(f, CrossFeature) for f in self.member.features):
            yield self.own.view("column_codes", self._codes())
            yield self.own.view("codes", self._codes_with_crosses())
        else:
            yield self.own.view("codes", self._codes())
        if self.member.has_vectors:
            sums = ", ".join(["c.key", *self.dialect.vector_sum(self.member.size)])
            yield self.own.view(
                "vectors",
                f"""SELECT {sums}
FROM {self.own.name("codes")} c
JOIN {self.own.name("values")} v ON v.feature = c.feature AND v.code = c.code
GROUP BY c.key""",
            )
        if self.member.votes is not None:
            yield self.own.view("nearest", self._nearest(self.member.votes))
            yield self.own.view(
                "votes",
                f"""SELECT n.key, s.class, SUM(n.votes * s.share)
    / SUM(SUM(n.votes * s.share)) OVER (PARTITION BY n.key) AS share
FROM {self.own.name("nearest")} n
JOIN {self.own.name("shares")} s ON s.cell = n.cell
GROUP BY n.key, s.class""",
            )

    def _codes_with_crosses(self) -> str:
        """Return a query for those codes and the ones of pairs."""
        codes = self.own.name("column_codes")
        return f"""SELECT key, feature, code FROM {codes}
UNION ALL
SELECT a.key, f.feature, COALESCE(v.code, f.unseen) AS code
FROM {codes} a
JOIN {self.own.name("features")} f ON f.first_part = a.feature
JOIN {codes} b ON b.key = a.key AND b.feature = f.second_part
LEFT JOIN {self.own.name("values")} v ON v.feature = f.feature
  AND v.first_code = a.code AND v.second_code = b.code{self.dialect.fence}"""

    def _codes(self) -> str:
        """Return a query for the code that every column of every row has."""
        kinds = {kind for f in self.member.features for kind, _ in f.entries()}
        if any(map(numbers_of, self.member.features)):
            kinds.add("number")
        joins = [join for join, of in JOINS.items() if kinds & of]
        found = [f"{join[0]}.code" for join in joins]
        values = self.own.name("values")
        joined = "\n".join(
            f"LEFT JOIN {values} {alias} ON {alias}.feature = f.feature AND {condition}"
            for alias, condition in joins
        )
        failure = self.dialect.failure.format("f.refusal || COALESCE(c.as_text, '')")
        otherwise = f"""CASE
    WHEN c.kind = 'missing' THEN f.missing
    WHEN c.kind IN (f.refused, 'time') THEN {failure}
    ELSE f.unseen END"""
        code = f"COALESCE({', '.join([*found, otherwise])})" if found else otherwise
        return f"""SELECT c.key, f.feature, {code} AS code
FROM {self.shared.name("cells")} c
JOIN {self.own.name("features")} f ON f.column_number = c.column_number
{joined}{self.dialect.fence}"""

    def _nearest(self, votes: PortableVotes) -> str:
        """Return a query for the rows that vote, with distances and votes.

        The k-th distance is that at which counts first reach k; rows within a tie of it
        share what is left of k.
        """
        if votes.temperature is not None:
            return self._soft(votes.temperature)
        k, enough = number(votes.n_neighbors), number(votes.enough)
        return f"""SELECT key, cell, first_row, distance,
    {WEIGHTED_VOTES[votes.weights]} AS votes
FROM (
SELECT *, CASE WHEN is_tied THEN n_rows * ({k} - SUM(CASE WHEN is_tied THEN 0.0e0
    ELSE n_rows END) OVER every) / SUM(CASE WHEN is_tied THEN n_rows ELSE 0.0e0 END)
    OVER every ELSE n_rows END AS votes, MIN(distance) OVER every AS least
FROM (SELECT *, distance >= kth - tie AS is_tied FROM (
SELECT *, MIN(CASE WHEN upto >= {enough} THEN distance END)
    OVER (PARTITION BY key) AS kth
FROM (
SELECT *, SUM(n_rows) OVER (PARTITION BY key ORDER BY distance) AS upto
FROM (
{self._distances(votes.n_nearest)}
) a ) b ) c WHERE distance <= kth + tie ) d
WINDOW every AS (PARTITION BY key) ) e"""

    def _soft(self, temperature: float) -> str:
        """Return a query for all rows, with distances and soft votes."""
        tie, coldest = number(self.dialect.tie), f"{number(COLD)} * largest * largest"
        return f"""SELECT key, cell, first_row, distance, n_rows
    * CASE WHEN x > {LEAST_EXPONENT} THEN EXP(x) ELSE 0.0e0 END AS votes
FROM (
SELECT *, CASE WHEN distance - least <= tie AND {number(temperature)} < {coldest}
    THEN 0.0e0 ELSE (least - distance) * (least + distance)
    / {number(temperature)} END AS x
FROM (
SELECT *, tie / {tie} AS largest, MIN(distance) OVER (PARTITION BY key) AS least
FROM (
{self._distances(None)}
) a ) b ) c"""

    def _distances(self, n_nearest: int | None) -> str:
        """Return a query for key, cell, first_row, n_rows, distance and tie."""
        by = self._between_vectors if self.member.has_vectors else self._of_tables
        return by(n_nearest)

    def _between_vectors(self, n_nearest: int | None) -> str:
        dialect, ball = self.dialect, self.member.ball
        u, r = ([f"{x}.{axis}" for axis in self.axes] for x in "ur")
        from_centre = dialect.distance(u, dialect.literals(ball.centre))
        largest = f"({from_centre} + {number(ball.radius)})"
        return f"""SELECT u.key, r.cell, r.first_row, r.n_rows, u.tie,
  {dialect.distance(u, r)} AS distance
FROM (
  SELECT u.*, {number(dialect.tie)} * {largest} AS tie
  FROM {self.own.name("vectors")} u
) u
{dialect.compared(self.own.name("rows"), n_nearest)}"""

    def _of_tables(self, n_nearest: int | None) -> str:
        """Sum what differs from the most common distances, whose sum is constant."""
        common = sum(_most_common(table) for table in self.member.tables)
        return f"""SELECT *, {number(self.dialect.tie)}
  * MAX(distance) OVER (PARTITION BY key) AS tie
FROM (
  SELECT k.key, r.cell, r.first_row, r.n_rows,
    {number(common)} + COALESCE(s.distance, 0.0e0) AS distance
  FROM {self.shared.name("keys")} k
  CROSS JOIN {self.own.name("rows")} r
  LEFT JOIN (
    SELECT c.key, o.cell, SUM(d.distance) AS distance
    FROM {self.own.name("codes")} c
    JOIN {self.own.name("distances")} d ON d.feature = c.feature AND d.code = c.code
    JOIN {self.own.name("row_codes")} o ON o.feature = d.feature AND o.code = d.other
    GROUP BY c.key, o.cell
  ) s ON s.key = k.key AND s.cell = r.cell
) x"""


JOINS = {
    ("w", "w.as_text = c.as_text"): {"text"},
    ("n", "n.as_number = c.as_number AND (n.kind <> 'text' OR c.kind <> 'text')"): {
        "number",
        "boolean",
    },
    ("i", "i.low <= c.as_number AND c.as_number <= i.high"): {"from"},
}
"""Join of a cell with the code that it has, and the kinds of entries that need it."""
WEIGHTED_VOTES = {
    "uniform": "votes",
    "distance": "CASE WHEN distance = 0 THEN votes WHEN least = 0 THEN 0.0e0 "
    "ELSE votes / NULLIF(distance, 0) END",
}
"""Weights of a classifier -> expression of a vote."""


DIGITS = re.compile(r"[+-]?\d+(\.\d*)?([eE][+-]?\d+)?|[+-]?\.\d+", re.ASCII)
"""Text that a database may have read as a number."""


def _highs(feature: IntervalFeature) -> list[float]:
    """Return the largest double of each interval.

    Examples
    --------
    >>> _highs(IntervalFeature("size", 2, 3, [1.0]))
    [0.9999999999999999, inf]
    """
    return [*(nextafter(edge, -inf) for edge in feature.edges), inf]


def numbers_of(feature: PortableFeature) -> dict[int, Any]:
    """Return the number that each code has, of a number or of a text that writes one.

    A text has none if another value is the same number.

    Examples
    --------
    >>> from nearkind.export.portable_features import ValueFeature
    >>> numbers_of(ValueFeature("size", 4, 5, [1, "1", "2", "007"]))
    {0: 1, 2: 2.0}
    """
    known = enumerate(feature.known())
    values = {c: x for c, (kind, x) in known if kind in ("number", "boolean")}
    taken = {as_double(x) for x in values.values()}
    texts = _numbers_of_texts(feature)
    often = Counter(x for x, _ in texts.values())
    return values | {
        code: x
        for code, (x, is_numeral) in texts.items()
        if is_numeral and often[x] == 1 and x not in taken
    }


def _numbers_of_texts(feature: PortableFeature) -> dict[int, tuple[float, bool]]:
    """Return the number of each text of digits, and whether it is a numeral."""
    texts = {c: x for c, (kind, x) in enumerate(feature.known()) if kind == "text"}
    return {
        code: (float(x), parse_number(x) is not None)
        for code, x in texts.items()
        if DIGITS.fullmatch(x)
    }


def refusal_of(feature: PortableFeature) -> tuple[str | None, str]:
    """Return the kind of cells that a feature refuses if they have no code, and why."""
    column = f"Column {json.dumps(feature.name, ensure_ascii=False)}"
    if isinstance(feature, IntervalFeature):
        return "text", f"{column} held numbers in fit, but now holds "
    if len(_numbers_of_texts(feature)) > len(numbers_of(feature)) and not any(
        kind in ("number", "boolean") for kind, _ in feature.known()
    ):
        return "number", (
            f"{column} is stored as numbers, but held text in fit that differs from "
            "its number, such as 007. Store it as text. "
        )
    return None, f"{column} is stored as times. Store it as text, and not as "


def _most_common(table: Array) -> float:
    """Return the entry that a table has most often."""
    entries, counts = np.unique(table, return_counts=True)
    return float(entries[counts.argmax()])
