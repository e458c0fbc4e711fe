"""SQL: a script of tables and views that embeds and classifies rows of a table.

Tables hold all values with their vectors or distances, the training rows and the
classes. Views lead from cells of the user's table, one a line, to codes, to vectors, to
the rows that vote, to probabilities, to classes.
"""

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from math import inf, nextafter
from pathlib import Path
from typing import Any

import numpy as np

from nearkind.errors import did_you_mean
from nearkind.export.portable import (
    LEAST_EXPONENT,
    CrossFeature,
    Feature,
    IntervalFeature,
    PortableMember,
    PortableModel,
    Voters,
)
from nearkind.export.sql_dialects import (
    DIALECTS,
    Dialect,
    identifier,
    number,
    optional,
    qualified,
    text,
)
from nearkind.io.atomic_write import atomic_write
from nearkind.neighbors.soft_votes import COLD
from nearkind.neighbors.voting import SHARE_TIE
from nearkind.protocols import Array

ROWS_AT_ONCE = 500
"""Rows of one INSERT."""
LEAST_POWER = 1e-300
"""Powers of shares below this one are zero; PostgreSQL refuses to compute them."""


@dataclass(frozen=True)
class TableNames:
    """Names of tables and views, all of which begin with one word."""

    word: str

    def of(self, what: str) -> str:
        """Return the quoted name of a table or view."""
        return identifier(f"{self.word}_{what}")


def write(
    model: PortableModel,
    path: Path,
    dialect: str = "duckdb",
    table: str = "new_rows",
    key: str = "id",
    name: str | None = None,
) -> list[Path]:
    """Write a script that creates tables, and views on the rows of a table.

    Parameters
    ----------
    model : PortableModel
    path : Path
    dialect : {"duckdb", "postgres", "pgvector", "sqlite"}, default="duckdb"
    table : str, default="new_rows"
        Table whose rows are embedded and classified, its schema before a point; it must
        be there when the script is run.
    key : str, default="id"
        Column of it that tells rows apart; rows without a key, or with that of another,
        are left out.
    name : str, default=None
        Word with which all names begin that the script creates; None: as the file.
    """
    if dialect not in DIALECTS:
        raise ValueError(
            f"There is no dialect {dialect!r}. {did_you_mean(dialect, DIALECTS)}"
        )
    chosen, word = DIALECTS[dialect], path.stem if name is None else name
    size = max(member.size for member in model.members)
    if size > chosen.max_axes:
        raise ValueError(
            f"The vectors have {size:,} numbers, and a table holds at most "
            f"{chosen.max_axes:,} in dialect {dialect!r}. Fit with a larger strength, "
            "which shortens them, or export to JSON or ONNX."
        )
    script = Script(model, chosen, table, key, TableNames(word))
    with atomic_write(path) as file:
        for statement in script.statements():
            file.write(f"{statement};\n".encode())
    return [path]


