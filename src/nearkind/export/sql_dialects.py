"""Where SQL databases differ: types of cells, and vectors; names and literals."""

from abc import ABC, abstractmethod
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
    """Return a finite double that is read back to the last bit.

    The exponent keeps databases from taking it for a decimal.

    Examples
    --------
    >>> number(0.1), number(1)
    ('0.1e0', '1.0e0')
    """
    shown = repr(as_double(value))
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


def total(terms: Sequence[str]) -> str:
    """Return a sum whose brackets are nested as little as can be.

    Databases limit the depth of an expression, to 1,000 for example.

    Examples
    --------
    >>> total(["a", "b", "c"]), total([])
    ('(a + (b + c))', '0.0e0')
    """
    if len(terms) < 2:
        return terms[0] if terms else "0.0e0"
    half = len(terms) // 2
    return f"({total(terms[:half])} + {total(terms[half:])})"


def _listed(vector: Array) -> str:
    return f"'[{', '.join(map(repr, vector.tolist()))}]'"


class Dialect(ABC):
    """A dialect in which a vector is columns v0, v1, ... of doubles.

    Attributes
    ----------
    head : tuple of str
        Statements before all others.
    max_axes : int
        Numbers of a vector at most.
    max_name : int or None
        Bytes of a name at most; longer ones are cut, so that two may be the same.
    fence : str
        What keeps a view from being mixed with the query that uses it, if need be.
    tie : float
        Share of the largest distance within which two are equal.
    """

    head: tuple[str, ...] = ()
    max_axes = 1_500  # PostgreSQL has 1,600 columns, some of which are not axes
    max_name: int | None = None
    fence = ""
    tie = TIE
    booleans: tuple[str, ...]
    numbers: tuple[str, ...]
    kind_of: str

    def analyze(self, table: str) -> list[str]:
        """Return statements that make plans good once a table has its rows."""
        return []

    def number(self, value: Any) -> str:
        """Return a double that is read back to the last bit, infinite ones too."""
        x = as_double(value)
        return self.infinity(x) if isinf(x) else number(x)

    def infinity(self, x: float) -> str:
        """Return an infinite double."""
        return f"CAST('{'-' * (x < 0)}Infinity' AS DOUBLE PRECISION)"

    def as_text(self, cell: str) -> str:
        """Return a cell as text, NULL if it is missing, a number or a boolean."""
        other = self._has_type(cell, (*self.booleans, *self.numbers))
        return f"CASE WHEN {other} THEN NULL ELSE CAST({cell} AS TEXT) END"

    def as_number(self, cell: str) -> str:
        """Return a cell as a double, NULL if it is missing, not a number or text."""
        digits = f"CAST({cell} AS TEXT)"
        nan = "CAST('NaN' AS DOUBLE PRECISION)"
        return (
            f"CASE WHEN {self._has_type(cell, self.booleans)} THEN CASE {digits} "
            "WHEN 'true' THEN 1.0e0 WHEN 'false' THEN 0.0e0 END "
            f"WHEN {self._has_type(cell, self.numbers)} "
            f"THEN NULLIF(CAST({digits} AS DOUBLE PRECISION), {nan}) END"
        )

    def _has_type(self, cell: str, kinds: tuple[str, ...]) -> str:
        kind = self.kind_of.format(cell)
        return "(" + " OR ".join(f"{kind} LIKE '{each}'" for each in kinds) + ")"

    def cells(self, rows: str, columns: Sequence[str], numbers: str) -> str:
        """Return a query for key, column_number, as_text, as_number of all cells.

        Parameters
        ----------
        rows : str
            What to select from, the rows being ``t`` and their keys ``k.key``.
        columns : sequence of str
            The columns, as ``t."colour"``.
        numbers : str
            Table of the numbers of the columns.
        """
        at = ", ".join(map(str, range(len(columns))))
        texts = ",\n    ".join(map(self.as_text, columns))
        doubles = ",\n    ".join(map(self.as_number, columns))
        return f"""SELECT k.key, UNNEST(ARRAY[{at}]) AS column_number,
  UNNEST(ARRAY[
    {texts}]) AS as_text,
  UNNEST(ARRAY[
    {doubles}]) AS as_number
FROM {rows}"""

    @abstractmethod
    def row_codes(self, rows: str, n_features: int) -> str:
        """Return a query for cell, feature, code of all rows, from lists as text."""

    def axes(self, size: int) -> list[str]:
        """Return the names of the columns of a vector."""
        return [f"v{axis}" for axis in range(size)]

    def axis_type(self, size: int) -> str:
        """Return the type of each."""
        return "DOUBLE PRECISION"

    def literals(self, vector: Array) -> list[str]:
        """Return a vector, one literal for each of these columns."""
        return [number(x) for x in vector.tolist()]

    def vector_sum(self, size: int) -> list[str]:
        """Return the sum of the vectors of ``v``."""
        return [f"SUM(v.{axis}) AS {axis}" for axis in self.axes(size)]

    def distance(self, a: Sequence[str], b: Sequence[str]) -> str:
        """Return the distance between two vectors, given by their columns."""
        steps = [f"({x} - {y})" for x, y in zip(a, b, strict=True)]
        return f"SQRT({total([f'{step} * {step}' for step in steps])})"

    def compared(self, rows: str, n_nearest: int | None) -> str:
        """Return a join of vectors ``u`` with rows ``r``, at least the nearest."""
        return f"CROSS JOIN {rows} r"

    def index(self, rows: str, size: int) -> list[str]:
        """Return statements that create an index of the rows."""
        return []


