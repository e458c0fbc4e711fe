"""SQL: statements that create tables and views whose names begin with one word."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice

from nearkind.export.sql_dialects import Dialect, identifier

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