@dataclass(frozen=True)
class Script:
    """The statements for a model; what its members share, and theirs."""

    model: PortableModel
    dialect: Dialect
    table: str
    key: str
    names: TableNames

    def statements(self) -> Iterator[str]:
        """Yield all statements."""
        yield f"{self._comment()}BEGIN"
        yield from self.dialect.head
        yield from self.cells()
        members = [MemberScript(self, *each) for each in self._named_members()]
        for member in members:
            yield from member.tables()
            yield from member.views()
        if self.model.labels:
            yield from self.classes([member.names.of("votes") for member in members])
        yield "COMMIT"

    def _comment(self) -> str:
        """Return a comment on what to query, and how cells must be stored."""
        view = json.dumps(f"{self.names.word}_classes", ensure_ascii=False)
        query = f"-- Then query the view {view}.\n" if self.model.labels else ""
        return (
            f"-- A model of nearkind, to be run as a whole.\n{query}"
            f"-- A missing cell must be NULL, not an empty text.\n{self._types()}"
        )

    def _types(self) -> str:
        """Return a comment on the columns whose cells must be numbers, if any."""
        member, columns = self.model.members[0], self.model.columns
        numbers = [
            json.dumps(feature.name, ensure_ascii=False)
            for feature in member.features
            if feature.name in columns and _holds_numbers(feature)
        ]
        if not numbers:
            return ""
        return (
            "-- A cell is compared by its type, so text '1' is not the number 1. Store "
            f"or\n-- CAST as numbers: {', '.join(numbers)}\n"
        )

    def _named_members(self) -> list[tuple[PortableMember, TableNames]]:
        """Return the members; of several, each has a number in its names."""
        members = self.model.members
        if len(members) == 1:
            return [(members[0], self.names)]
        words = (f"{self.names.word}_{i}" for i in range(1, len(members) + 1))
        return list(zip(members, map(TableNames, words), strict=True))

    def created(self, names: TableNames, what: str) -> str:
        """Return the quoted name of a table or view that is created."""
        most = self.dialect.max_name
        if most is not None and len(f"{names.word}_{what}".encode()) > most:
            raise ValueError(
                f"The name {f'{names.word}_{what}'!r} has more than {most} bytes, and "
                "the database would cut it. Pass a shorter name (--name)."
            )
        return names.of(what)

    def create_table(
        self, names: TableNames, what: str, columns: str, rows: Iterable[str]
    ) -> Iterator[str]:
        """Yield the statements for a table and its rows."""
        table = self.created(names, what)
        yield f"CREATE TABLE {table} ({columns})"
        left = iter(rows)
        while some := [f"({row})" for row in islice(left, ROWS_AT_ONCE)]:
            yield f"INSERT INTO {table} VALUES\n" + ",\n".join(some)
        yield from self.dialect.analyze(table)

    def create_view(self, names: TableNames, what: str, query: str) -> str:
        """Return the statement for a view."""
        return f"CREATE VIEW {self.created(names, what)} AS\n{query}"

    def cells(self) -> Iterator[str]:
        """Yield statements for the columns, and the views of keys and of cells."""
        names, columns = self.names, self.model.columns
        yield from self.create_table(
            names,
            "columns",
            "column_number INTEGER PRIMARY KEY, name TEXT",
            (f"{at}, {text(name)}" for at, name in enumerate(columns)),
        )
        table, key = qualified(self.table), f"t.{identifier(self.key)}"
        yield self.create_view(
            names,
            "keys",
            f"SELECT {key} AS key FROM {table} t WHERE {key} IS NOT NULL\n"
            f"GROUP BY {key} HAVING COUNT(*) < 2",
        )
        rows = f"{table} t JOIN {names.of('keys')} k ON k.key = {key}"
        quoted = [f"t.{identifier(name)}" for name in columns]
        query = self.dialect.cells(rows, quoted, names.of("columns"))
        yield self.create_view(names, "cells", query)

    def classes(self, votes: list[str]) -> Iterator[str]:
        """Yield statements for the labels, and the views of probabilities and classes.

        Classes without votes have a line of zero, added to those of each member.
        """
        names, labels = self.names, self.model.labels
        kind, literal = LABELS[type(labels[0])]
        prior = self._prior()
        yield from self.create_table(
            names,
            "labels",
            f"class INTEGER PRIMARY KEY, label {kind}, prior DOUBLE PRECISION",
            (f"{c}, {literal(x)}, {number(prior[c])}" for c, x in enumerate(labels)),
        )
        every = [f"SELECT key, class, share FROM {view}" for view in votes]
        every.append(
            f"SELECT k.key, l.class, 0.0e0 FROM {names.of('keys')} k "
            f"CROSS JOIN {names.of('labels')} l"
        )
        yield self.create_view(
            names,
            "probabilities",
            f"""SELECT a.key, a.class, l.label, {self._probability()} AS probability
FROM (
SELECT key, class, SUM(share) / {number(len(votes))} AS share FROM (
{" UNION ALL ".join(every)}
) v GROUP BY key, class
) a JOIN {names.of("labels")} l ON l.class = a.class""",
        )
        yield self.create_view(
            names,
            "classes",
            f"""SELECT key, label, probability FROM (
SELECT *, ROW_NUMBER() OVER (PARTITION BY key ORDER BY class) AS place FROM (
SELECT *, MAX(probability) OVER (PARTITION BY key) AS best
FROM {names.of("probabilities")}
) a WHERE probability >= best - {number(SHARE_TIE)} ) b WHERE place = 1""",
        )

    def _prior(self) -> Array:
        """Return the prior of each class, zero where none is used."""
        calibration = self.model.calibration
        return (
            np.zeros(len(self.model.labels))
            if calibration is None
            else (calibration.prior)
        )

    def _probability(self) -> str:
        """Return a probability, from the mean share of a class."""
        if self.model.calibration is None:
            return "a.share"
        sharpness = self.model.calibration.sharpness
        prior_share = self.model.calibration.prior_share
        least = LEAST_POWER ** (1.0 / max(sharpness, 1.0))
        power = (
            f"CASE WHEN a.share > {number(least)} "
            f"THEN POWER(a.share, {number(sharpness)}) ELSE 0.0e0 END"
        )
        return (
            f"{number(1.0 - prior_share)} * {power}\n"
            f"    / SUM({power}) OVER (PARTITION BY a.key) "
            f"+ {number(prior_share)} * l.prior"
        )


