"""In what databases differ: types of cells, and how vectors are kept and compared."""

from collections.abc import Sequence

from nearkind.export.sql.literals import number
from nearkind.neighbors import TIE
from nearkind.protocols import Array


class Columns:
    """Vectors as columns v0, v1, ... of doubles, which every database has."""

    head: tuple[str, ...] = ()
    most_axes = 1_500  # PostgreSQL has 1,600 columns, some of which are not axes
    booleans: tuple[str, ...]
    numbers: tuple[str, ...]
    kind_of: str
    kth: str

    def has_type(self, cell: str, kinds: tuple[str, ...]) -> str:
        """Return a condition: whether a cell is of one of these types."""
        kind = self.kind_of.format(cell)
        return "(" + " OR ".join(f"{kind} LIKE '{each}'" for each in kinds) + ")"

    def declared(self, size: int) -> str:
        """Return the columns of a vector, for CREATE TABLE."""
        return ", ".join(f"v{axis} DOUBLE PRECISION" for axis in range(size))

    def named(self, size: int) -> str:
        """Return the columns of a vector, for SELECT."""
        return ", ".join(f"v{axis}" for axis in range(size))

    def literal(self, vector: Array) -> str:
        """Return a vector, for INSERT."""
        return ", ".join(map(number, vector.tolist()))

    def total(self, tables: Sequence[str], size: int) -> str:
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

        Those as near as the ``n_nearest``-th of them, weights aside.
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
        """Return statements that make rows quick to find."""
        return []


class DuckDB(Columns):
    """DuckDB 1.1 or later."""

    booleans = ("BOOLEAN",)
    numbers = ("%INT", "%INTEGER", "FLOAT", "DOUBLE", "DECIMAL%")
    kind_of = "typeof({})"
    kth = "LIST_EXTRACT(MIN({0}, {1}), {1})"


class Postgres(Columns):
    """PostgreSQL 12 or later."""

    booleans = ("boolean",)
    numbers = ("%int", "integer", "real", "double precision", "numeric%")
    kind_of = "CAST(pg_typeof({}) AS TEXT)"
    kth = "(ARRAY_AGG({0} ORDER BY {0}))[{1}]"


class PgVector(Postgres):
    """PostgreSQL with pgvector: single precision, and an index that may miss some."""

    head = ("CREATE EXTENSION IF NOT EXISTS vector",)
    most_axes = 16_000
    most_indexed = 2_000
    tie = 1e-5
    more = 100

    def declared(self, size: int) -> str:
        """Return the column of a vector, for CREATE TABLE."""
        return f"vector vector({size})"

    def named(self, size: int) -> str:
        """Return the column of a vector, for SELECT."""
        return "vector"

    def literal(self, vector: Array) -> str:
        """Return a vector, for INSERT."""
        return f"'[{', '.join(map(repr, vector.tolist()))}]'"

    def total(self, tables: Sequence[str], size: int) -> str:
        """Return the sum of the vectors of several tables."""
        return f"{' + '.join(f'{table}.vector' for table in tables)} AS vector"

    def candidates(self, vectors: str, rows: str, size: int, n_nearest: int) -> str:
        """Return a query for the nearest rows that the index finds, and some more."""
        return f"""SELECT u.key, r.*,
    {number(self.tie)} * MAX(r.distance) OVER (PARTITION BY u.key) AS tie
  FROM {vectors} u
  CROSS JOIN LATERAL (
    SELECT x.cell, x.first_row, x.n_rows, x.vector <-> u.vector AS distance
    FROM {rows} x
    ORDER BY x.vector <-> u.vector
    LIMIT {n_nearest + self.more}
  ) r"""

    def index(self, rows: str, size: int) -> list[str]:
        """Return statements that make rows quick to find."""
        if size > self.most_indexed:
            return []
        return [f"CREATE INDEX ON {rows} USING hnsw (vector vector_l2_ops)"]


DIALECTS: dict[str, Columns] = {
    "duckdb": DuckDB(),
    "postgres": Postgres(),
    "pgvector": PgVector(),
}
