"""Where SQL databases differ: types of columns, and vectors; names and literals."""

from collections.abc import Callable, Sequence
from math import isinf
from typing import Any

from nearkind.export.portable import as_double
from nearkind.neighbors import TIE
from nearkind.protocols import Array


def identifier(name: str) -> str:
    """Return a quoted name of a column or table.

    Examples
    --------
    >>> print(identifier('5" nails; --'))
    "5"" nails; --"
    """
    if not name:
        raise ValueError(
            "A column without a name cannot be asked for in SQL. Name it, and fit "
            "again."
        )
    return f'"{_checked(name).replace(chr(34), chr(34) * 2)}"'


def qualified(name: str) -> str:
    """Return a quoted name of a table, its schema before a point.

    Examples
    --------
    >>> print(qualified("sales.new rows"))
    "sales"."new rows"
    """
    return ".".join(identifier(part) for part in name.split("."))


def text(value: str) -> str:
    """Return a quoted text.

    Examples
    --------
    >>> print(text("O'Hara; --"))
    'O''Hara; --'
    """
    return f"'{_checked(value).replace(chr(39), chr(39) * 2)}'"


def number(value: Any) -> str:
    """Return a double that is read back to the last bit.

    The exponent keeps databases from taking it for a decimal.

    Examples
    --------
    >>> number(0.1), number(1), number(float("-inf"))
    ('0.1e0', '1.0e0', "CAST('-Infinity' AS DOUBLE PRECISION)")
    """
    x = as_double(value)
    if isinf(x):
        return f"CAST('{'-' * (x < 0)}Infinity' AS DOUBLE PRECISION)"
    shown = repr(x)
    return shown if "e" in shown else f"{shown}e0"


def optional(literal: Callable[[Any], str], value: Any) -> str:
    """Return a literal, or NULL for None."""
    return "NULL" if value is None else literal(value)


def _checked(value: str) -> str:
    if "\0" in value:
        raise ValueError(
            f"{value!r:.60} holds the character of number zero, which databases cannot "
            "store. Replace it and fit again."
        )
    return value


class Dialect:
    """A dialect in which a vector is columns v0, v1, ... of doubles."""

    head: tuple[str, ...] = ()
    max_axes = 1_500  # PostgreSQL has 1,600 columns, some of which are not axes
    booleans: tuple[str, ...]
    numbers: tuple[str, ...]
    kind_of: str
    kth: str

    def has_type(self, cell: str, kinds: tuple[str, ...]) -> str:
        """Return a condition that a cell is of one of these types."""
        kind = self.kind_of.format(cell)
        return "(" + " OR ".join(f"{kind} LIKE '{each}'" for each in kinds) + ")"

    def declare_vector(self, size: int) -> str:
        """Return the columns of a vector, for CREATE TABLE."""
        return ", ".join(f"v{axis} DOUBLE PRECISION" for axis in range(size))

    def vector_columns(self, size: int) -> str:
        """Return the columns of a vector, for SELECT."""
        return ", ".join(f"v{axis}" for axis in range(size))

    def literal(self, vector: Array) -> str:
        """Return a vector, for INSERT."""
        return ", ".join(map(number, vector.tolist()))

    def vector_sum(self, tables: Sequence[str], size: int) -> str:
        """Return the sum of the vectors of several tables."""
        return ",\n  ".join(
            f"{' + '.join(f'{table}.v{axis}' for table in tables)} AS v{axis}"
            for axis in range(size)
        )

    def distance(self, size: int) -> str:
        """Return the distance between vectors of u and r."""
        steps = (f"(u.v{axis} - r.v{axis})" for axis in range(size))
        return f"SQRT({' + '.join(f'{step} * {step}' for step in steps)})"

    def candidates(self, vectors: str, rows: str, size: int, n_nearest: int) -> str:
        """Return a query for all rows that may vote, with distance and tie.

        These are all as near as the ``n_nearest``-th, whatever they weigh.
        """
        distance = self.distance(size)
        kth = self.kth.format("x.distance", n_nearest)
        return f"""SELECT u.key, r.cell, r.first_row, r.n_rows, b.tie,
    {distance} AS distance
  FROM {vectors} u
  CROSS JOIN LATERAL (
    SELECT {number(TIE)} * MAX(x.distance) AS tie, {kth} AS bound
    FROM (SELECT {distance} AS distance FROM {rows} r) x
  ) b
  CROSS JOIN {rows} r
  WHERE {distance} <= b.bound + b.tie"""

    def index(self, rows: str, size: int) -> list[str]:
        """Return statements that create an index of the rows."""
        return []


class DuckDB(Dialect):
    """DuckDB 1.1 or later."""

    booleans = ("BOOLEAN",)
    numbers = ("%INT", "%INTEGER", "FLOAT", "DOUBLE", "DECIMAL%")
    kind_of = "typeof({})"
    kth = "LIST_EXTRACT(MIN({0}, {1}), {1})"


class Postgres(Dialect):
    """PostgreSQL 12 or later."""

    booleans = ("boolean",)
    numbers = ("%int", "integer", "real", "double precision", "numeric%")
    kind_of = "CAST(pg_typeof({}) AS TEXT)"
    kth = "(ARRAY_AGG({0} ORDER BY {0}))[{1}]"


class PgVector(Postgres):
    """PostgreSQL with pgvector: single precision, and an index that may miss rows."""

    head = ("CREATE EXTENSION IF NOT EXISTS vector",)
    max_axes = 16_000
    max_indexed = 2_000
    tie = 1e-5
    n_extra = 100

    def declare_vector(self, size: int) -> str:
        """Return the column of a vector, for CREATE TABLE."""
        return f"vector vector({size})"

    def vector_columns(self, size: int) -> str:
        """Return the column of a vector, for SELECT."""
        return "vector"

    def literal(self, vector: Array) -> str:
        """Return a vector, for INSERT."""
        return f"'[{', '.join(map(repr, vector.tolist()))}]'"

    def vector_sum(self, tables: Sequence[str], size: int) -> str:
        """Return the sum of the vectors of several tables."""
        return f"{' + '.join(f'{table}.vector' for table in tables)} AS vector"

    def candidates(self, vectors: str, rows: str, size: int, n_nearest: int) -> str:
        """Return a query for the nearest rows that the index finds, and some beyond."""
        return f"""SELECT u.key, r.*,
    {number(self.tie)} * MAX(r.distance) OVER (PARTITION BY u.key) AS tie
  FROM {vectors} u
  CROSS JOIN LATERAL (
    SELECT x.cell, x.first_row, x.n_rows, x.vector <-> u.vector AS distance
    FROM {rows} x
    ORDER BY x.vector <-> u.vector
    LIMIT {n_nearest + self.n_extra}
  ) r"""

    def index(self, rows: str, size: int) -> list[str]:
        """Return statements that create an index of the rows."""
        if size > self.max_indexed:
            return []
        return [f"CREATE INDEX ON {rows} USING hnsw (vector vector_l2_ops)"]


DIALECTS: dict[str, Dialect] = {
    "duckdb": DuckDB(),
    "postgres": Postgres(),
    "pgvector": PgVector(),
}
