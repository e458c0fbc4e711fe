"""What is stored: values with their vectors, training rows, classes."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np

from nearkind.export.entries import entries
from nearkind.export.portable import Portable, Vote
from nearkind.export.sql.dialects import Columns
from nearkind.export.sql.literals import identifier, number, optional, text

ROWS_AT_ONCE = 500
"""In one INSERT."""


@dataclass(frozen=True)
class Names:
    """Tables and views of a model, all of which begin with one word."""

    word: str

    def of(self, what: str) -> str:
        """Return the quoted name of a table or view."""
        return identifier(f"{self.word}_{what}")


def value_table(model: Portable, names: Names, dialect: Columns) -> Iterator[str]:
    """Yield statements for all values, a row each."""
    table = names.of("values")
    yield (
        f"CREATE TABLE {table} (feature TEXT, code INTEGER, kind TEXT, as_text TEXT, "
        f"as_number DOUBLE PRECISION, {dialect.declared(model.size)}, "
        "PRIMARY KEY (feature, code))"
    )
    yield from _inserted(table, _value_rows(model, dialect))
    for column in ("as_text", "as_number"):
        yield f"CREATE INDEX {names.of(column)} ON {table} (feature, {column})"


def _value_rows(model: Portable, dialect: Columns) -> Iterator[str]:
    for feature in model.features:
        name = text(feature.name)
        for code, (kind, value) in enumerate(entries(feature)):
            is_text = kind == "text"
            cells = (
                optional(text, value if is_text else None),
                optional(number, None if is_text else value),
                dialect.literal(feature.vectors[code]),
            )
            yield f"{name}, {code}, {text(kind)}, {', '.join(cells)}"


def row_tables(vote: Vote, size: int, names: Names, dialect: Columns) -> Iterator[str]:
    """Yield statements for the training rows, their classes and the labels."""
    rows, shares, labels = (names.of(what) for what in ("rows", "shares", "labels"))
    yield (
        f"CREATE TABLE {rows} (cell INTEGER PRIMARY KEY, first_row INTEGER, n_rows "
        f"DOUBLE PRECISION, {dialect.declared(size)})"
    )
    yield from _inserted(rows, _vote_rows(vote, dialect))
    yield from dialect.index(rows, size)
    yield (
        f"CREATE TABLE {shares} (cell INTEGER, class INTEGER, share DOUBLE PRECISION, "
        "PRIMARY KEY (cell, class))"
    )
    yield from _inserted(shares, _share_rows(vote))
    kind, literal = LABELS[type(vote.labels[0])]
    yield f"CREATE TABLE {labels} (class INTEGER PRIMARY KEY, label {kind})"
    places = enumerate(vote.labels)
    yield from _inserted(labels, (f"{c}, {literal(label)}" for c, label in places))


def _vote_rows(vote: Vote, dialect: Columns) -> Iterator[str]:
    numbers, counts = vote.numbers.tolist(), vote.counts.tolist()
    for cell, vector in enumerate(vote.vectors):
        count = number(counts[cell])
        yield f"{cell}, {numbers[cell]}, {count}, {dialect.literal(vector)}"


def _share_rows(vote: Vote) -> Iterator[str]:
    for cell, label in np.argwhere(vote.shares > 0.0).tolist():
        yield f"{cell}, {label}, {number(vote.shares[cell, label])}"


def _inserted(table: str, rows: Iterable[str]) -> Iterator[str]:
    left = iter(rows)
    while some := [f"({row})" for row in islice(left, ROWS_AT_ONCE)]:
        yield f"INSERT INTO {table} VALUES\n" + ",\n".join(some)


LABELS: dict[type, tuple[str, Callable[[Any], str]]] = {
    str: ("TEXT", text),
    bool: ("BOOLEAN", lambda label: str(label).upper()),
    int: ("BIGINT", str),
    float: ("DOUBLE PRECISION", number),
}
"""Type of the labels to that in SQL, and how one is written."""
