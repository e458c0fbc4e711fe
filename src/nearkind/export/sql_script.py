"""SQL: a script of tables and views that embeds and classifies rows of a table.

Tables hold all values with their vectors, the training rows and the classes. Views lead
from cells of the user's table to codes, to vectors, to the nearest rows, to classes.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from nearkind.errors import did_you_mean
from nearkind.export.portable import (
    CrossFeature,
    Feature,
    IntervalFeature,
    PortableClassifier,
    PortableModel,
    ValueFeature,
    non_texts,
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
from nearkind.neighbors.voting import SHARE_TIE

ROWS_AT_ONCE = 500
"""Rows of one INSERT."""
NAN = "CAST('NaN' AS DOUBLE PRECISION)"


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
    name: str = "nearkind",
) -> list[Path]:
    """Write a script that creates tables, and views on the rows of a table.

    Parameters
    ----------
    model : PortableModel
    path : Path
    dialect : {"duckdb", "postgres", "pgvector"}, default="duckdb"
    table : str, default="new_rows"
        Table whose rows are embedded and classified, its schema before a point; it must
        be there when the script is run.
    key : str, default="id"
        Column of it that tells rows apart; rows without a key, or with that of another,
        are left out.
    name : str, default="nearkind"
        Word with which all names begin that the script creates.
    """
    if dialect not in DIALECTS:
        raise ValueError(
            f"There is no dialect {dialect!r}. {did_you_mean(dialect, DIALECTS)}"
        )
    chosen = DIALECTS[dialect]
    if model.size > chosen.max_axes:
        raise ValueError(
            f"The vectors have {model.size:,} numbers, and a table holds at most "
            f"{chosen.max_axes:,} in dialect {dialect!r}. Fit with a larger strength, "
            "which shortens them, or export to JSON or ONNX."
        )
    with atomic_write(path) as file:
        for statement in _statements(model, chosen, table, key, TableNames(name)):
            file.write(f"{statement};\n".encode())
    return [path]


def _statements(
    model: PortableModel, dialect: Dialect, table: str, key: str, names: TableNames
) -> Iterator[str]:
    yield "-- A model of nearkind, to be run as a whole\nBEGIN"
    yield from dialect.head
    yield from value_table(model, names, dialect)
    yield from vector_views(model, names, dialect, table, key)
    if model.classifier is not None:
        yield from row_tables(model.classifier, model.size, names, dialect)
        yield from class_views(model.classifier, model.size, names, dialect)
    yield "COMMIT"


def value_table(
    model: PortableModel, names: TableNames, dialect: Dialect
) -> Iterator[str]:
    """Yield statements for the table of all values, a row each."""
    table = names.of("values")
    yield (
        f"CREATE TABLE {table} (feature TEXT, code INTEGER, kind TEXT, as_text TEXT, "
        f"as_number DOUBLE PRECISION, {dialect.declare_vector(model.size)}, "
        "PRIMARY KEY (feature, code))"
    )
    yield from _inserts(table, _value_rows(model, dialect))
    for column in ("as_text", "as_number"):
        yield f"CREATE INDEX {names.of(column)} ON {table} (feature, {column})"


def _value_rows(model: PortableModel, dialect: Dialect) -> Iterator[str]:
    for feature in model.features:
        name = text(feature.name)
        for code, (kind, value) in enumerate(feature.entries()):
            is_text = kind in ("text", "pair")
            cells = (
                optional(text, value if is_text else None),
                optional(number, None if is_text else value),
                dialect.literal(feature.vectors[code]),
            )
            yield f"{name}, {code}, {text(kind)}, {', '.join(cells)}"


def row_tables(
    classifier: PortableClassifier, size: int, names: TableNames, dialect: Dialect
) -> Iterator[str]:
    """Yield statements for the training rows, their classes and the labels.

    The column ``cell`` numbers unique rows.
    """
    rows, shares, labels = (names.of(what) for what in ("rows", "shares", "labels"))
    yield (
        f"CREATE TABLE {rows} (cell INTEGER PRIMARY KEY, first_row INTEGER, n_rows "
        f"DOUBLE PRECISION, {dialect.declare_vector(size)})"
    )
    yield from _inserts(rows, _training_rows(classifier, dialect))
    yield from dialect.index(rows, size)
    yield (
        f"CREATE TABLE {shares} (cell INTEGER, class INTEGER, share DOUBLE PRECISION, "
        "PRIMARY KEY (cell, class))"
    )
    yield from _inserts(shares, _share_rows(classifier))
    kind, literal = LABELS[type(classifier.labels[0])]
    yield f"CREATE TABLE {labels} (class INTEGER PRIMARY KEY, label {kind})"
    places = enumerate(classifier.labels)
    yield from _inserts(labels, (f"{c}, {literal(label)}" for c, label in places))


def _training_rows(classifier: PortableClassifier, dialect: Dialect) -> Iterator[str]:
    numbers, counts = classifier.numbers.tolist(), classifier.counts.tolist()
    for row, vector in enumerate(classifier.vectors):
        count = number(counts[row])
        yield f"{row}, {numbers[row]}, {count}, {dialect.literal(vector)}"


def _share_rows(classifier: PortableClassifier) -> Iterator[str]:
    for row, label in np.argwhere(classifier.shares > 0.0).tolist():
        yield f"{row}, {label}, {number(classifier.shares[row, label])}"


def _inserts(table: str, rows: Iterable[str]) -> Iterator[str]:
    left = iter(rows)
    while some := [f"({row})" for row in islice(left, ROWS_AT_ONCE)]:
        yield f"INSERT INTO {table} VALUES\n" + ",\n".join(some)


LABELS: dict[type, tuple[str, Callable[[Any], str]]] = {
    str: ("TEXT", text),
    bool: ("BOOLEAN", lambda label: str(label).upper()),
    int: ("BIGINT", str),
    float: ("DOUBLE PRECISION", number),
}
"""Type of the labels -> its name in SQL, and what writes one."""


def vector_views(
    model: PortableModel, names: TableNames, dialect: Dialect, table: str, key: str
) -> Iterator[str]:
    """Yield the views from rows of a user's table to their vectors."""
    features, crosses = model.features, model.crosses
    columns = list(enumerate(features[: len(features) - len(crosses)]))
    cells = ",\n  ".join(_cells(d, f, dialect) for d, f in columns)
    yield f"""CREATE VIEW {names.of("cells")} AS
SELECT t.{identifier(key)} AS key,
  {cells}
FROM {qualified(table)} t"""
    codes = ",\n  ".join(_code(d, f, names) for d, f in columns)
    coded = f"SELECT c.key,\n  {codes}\nFROM {names.of('cells')} c"
    if crosses:
        pairs = ",\n  ".join(_code(d, f, names) for d, f in crosses.items())
        coded = f"SELECT c.*,\n  {pairs}\nFROM (\n{coded}\n) c"
    yield f"CREATE VIEW {names.of('codes')} AS\n{coded}"
    places = [f"f{d}" for d in range(len(features))]
    joined = "\n".join(
        f"JOIN {names.of('values')} f{d} ON f{d}.feature = {text(feature.name)} "
        f"AND f{d}.code = c.code{d}"
        for d, feature in enumerate(features)
    )
    total = dialect.vector_sum(places, model.size)
    yield f"""CREATE VIEW {names.of("vectors")} AS
SELECT key, {dialect.vector_columns(model.size)} FROM (
SELECT c.key, COUNT(*) OVER (PARTITION BY c.key) AS copies,
  {total}
FROM {names.of("codes")} c
{joined}
) u WHERE key IS NOT NULL AND copies = 1"""


