"""What is asked: from cells to codes, to vectors, to nearest rows, to classes."""

from collections.abc import Callable, Iterator
from typing import Any

from nearkind.export.portable import Feature, Listed, Portable, Ranged, Vote
from nearkind.export.sql.dialects import Columns
from nearkind.export.sql.literals import identifier, number, qualified, text
from nearkind.export.sql.tables import Names
from nearkind.export.values import numbers

NAN = "CAST('NaN' AS DOUBLE PRECISION)"
ALMOST = 1e-9
"""Probabilities closer than this are equal; the first class has it."""


def vector_views(
    model: Portable, names: Names, dialect: Columns, table: str, key: str
) -> Iterator[str]:
    """Yield the views from rows of a user's table to their vectors."""
    features = model.features
    cells = ",\n  ".join(_cells(d, f, dialect) for d, f in enumerate(features))
    yield f"""CREATE VIEW {names.of("cells")} AS
SELECT t.{identifier(key)} AS key,
  {cells}
FROM {qualified(table)} t"""
    codes = ",\n  ".join(_code(d, f, names) for d, f in enumerate(features))
    yield f"""CREATE VIEW {names.of("codes")} AS
SELECT c.key,
  {codes}
FROM {names.of("cells")} c"""
    places = [f"f{d}" for d in range(len(features))]
    joined = "\n".join(
        f"JOIN {names.of('values')} f{d} ON f{d}.feature = {text(feature.name)} "
        f"AND f{d}.code = c.code{d}"
        for d, feature in enumerate(features)
    )
    total = dialect.total(places, model.size)
    yield f"""CREATE VIEW {names.of("vectors")} AS
SELECT key, {dialect.named(model.size)} FROM (
SELECT c.key, COUNT(*) OVER (PARTITION BY c.key) AS copies,
  {total}
FROM {names.of("codes")} c
{joined}
) u WHERE key IS NOT NULL AND copies = 1"""


def _cells(d: int, feature: Feature, dialect: Columns) -> str:
    """Return a cell as text and as number; what is missing is neither."""
    cell = f"t.{identifier(feature.name)}"
    return CELLS[type(feature)](d, cell, dialect)


def _any_cell(d: int, cell: str, dialect: Columns) -> str:
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


def _number_cell(d: int, cell: str, dialect: Columns) -> str:
    return f"NULLIF(CAST({cell} AS DOUBLE PRECISION), {NAN}) AS number{d}"


def _code(d: int, feature: Feature, names: Names) -> str:
    return f"{CODES[type(feature)](d, feature, names)} AS code{d}"


def _listed_code(d: int, feature: Listed, names: Names) -> str:
    values, name = names.of("values"), text(feature.name)
    n_numbers = len(numbers(feature.values))
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


def _ranged_code(d: int, feature: Ranged, names: Names) -> str:
    return (
        f"COALESCE((SELECT MAX(v.code) FROM {names.of('values')} v WHERE v.feature = "
        f"{text(feature.name)} AND v.as_number <= c.number{d}), {feature.missing})"
    )


CELLS: dict[type, Callable[[int, str, Columns], str]] = {
    Listed: _any_cell,
    Ranged: _number_cell,
}
CODES: dict[type, Callable[[int, Any, Names], str]] = {
    Listed: _listed_code,
    Ranged: _ranged_code,
}


def class_views(vote: Vote, size: int, names: Names, dialect: Columns) -> Iterator[str]:
    """Yield the views from vectors to the rows that vote, and to classes."""
    asked = names.of("vectors"), names.of("rows"), size, vote.n_nearest
    candidates = dialect.candidates(*asked)
    k, enough = number(vote.n_neighbors), number(vote.enough)
    yield f"""CREATE VIEW {names.of("nearest")} AS
SELECT key, cell, first_row, distance, {WEIGHED[vote.weights]} AS votes
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
) a WHERE probability >= best - {number(ALMOST)} ) b WHERE place = 1"""


WEIGHED = {
    "uniform": "votes",
    "distance": "CASE WHEN distance = 0 THEN votes WHEN least = 0 THEN 0.0e0 "
    "ELSE votes / NULLIF(distance, 0) END",
}
"""Votes by the weights of a classifier."""
