"""What the tests of tables share: reading cells back, and arrow tables of chunks."""

import pyarrow as pa

from nearkind.tables import read_table


def cells(X, d=0):
    """Return the plain cells of a column, None where missing."""
    column = read_table(X).column(d)
    return [None if i < 0 else column.values[i] for i in column.indices]


def arrow_chunks(values, **options):
    """Return a table of two chunks, whose dictionaries differ."""
    half = len(values) // 2
    parts = [pa.array(part, **options) for part in (values[:half], values[half:])]
    return pa.table({"a": pa.chunked_array(parts)})


def arrow_dictionary(array):
    """Return a table of a column that its owner declared categorical."""
    return pa.table({"a": array.dictionary_encode()})