def _cells(d: int, feature: Feature, dialect: Dialect) -> str:
    """Return a cell as text and as number, both NULL if it is missing."""
    cell = f"t.{identifier(feature.name)}"
    return CELLS[type(feature)](d, cell, dialect)


def _any_cell(d: int, cell: str, dialect: Dialect) -> str:
    is_boolean = dialect.has_type(cell, dialect.booleans)
    is_number = dialect.has_type(cell, dialect.numbers)
    as_text = f"CAST({cell} AS TEXT)"
    return (
        f"CASE WHEN {is_boolean} OR {is_number} THEN NULL ELSE {as_text} END "
        f"AS text{d},\n  "
        f"CASE WHEN {is_boolean} THEN CASE {as_text} WHEN 'true' THEN 1.0e0 "
        "WHEN 'false' THEN 0.0e0 END "
        f"WHEN {is_number} THEN NULLIF(CAST({as_text} AS DOUBLE PRECISION), {NAN}) "
        f"END AS number{d}"
    )


def _number_cell(d: int, cell: str, dialect: Dialect) -> str:
    return f"NULLIF(CAST({cell} AS DOUBLE PRECISION), {NAN}) AS number{d}"


def _code(d: int, feature: Feature, names: TableNames) -> str:
    return f"{CODES[type(feature)](d, feature, names)} AS code{d}"