class DuckDB(Dialect):
    """DuckDB 1.1 or later, a vector being an array."""

    max_axes = 100_000
    booleans = ("BOOLEAN",)
    numbers = ("%INT", "%INTEGER", "FLOAT", "DOUBLE", "DECIMAL%")
    kind_of = "typeof({})"

    def row_codes(self, rows: str, n_features: int) -> str:
        """Return a query for cell, feature, code of all rows."""
        return (
            f"SELECT r.cell, UNNEST(RANGE({n_features})) AS feature, "
            f"UNNEST(CAST(r.codes AS INTEGER[])) AS code FROM {rows} r"
        )

    def axes(self, size: int) -> list[str]:
        """Return the name of the column of a vector."""
        return ["vector"]

    def axis_type(self, size: int) -> str:
        """Return its type."""
        return f"DOUBLE[{size}]"

    def literals(self, vector: Array) -> list[str]:
        """Return a vector, as text: of many numbers it is read sooner than those."""
        return [f"CAST({_listed(vector)} AS {self.axis_type(len(vector))})"]

    def vector_sum(self, size: int) -> list[str]:
        """Return the sum of the vectors of ``v``, axis by axis."""
        sums = ", ".join(f"SUM(v.vector[{axis + 1}])" for axis in range(size))
        return [f"CAST([{sums}] AS {self.axis_type(size)}) AS vector"]

    def distance(self, a: Sequence[str], b: Sequence[str]) -> str:
        """Return the distance between two vectors."""
        return f"ARRAY_DISTANCE({a[0]}, {b[0]})"


class Postgres(Dialect):
    """PostgreSQL 12 or later."""

    max_name = 63
    booleans = ("boolean",)
    numbers = ("%int", "integer", "real", "double precision", "numeric%")
    kind_of = "CAST(pg_typeof({}) AS TEXT)"

    def analyze(self, table: str) -> list[str]:
        """Return statements that make plans good once a table has its rows."""
        return [f"ANALYZE {table}"]

    def row_codes(self, rows: str, n_features: int) -> str:
        """Return a query for cell, feature, code of all rows."""
        return (
            "SELECT r.cell, c.place - 1 AS feature, CAST(c.code AS INTEGER) AS code "
            f"FROM {rows} r CROSS JOIN LATERAL json_array_elements_text("
            "CAST(r.codes AS json)) WITH ORDINALITY c (code, place)"
        )


