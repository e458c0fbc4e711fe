"""Where SQL databases differ: types of cells, and vectors; names and literals."""

import re
from collections.abc import Callable, Sequence
from math import isinf
from typing import Any, ClassVar

from nearkind.export.portable_features import as_double
from nearkind.io.cells import MISSING
from nearkind.neighbors import TIE
from nearkind.protocols import Array

CONTROL = re.compile("([\x00-\x1f\x7f-\x9f\u2028\u2029\ufeff])")
"""A character that programs may change on the way, such as a line break."""
BLANKS = "".join(filter(str.isspace, map(chr, range(0x3001))))
"""All characters that ``str.strip`` drops."""
NUMERAL = "-?((0|[1-9][0-9]{0,14})([.][0-9]*)?|[.][0-9]+)([eE][-+]?[0-9]{1,2})?"
"""Text that writes a number, as in ``tables.numerals``, without looking ahead."""


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


def number(value: object) -> str:
    """Return a finite double that is read back to the last bit.

    The exponent keeps databases from taking it for a decimal.

    Examples
    --------
    >>> number(0.1), number(1)
    ('0.1e0', '1.0e0')
    """
    shown = repr(as_double(value))
    return shown if "e" in shown else f"{shown}e0"


def optional(literal: Callable[[Any], str], value: object) -> str:
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


class Dialect:
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
    character, trim : str
        Functions from the number of a character to the character, and from a text and
        some characters to the text without these around it.
    digits : str
        What becomes a number, of a cell that is one or writes one.
    types : dict of str to tuple of str
        Kind of a cell -> patterns of the types of its column.
    type_of : str
        Expression of the type of a column.
    is_nan, is_numeral : str
        Whether the number ``cell`` is none, and whether ``trimmed`` writes one.
    failure : str
        Expression that ends the query with a message, an expression.
    analysis : tuple of str
        Statements that make plans good once a table has its rows.
    row_codes : str
        Query for cell, feature, code of all ``rows``, from lists as text.
    """

    head: tuple[str, ...] = ()
    max_axes = 1_500  # PostgreSQL has 1,600 columns, some of which are not axes
    max_name: int | None = None
    fence = ""
    tie = TIE
    character = "CHR"
    trim = "TRIM"
    digits = "trimmed"
    types: ClassVar[dict[str, tuple[str, ...]]]
    type_of: str
    is_nan = "cell = 'NaN'"
    is_numeral: str
    failure: str
    analysis: tuple[str, ...] = ()
    row_codes: str

    def text(self, value: str) -> str:
        """Return a text whose line breaks and control characters are function calls.

        A program that translates line breaks would change them inside of quotes.
        """
        parts = CONTROL.split(_checked(value)) if value else [value]
        written = [
            f"{self.character}({ord(part)})" if at % 2 else text(part)
            for at, part in enumerate(parts)
            if part or not value
        ]
        return written[0] if len(written) == 1 else f"({' || '.join(written)})"

    def number(self, value: object) -> str:
        """Return a double that is read back to the last bit, infinite ones too."""
        x = as_double(value)
        return self.infinity(x) if isinf(x) else number(x)

    def infinity(self, x: float) -> str:
        """Return an infinite double."""
        return f"CAST('{'-' * (x < 0)}Infinity' AS DOUBLE PRECISION)"

    def cells(self, rows: str, columns: Sequence[str], about: str) -> str:
        """Return a query for key, column_number, kind, as_text, as_number of all cells.

        A cell of text is read as ``nearkind predict`` reads that of a CSV file: blanks
        around it are dropped, it may write a number, and an empty one is missing.

        Parameters
        ----------
        rows : str
            What to select from, the rows being ``t`` and their keys ``k.key``.
        columns : sequence of str
            The columns, as ``t."colour"``.
        about : str
            Table of the columns: their numbers, and how to read their text.
        """
        missing = ", ".join(map(text, ["", *sorted(MISSING)]))
        return f"""SELECT key, column_number,
  CASE WHEN kind = 'text' AND trimmed IN ({missing})
    OR kind = 'number' AND {self.is_nan} THEN 'missing' ELSE kind END AS kind,
  CASE kind WHEN 'boolean' THEN CASE cell WHEN 'true' THEN as_true ELSE as_false END
    WHEN 'number' THEN NULL
    ELSE CASE WHEN keeps_blanks = 1 OR trimmed = '' THEN cell ELSE trimmed END
    END AS as_text,
  CASE WHEN kind = 'number' AND NOT {self.is_nan} OR kind = 'text' AND {self.is_numeral}
    THEN CAST({self.digits} AS DOUBLE PRECISION)
    WHEN kind = 'boolean' THEN CASE cell WHEN 'true' THEN 1.0e0 ELSE 0.0e0 END
    END AS as_number