def _value_code(d: int, feature: ValueFeature, names: TableNames) -> str:
    values, name = names.of("values"), text(feature.name)
    n_numbers = len(non_texts(feature.values))
    sorts = {"text": len(feature.values) - n_numbers, "number": n_numbers}
    found = [
        f"(SELECT v.code FROM {values} v WHERE v.feature = {name} "
        f"AND v.as_{sort} = c.{sort}{d})"
        for sort, count in sorts.items()
        if count
    ]
    unseen = len(feature.vectors) - 1
    otherwise = (
        f"CASE WHEN c.text{d} IS NULL AND c.number{d} IS NULL "
        f"THEN {feature.missing} ELSE {unseen} END"
    )
    return f"COALESCE({', '.join([*found, otherwise])})"


def _interval_code(d: int, feature: IntervalFeature, names: TableNames) -> str:
    return (
        f"COALESCE((SELECT MAX(v.code) FROM {names.of('values')} v WHERE v.feature = "
        f"{text(feature.name)} AND v.as_number <= c.number{d}), {feature.missing})"
    )


def _cross_code(d: int, feature: CrossFeature, names: TableNames) -> str:
    a, b = (f"CAST(c.code{part} AS TEXT)" for part in feature.parts)
    return (
        f"COALESCE((SELECT v.code FROM {names.of('values')} v WHERE v.feature = "
        f"{text(feature.name)} AND v.as_text = {a} || ' ' || {b}), {feature.missing})"
    )


CELLS: dict[type, Callable[[int, str, Dialect], str]] = {
    ValueFeature: _any_cell,
    IntervalFeature: _number_cell,
}
CODES: dict[type, Callable[[int, Any, TableNames], str]] = {
    ValueFeature: _value_code,
    IntervalFeature: _interval_code,
    CrossFeature: _cross_code,
}


def class_views(
    classifier: PortableClassifier, size: int, names: TableNames, dialect: Dialect
) -> Iterator[str]:
    """Yield the views from vectors to the rows that vote, and to classes."""
    asked = names.of("vectors"), names.of("rows"), size, classifier.n_nearest
    candidates = dialect.candidates(*asked)
    k, enough = number(classifier.n_neighbors), number(classifier.enough)
    yield f"""CREATE VIEW {names.of("nearest")} AS
SELECT key, cell, first_row, distance, {WEIGHTED_VOTES[classifier.weights]} AS votes
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
  {candidates}
) a ) b ) c WHERE distance <= kth + tie ) d
WINDOW every AS (PARTITION BY key) ) e"""
    yield f"""CREATE VIEW {names.of("probabilities")} AS
SELECT n.key, s.class, l.label, SUM(n.votes * s.share)
    / SUM(SUM(n.votes * s.share)) OVER (PARTITION BY n.key) AS probability
FROM {names.of("nearest")} n
JOIN {names.of("shares")} s ON s.cell = n.cell
JOIN {names.of("labels")} l ON l.class = s.class
GROUP BY n.key, s.class, l.label"""
    yield f"""CREATE VIEW {names.of("classes")} AS
SELECT key, label, probability FROM (
SELECT *, ROW_NUMBER() OVER (PARTITION BY key ORDER BY class) AS place FROM (
SELECT *, MAX(probability) OVER (PARTITION BY key) AS best
FROM {names.of("probabilities")}
) a WHERE probability >= best - {number(SHARE_TIE)} ) b WHERE place = 1"""


WEIGHTED_VOTES = {
    "uniform": "votes",
    "distance": "CASE WHEN distance = 0 THEN votes WHEN least = 0 THEN 0.0e0 "
    "ELSE votes / NULLIF(distance, 0) END",
}
"""Weights of a classifier -> expression of a vote."""
