"""One SQL script: run it, and ask its views."""

from collections.abc import Iterator
from pathlib import Path

from nearkind.errors import did_you_mean
from nearkind.export.portable import Portable
from nearkind.export.sql.dialects import DIALECTS, Columns
from nearkind.export.sql.tables import Names, row_tables, value_table
from nearkind.export.sql.views import class_views, vector_views
from nearkind.io.atomic_write import atomic_write


def write(
    model: Portable,
    path: Path,
    dialect: str = "duckdb",
    table: str = "new_rows",
    key: str = "id",
    name: str = "nearkind",
) -> list[Path]:
    """Write a script that creates tables, and views on the rows of a table.

    Parameters
    ----------
    model : Portable
    path : Path
    dialect : "duckdb", "postgres" or "pgvector"
    table : whose rows are embedded and classified, its schema before a point; it must
        be there when the script is run
    key : column of it that tells rows apart; rows without a key, or with that of
        another, are left out
    name : word with which all names begin that the script creates
    """
    if dialect not in DIALECTS:
        raise ValueError(
            f"There is no dialect {dialect!r}. {did_you_mean(dialect, DIALECTS)}"
        )
    spoken = DIALECTS[dialect]
    if model.size > spoken.most_axes:
        raise ValueError(
            f"The vectors have {model.size:,} numbers, and a table holds at most "
            f"{spoken.most_axes:,} in dialect {dialect!r}. Fit with a larger strength, "
            "which shortens them, or export to JSON or ONNX."
        )
    with atomic_write(path) as file:
        for statement in _statements(model, spoken, table, key, Names(name)):
            file.write(f"{statement};\n".encode())
    return [path]


def _statements(
    model: Portable, dialect: Columns, table: str, key: str, names: Names
) -> Iterator[str]:
    yield "-- A model of nearkind, to be run as a whole\nBEGIN"
    yield from dialect.head
    yield from value_table(model, names, dialect)
    yield from vector_views(model, names, dialect, table, key)
    if model.vote is not None:
        yield from row_tables(model.vote, model.size, names, dialect)
        yield from class_views(model.vote, model.size, names, dialect)
    yield "COMMIT"
