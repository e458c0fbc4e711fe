"""Tables as users have them -> columns of plain Python values.

The only package that knows pandas, polars or pyarrow; none is loaded unless the user's
own object has loaded it. ``reading`` is the door: it refuses what is no table and picks
a reader, from ``frames`` for data frames and from ``arrays`` for arrays, lists and
dicts. Every reader returns a ``Table`` of ``columns``, whose distinct values ``values``
makes plain by one rule for all libraries; ``moments`` refuses dates, times and
durations. ``parts`` reads some rows, or a column on its own; ``output`` is the way back
to the user.
"""

from nearkind.tables.columns import Column, FactorizedTable, Table, as_floats
from nearkind.tables.output import frame
from nearkind.tables.parts import read_column, some_rows
from nearkind.tables.reading import read_table
from nearkind.tables.values import canonical, is_missing, plain

__all__ = [
    "Column",
    "FactorizedTable",
    "Table",
    "as_floats",
    "canonical",
    "frame",
    "is_missing",
    "plain",
    "read_column",
    "read_table",
    "some_rows",
]
