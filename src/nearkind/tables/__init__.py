"""Tables in memory, of any library, as columns of plain Python values.

Only this package and ``io`` know pandas, polars and pyarrow, and none is imported
unless the user's own object has imported it. ``readers`` has ``read_table``, which
refuses what is no table and picks a reader: that of arrays, lists and dicts, or one
of ``frames`` for data frames. Every reader returns a ``Table`` of ``Column``
objects, whose distinct values ``values`` makes plain by one rule for all libraries.
``numerals`` says which text writes a number.
"""

from nearkind.tables.column import Column, as_float, as_floats
from nearkind.tables.frames import frame, records
from nearkind.tables.numerals import parse_number
from nearkind.tables.readers import one_row, read_column, read_table
from nearkind.tables.selection import read_rows
from nearkind.tables.table import FactorizedTable, Table
from nearkind.tables.values import (
    CELL_TYPES,
    as_cell,
    canonical,
    is_missing,
    is_printable,
    plain,
    printable,
)

__all__ = [
    "CELL_TYPES",
    "Column",
    "FactorizedTable",
    "Table",
    "as_cell",
    "as_float",
    "as_floats",
    "canonical",
    "frame",
    "is_missing",
    "is_printable",
    "one_row",
    "parse_number",
    "plain",
    "printable",
    "read_column",
    "read_rows",
    "read_table",
    "records",
]
