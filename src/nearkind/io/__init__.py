"""Tables in files -> columns of cells, and back.

``sources`` opens a path or standard input, ``formats`` finds out what the bytes are,
and ``csv_text``, ``json_lines`` and ``arrow`` read them as ``options`` says; ``lines``
turns bytes into numbered lines. ``cells`` says which text is a number or missing,
``schema`` which columns there are and what each is for. ``batches`` reads some rows at
a time. ``atomic_write`` writes a file whole or not at all. pyarrow is loaded only if it
is installed and of use.
"""

from nearkind.io.atomic_write import check_writable, write_text
from nearkind.io.batches import Batches, column_batches
from nearkind.io.cells import infer_types
from nearkind.io.formats import check_ending, table_writer, write_columns
from nearkind.io.options import Columns, ReadingWarning, ReadOptions
from nearkind.io.schema import match_levels, refuse_halves, require_column
from nearkind.io.sources import (
    LabelledSource,
    LabelledTable,
    read_columns,
    short_name,
)

__all__ = [
    "Batches",
    "Columns",
    "LabelledSource",
    "LabelledTable",
    "ReadOptions",
    "ReadingWarning",
    "check_ending",
    "check_writable",
    "column_batches",
    "infer_types",
    "match_levels",
    "read_columns",
    "refuse_halves",
    "require_column",
    "short_name",
    "table_writer",
    "write_columns",
    "write_text",
]