class PgVector(Postgres):
    """PostgreSQL with pgvector: single precision, and an index that may miss rows."""

    head = ("CREATE EXTENSION IF NOT EXISTS vector",)
    max_axes = 16_000
    max_indexed = 2_000
    tie = 1e-5
    n_extra = 100

    def axes(self, size: int) -> list[str]:
        """Return the name of the column of a vector."""
        return ["vector"]

    def axis_type(self, size: int) -> str:
        """Return its type."""
        return f"vector({size})"

    def literals(self, vector: Array) -> list[str]:
        """Return a vector."""
        return [_listed(vector)]

    def vector_sum(self, size: int) -> list[str]:
        """Return the sum of the vectors of ``v``."""
        return ["SUM(v.vector) AS vector"]

    def distance(self, a: Sequence[str], b: Sequence[str]) -> str:
        """Return the distance between two vectors."""
        return f"({a[0]} <-> {b[0]})"

    def compared(self, rows: str, n_nearest: int | None) -> str:
        """Return a join with the nearest rows that the index finds, and some beyond."""
        if n_nearest is None:
            return super().compared(rows, n_nearest)
        return f"""CROSS JOIN LATERAL (
  SELECT x.* FROM {rows} x
  ORDER BY x.vector <-> u.vector
  LIMIT {n_nearest + self.n_extra}
) r"""

    def index(self, rows: str, size: int) -> list[str]:
        """Return statements that create an index of the rows."""
        if size > self.max_indexed:
            return []
        return [f"CREATE INDEX ON {rows} USING hnsw (vector vector_l2_ops)"]


class SQLite(Dialect):
    """SQLite 3.38 or later, with its mathematical functions."""

    fence = "\nLIMIT -1"
    head = (
        "-- An error 'no such function' here: this SQLite was compiled without\n"
        "-- SQLITE_ENABLE_MATH_FUNCTIONS, which the views need\n"
        "SELECT SQRT(1.0), EXP(1.0), POWER(1.0, 1.0) WHERE FALSE",
    )

    def infinity(self, x: float) -> str:
        """Return an infinite double, as a number that is too large."""
        return f"{'-' * (x < 0)}9e999"

    def as_text(self, cell: str) -> str:
        """Return a cell as text, NULL if it is missing or a number."""
        return f"CASE WHEN typeof({cell}) IN ('text', 'blob') THEN {cell} || '' END"

    def as_number(self, cell: str) -> str:
        """Return a cell as a double, NULL if it is missing or text."""
        number = f"CAST({cell} AS REAL)"
        return f"CASE WHEN typeof({cell}) IN ('integer', 'real') THEN {number} END"

    def cells(self, rows: str, columns: Sequence[str], numbers: str) -> str:
        """Return a query for all cells, each picked from its row by a number."""

        def picked(cell_of: Callable[[str], str]) -> str:
            choices = (
                f"WHEN {at} THEN {cell_of(cell)}" for at, cell in enumerate(columns)
            )
            return "CASE c.column_number\n    " + "\n    ".join(choices) + " END"

        return f"""SELECT k.key, c.column_number,
  {picked(self.as_text)} AS as_text,
  {picked(self.as_number)} AS as_number
FROM {rows}
CROSS JOIN {numbers} c"""

    def row_codes(self, rows: str, n_features: int) -> str:
        """Return a query for cell, feature, code of all rows."""
        return (
            "SELECT r.cell, c.key AS feature, c.value AS code "
            f"FROM {rows} r CROSS JOIN json_each(r.codes) c"
        )


DIALECTS: dict[str, Dialect] = {
    "duckdb": DuckDB(),
    "postgres": Postgres(),
    "pgvector": PgVector(),
    "sqlite": SQLite(),
}