LABELS: dict[type, tuple[str, Callable[[Any], str]]] = {
    str: ("TEXT", text),
    bool: ("BOOLEAN", lambda label: str(label).upper()),
    int: ("BIGINT", str),
    float: ("DOUBLE PRECISION", number),
}
"""Type of the labels -> its name in SQL, and what writes one."""


@dataclass(frozen=True)
class MemberScript:
    """The statements for one member."""

    script: Script
    member: PortableMember
    names: TableNames

    @property
    def dialect(self) -> Dialect:
        """The dialect."""
        return self.script.dialect

    @property
    def axes(self) -> list[str]:
        """The columns of a vector, none without vectors."""
        member = self.member
        return self.dialect.axes(member.size) if member.has_vectors else []

    def tables(self) -> Iterator[str]:
        """Yield the statements for all tables."""
        yield from self._table(
            "features",
            "feature INTEGER PRIMARY KEY, name TEXT, column_number INTEGER, "
            "first_part INTEGER, second_part INTEGER, missing INTEGER, unseen INTEGER",
            self._feature_rows(),
        )
        axes = self._declared_axes()
        yield from self._table(
            "values",
            "feature INTEGER, code INTEGER, kind TEXT, as_text TEXT, as_number DOUBLE "
            "PRECISION, low DOUBLE PRECISION, high DOUBLE PRECISION, first_code "
            f"INTEGER, second_code INTEGER{axes}, PRIMARY KEY (feature, code)",
            self._value_rows(),
        )
        for column in ("as_text", "as_number", "low", "first_code"):
            index = self.script.created(self.names, column)
            yield f"CREATE INDEX {index} ON {self.of('values')} (feature, {column})"
        if not self.member.has_vectors:
            yield from self._table(
                "distances",
                "feature INTEGER, code INTEGER, other INTEGER, distance DOUBLE "
                "PRECISION, PRIMARY KEY (feature, code, other)",
                self._distance_rows(),
            )
        if self.member.voters is not None:
            yield from self._voter_tables(self.member.voters, axes or ", codes TEXT")

    def _declared_axes(self) -> str:
        kind = self.dialect.axis_type(self.member.size)
        return "".join(f", {axis} {kind}" for axis in self.axes)

    def _table(self, what: str, columns: str, rows: Iterable[str]) -> Iterator[str]:
        return self.script.create_table(self.names, what, columns, rows)

    def _view(self, what: str, query: str) -> str:
        return self.script.create_view(self.names, what, query)

    def of(self, what: str) -> str:
        """Return the quoted name of a table or view."""
        return self.names.of(what)

    def _feature_rows(self) -> Iterator[str]:
        columns = self.script.model.columns
        for d, feature in enumerate(self.member.features):
            if isinstance(feature, CrossFeature):
                source = f"NULL, {feature.parts[0]}, {feature.parts[1]}"
            else:
                source = f"{columns.index(feature.name)}, NULL, NULL"
            codes = f"{feature.missing}, {feature.n_codes - 1}"
            yield f"{d}, {text(feature.name)}, {source}, {codes}"

    def _value_rows(self) -> Iterator[str]:
        for d, feature in enumerate(self.member.features):
            highs = _highs(feature) if isinstance(feature, IntervalFeature) else []
            for code, (kind, value) in enumerate(feature.entries()):
                high = highs[code] if kind == "from" else None
                cells = self._value_cells(kind, value, high)
                if self.member.has_vectors:
                    cells += self.dialect.literals(self.member.tables[d][code])
                yield f"{d}, {code}, {text(kind)}, {', '.join(cells)}"

    def _value_cells(self, kind: str, value: Any, high: float | None) -> list[str]:
        """Return as_text, as_number, low, high, first_code and second_code."""
        number = self.dialect.number
        is_number = kind in ("number", "boolean")
        first, second = value if kind == "pair" else (None, None)
        return [
            optional(text, value if kind == "text" else None),
            optional(number, value if is_number else None),
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

    def _voter_tables(self, voters: Voters, axes: str) -> Iterator[str]:
        """Yield the training rows and their classes; ``cell`` numbers unique rows."""
        yield from self._table(
            "rows",
            "cell INTEGER PRIMARY KEY, first_row INTEGER, n_rows DOUBLE PRECISION"
            f"{axes}",
            self._training_rows(voters),
        )
        if self.member.has_vectors:
            yield from self.dialect.index(self.of("rows"), self.member.size)
        else:
            yield from self._table(
                "row_codes",
                "cell INTEGER, feature INTEGER, code INTEGER, "
                "PRIMARY KEY (feature, code, cell)",
                (),
            )
            query = self.dialect.row_codes(self.of("rows"), voters.codes.shape[1])
            yield f"INSERT INTO {self.of('row_codes')}\n{query}"
            yield from self.dialect.analyze(self.of("row_codes"))
        yield from self._table(
            "shares",
            "cell INTEGER, class INTEGER, share DOUBLE PRECISION, "
            "PRIMARY KEY (cell, class)",
            (
                f"{row}, {label}, {number(voters.shares[row, label])}"
                for row, label in np.argwhere(voters.shares > 0.0).tolist()
            ),
        )

    def _training_rows(self, voters: Voters) -> Iterator[str]:
        vectors = self.member.ball.vectors if self.member.has_vectors else None
        for row, count in enumerate(voters.counts):
            cells = [str(row), str(voters.numbers[row]), number(count)]
            if vectors is None:
                cells.append(f"'{voters.codes[row].tolist()}'")
            else:
                cells += self.dialect.literals(vectors[row])
            yield ", ".join(cells)

    def views(self) -> Iterator[str]:
        """Yield the views from cells to codes, vectors, and the rows that vote."""
        if any(isinstance(f, CrossFeature) for f in self.member.features):
            yield self._view("column_codes", self._codes())
            yield self._view("codes", self._codes_with_crosses())
        else:
            yield self._view("codes", self._codes())
        if self.member.has_vectors:
            sums = ", ".join(["c.key", *self.dialect.vector_sum(self.member.size)])
            yield self._view(
                "vectors",
                f"""SELECT {sums}
FROM {self.of("codes")} c
JOIN {self.of("values")} v ON v.feature = c.feature AND v.code = c.code
GROUP BY c.key""",
            )
        if self.member.voters is not None:
            yield self._view("nearest", self._nearest(self.member.voters))
            yield self._view(
                "votes",
                f"""SELECT n.key, s.class, SUM(n.votes * s.share)
    / SUM(SUM(n.votes * s.share)) OVER (PARTITION BY n.key) AS share
FROM {self.of("nearest")} n
JOIN {self.of("shares")} s ON s.cell = n.cell
GROUP BY n.key, s.class""",
            )

    def _codes_with_crosses(self) -> str:
        """Return a query for those codes and the ones of pairs."""
        codes = self.of("column_codes")
        return f"""SELECT key, feature, code FROM {codes}
UNION ALL
SELECT a.key, f.feature, COALESCE(v.code, f.unseen) AS code
FROM {codes} a
JOIN {self.of("features")} f ON f.first_part = a.feature
JOIN {codes} b ON b.key = a.key AND b.feature = f.second_part
LEFT JOIN {self.of("values")} v ON v.feature = f.feature
  AND v.first_code = a.code AND v.second_code = b.code{self.dialect.fence}"""

    def _codes(self) -> str:
        """Return a query for the code that every column of every row has."""
        kinds = {kind for f in self.member.features for kind, _ in f.entries()}
        joins = [join for join, of in JOINS.items() if kinds & of]
        found = "".join(f"{join[0]}.code, " for join in joins)
        values = self.of("values")
        joined = "\n".join(
            f"LEFT JOIN {values} {alias} ON {alias}.feature = f.feature AND {condition}"
            for alias, condition in joins
        )
        return f"""SELECT c.key, f.feature, COALESCE({found}CASE WHEN c.as_text IS NULL
    AND c.as_number IS NULL THEN f.missing ELSE f.unseen END) AS code
FROM {self.script.names.of("cells")} c
JOIN {self.of("features")} f ON f.column_number = c.column_number
{joined}{self.dialect.fence}"""

    def _nearest(self, voters: Voters) -> str:
        """Return a query for the rows that vote, with distances and votes.

        The k-th distance is that at which counts first reach k; rows within a tie of it
        share what is left of k.
        """
        if voters.temperature is not None:
            return self._soft(voters.temperature)
        k, enough = number(voters.n_neighbors), number(voters.enough)
        return f"""SELECT key, cell, first_row, distance,
    {WEIGHTED_VOTES[voters.weights]} AS votes
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
{self._distances(voters.n_nearest)}
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
  FROM {self.of("vectors")} u
) u
{dialect.compared(self.of("rows"), n_nearest)}"""

    def _of_tables(self, n_nearest: int | None) -> str:
        """Sum what differs from the most common distances, whose sum is constant."""
        common = sum(_most_common(table) for table in self.member.tables)
        return f"""SELECT *, {number(self.dialect.tie)}
  * MAX(distance) OVER (PARTITION BY key) AS tie
FROM (
  SELECT k.key, r.cell, r.first_row, r.n_rows,
    {number(common)} + COALESCE(s.distance, 0.0e0) AS distance
  FROM {self.script.names.of("keys")} k
  CROSS JOIN {self.of("rows")} r
  LEFT JOIN (
    SELECT c.key, o.cell, SUM(d.distance) AS distance
    FROM {self.of("codes")} c
    JOIN {self.of("distances")} d ON d.feature = c.feature AND d.code = c.code
    JOIN {self.of("row_codes")} o ON o.feature = d.feature AND o.code = d.other
    GROUP BY c.key, o.cell
  ) s ON s.key = k.key AND s.cell = r.cell
) x"""


JOINS = {
    ("w", "w.as_text = c.as_text"): {"text"},
    ("n", "n.as_number = c.as_number"): {"number", "boolean"},
    ("i", "i.low <= c.as_number AND c.as_number <= i.high"): {"from"},
}
"""Join of a cell with the code that it has, and the kinds of entries that need it."""
WEIGHTED_VOTES = {
    "uniform": "votes",
    "distance": "CASE WHEN distance = 0 THEN votes WHEN least = 0 THEN 0.0e0 "
    "ELSE votes / NULLIF(distance, 0) END",
}
"""Weights of a classifier -> expression of a vote."""


def _holds_numbers(feature: Feature) -> bool:
    """Return whether all values of a feature are numbers."""
    kinds = {kind for kind, _ in feature.known()}
    return bool(kinds) and kinds <= {"number", "from"}


def _highs(feature: IntervalFeature) -> list[float]:
    """Return the largest double of each interval.

    Examples
    --------
    >>> _highs(IntervalFeature("size", 2, 3, [1.0]))
    [0.9999999999999999, inf]
    """
    return [*(nextafter(edge, -inf) for edge in feature.edges), inf]


def _most_common(table: Array) -> float:
    """Return the entry that a table has most often."""
    entries, counts = np.unique(table, return_counts=True)
    return float(entries[counts.argmax()])