FROM (
SELECT a.*, {self.trim}(a.cell, {self.text(BLANKS)}) AS trimmed FROM (
{self.raw_cells(rows, columns, about)}
) a ) b"""

    def raw_cells(self, rows: str, columns: Sequence[str], about: str) -> str:
        """Return a query for the cells of ``cells`` as text, with their kinds."""
        at = ", ".join(map(str, range(len(columns))))
        kinds = ",\n    ".join(map(self._kind, columns))
        texts = ",\n    ".join(f"CAST({cell} AS TEXT)" for cell in columns)
        return f"""SELECT x.key, x.kind, x.cell, c.* FROM (
SELECT k.key, UNNEST(ARRAY[{at}]) AS place,
  UNNEST(ARRAY[
    {kinds}]) AS kind,
  UNNEST(ARRAY[
    {texts}]) AS cell
FROM {rows}
) x JOIN {about} c ON c.column_number = x.place"""

    def _kind(self, cell: str) -> str:
        """Return what a cell is: missing, boolean, number, time or text."""
        named = " ".join(
            f"WHEN {self._has_type(cell, types)} THEN '{kind}'"
            for kind, types in self.types.items()
        )
        return f"CASE WHEN {cell} IS NULL THEN 'missing' {named} ELSE 'text' END"

    def _has_type(self, cell: str, kinds: tuple[str, ...]) -> str:
        kind = self.type_of.format(cell)
        return "(" + " OR ".join(f"{kind} LIKE '{each}'" for each in kinds) + ")"

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
    types: ClassVar[dict[str, tuple[str, ...]]] = {
        "boolean": ("BOOLEAN",),
        "number": ("%INT", "%INTEGER", "FLOAT", "DOUBLE", "DECIMAL%"),
        "time": ("TIME%", "INTERVAL"),
    }
    type_of = "typeof({})"
    is_nan = "cell = 'nan'"
    is_numeral = f"regexp_full_match(trimmed, '{NUMERAL}')"

    failure = "error({})"
    row_codes = (
        "SELECT r.cell, UNNEST(RANGE({n_features})) AS feature, "
        "UNNEST(CAST(r.codes AS INTEGER[])) AS code FROM {rows} r"
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
    trim = "BTRIM"
    head: tuple[str, ...] = ("SET LOCAL client_encoding = 'UTF8'",)
    types: ClassVar[dict[str, tuple[str, ...]]] = {
        "boolean": ("boolean",),
        "number": ("%int", "integer", "real", "double precision", "numeric%"),
        "time": ("time%", "interval"),
    }
    type_of = "CAST(pg_typeof({}) AS TEXT)"
    is_numeral = f"trimmed ~ '^({NUMERAL})$'"

    failure = "CAST({} AS INTEGER)"  # of a text that is no number
    analysis = ("ANALYZE {}",)
    row_codes = (
        "SELECT r.cell, c.place - 1 AS feature, CAST(c.code AS INTEGER) AS code "
        "FROM {rows} r CROSS JOIN LATERAL json_array_elements_text("
        "CAST(r.codes AS json)) WITH ORDINALITY c (code, place)"
    )


class PgVector(Postgres):
    """PostgreSQL with pgvector: single precision, and an index that may miss rows."""

    head = (*Postgres.head, "CREATE EXTENSION IF NOT EXISTS vector")
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


def _is_json_number() -> str:
    """Return whether ``trimmed`` writes a number, for SQLite, which has no patterns.

    JSON wants a digit on either side of the point.
    """
    begins = " OR ".join(
        f"trimmed GLOB '{sign}{first}*'"
        for sign in ("", "-")
        for first in ("[0-9]", ".[0-9]")
    )
    digit = "[0-9]"
    longer = [digit * 16, f"-{digit * 16}"]
    longer += [f"*[eE]{sign}{digit * 3}" for sign in ("", "[-+]")]
    within = " AND ".join(f"trimmed NOT GLOB '{each}*'" for each in longer)
    whole = "'<' || LOWER(trimmed) || '>'"
    for a, b in {"<.": "<0.", "<-.": "<-0.", ".>": ".0>", ".e": ".0e"}.items():
        whole = f"REPLACE({whole}, '{a}', '{b}')"
    return f"(({begins}) AND {within} AND json_valid(TRIM({whole}, '<>')))"


class SQLite(Dialect):
    """SQLite 3.38 or later, with its mathematical functions."""

    fence = "\nLIMIT -1"
    head = (
        "-- An error 'no such function' here: this SQLite was compiled without\n"
        "-- SQLITE_ENABLE_MATH_FUNCTIONS, which the views need\n"
        "SELECT SQRT(1.0), EXP(1.0), POWER(1.0, 1.0) WHERE FALSE",
    )
    character = "CHAR"
    digits = "CASE kind WHEN 'number' THEN picked ELSE trimmed END"
    is_nan = "FALSE"  # it is kept as NULL

    is_numeral = _is_json_number()

    def infinity(self, x: float) -> str:
        """Return an infinite double, as a number that is too large."""
        return f"{'-' * (x < 0)}9e999"

    def raw_cells(self, rows: str, columns: Sequence[str], about: str) -> str:
        """Return a query for all cells, each picked from its row by a number."""
        choices = "\n    ".join(
            f"WHEN {at} THEN {cell}" for at, cell in enumerate(columns)
        )
        return f"""SELECT *, CASE typeof(picked) WHEN 'null' THEN 'missing'
  WHEN 'integer' THEN 'number' WHEN 'real' THEN 'number' ELSE 'text' END AS kind,
  picked || '' AS cell
FROM (
SELECT k.key, c.*, CASE c.column_number
    {choices} END AS picked
FROM {rows}
CROSS JOIN {about} c{self.fence}
) x"""

    failure = "json_extract('{{}}', {})"  # no path begins so
    row_codes = (
        "SELECT r.cell, c.key AS feature, c.value AS code "
        "FROM {rows} r CROSS JOIN json_each(r.codes) c"
    )


DIALECTS: dict[str, Dialect] = {
    "duckdb": DuckDB(),
    "postgres": Postgres(),
    "pgvector": PgVector(),
    "sqlite": SQLite(),
}
