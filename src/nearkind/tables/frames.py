"""Data frames of pandas, polars, pyarrow and, through narwhals, of other libraries.

Each reader lets its library find the distinct values of a column. A library is imported
only when one of its objects is read, so the user has imported it already.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from nearkind.tables.column import (
    Column,
    Factorization,
    column_of,
    factorize,
    inferred_column,
)
from nearkind.tables.table import Table
from nearkind.tables.values import COMPLEX_REFUSED, plain, refuse_complex


def read_pandas(X: Any) -> Table:
    """Read a pandas DataFrame."""
    dtypes = X.dtypes.tolist()
    if any(getattr(dtype, "kind", "") == "c" for dtype in dtypes):
        raise ValueError(COMPLEX_REFUSED)
    names = X.columns.tolist()
    # Beside a missing value, categories that are integers would become floats.
    exact = len(X) == 1 or not any(dtype == "category" for dtype in dtypes)
    return Table(
        names,
        len(X),
        True,
        lambda d: _pandas_column(names[d], X.iloc[:, d]),
        list_rows=(lambda: X.to_numpy(dtype=object).tolist()) if exact else None,
        library="pandas",
    )


def _pandas_column(name: Any, series: Any) -> Column:
    if series.dtype == "category":
        categories = series.cat.categories.tolist() if series.cat.ordered else None
        return _categorical(lambda: _pandas_categories(series), categories)
    if series.dtype.kind in "iuf":
        numbers = series.to_numpy("float64", na_value=np.nan)
        return Column(lambda: _pandas_distinct(name, series), numbers)
    return inferred_column(name, lambda: _pandas_distinct(name, series))


def _categorical(
    factorize: Callable[[], Factorization], categories: list[Any] | None
) -> Column:
    """Return a declared column, whose categories are in order unless they are None."""
    order = None if categories is None else list(map(plain, categories))
    return Column(factorize, declared=True, order=order)


def _pandas_categories(series: Any) -> Factorization:
    codes, categories = series.cat.codes.to_numpy(), series.cat.categories
    if len(categories) <= len(codes):
        return codes, categories.tolist()
    used, codes = np.unique(codes, return_inverse=True)  # few rows of many categories
    return codes, [None if i < 0 else categories[i] for i in used]


def _pandas_distinct(name: Any, series: Any) -> Factorization:
    try:
        indices, distinct = series.factorize()
    except (TypeError, NotImplementedError, OverflowError):
        # Lists and the like, to say where; and an old pandas fails at long numbers.
        return factorize(name, series.tolist())
    values = distinct.tolist()
    if series.dtype == object:
        refuse_complex(values, series)
    return indices, values


def read_polars(X: Any) -> Table:
    """Read a polars DataFrame."""
    names = X.columns
    return Table(
        names,
        X.height,
        True,
        lambda d: _polars_column(names[d], X.to_series(d)),
        list_rows=X.rows,
        library="polars",
    )


def _polars_column(name: str, series: Any) -> Column:
    import polars as pl

    kind = series.dtype
    if kind.is_nested() or kind == pl.Object:
        return column_of(name, series.to_list())
    if kind in (pl.Categorical, pl.Enum):
        categories = kind.categories.to_list() if kind == pl.Enum else None
        return _categorical(lambda: _polars_categories(series), categories)
    if kind.is_integer() or kind.is_float():
        numbers = series.cast(pl.Float64).to_numpy()
        return Column(lambda: _polars_distinct(series), numbers)
    return inferred_column(name, lambda: _polars_distinct(series))


def _polars_categories(series: Any) -> Factorization:
    # The codes of a Categorical are shared by all columns, so they have gaps.
    levels = series.unique().drop_nulls()
    used = levels.to_physical().to_numpy()
    compact = np.full(int(used.max(initial=0)) + 2, -1, np.int32)
    compact[used] = np.arange(len(used))
    codes = series.to_physical()
    if series.null_count():
        codes = codes.fill_null(len(compact) - 1)
    return compact[codes.to_numpy()], levels.to_list()


def _polars_distinct(series: Any) -> Factorization:
    import polars as pl

    distinct = series.drop_nulls().unique(maintain_order=True)
    places = pl.Series(np.arange(len(distinct), dtype=np.int32))
    indices = series.replace_strict(distinct, places, default=-1, return_dtype=pl.Int32)
    return indices.to_numpy(), distinct.to_list()


def read_arrow(X: Any, declared: bool = True) -> Table:
    """Read a Table or RecordBatch of pyarrow.

    Parameters
    ----------
    X : pyarrow.Table or pyarrow.RecordBatch
    declared : bool, default=True
        Whether a dictionary column is one that the user declared categorical.
    """
    import pyarrow as pa

    if isinstance(X, pa.RecordBatch):
        X = pa.Table.from_batches([X])
    names = X.column_names
    return Table(
        names,
        X.num_rows,
        True,
        lambda d: _arrow_column(names[d], X.column(d), declared),
        library="pyarrow",
    )


def _arrow_column(name: str, column: Any, declared: bool) -> Column:
    from pyarrow import types

    if types.is_dictionary(column.type) and declared:
        chunks = column.chunks if column.type.ordered else []
        categories = chunks[0].dictionary.to_pylist() if chunks else None
        return _categorical(lambda: _arrow_distinct(name, column), categories)
    if types.is_integer(column.type) or types.is_floating(column.type):
        numbers = column.cast("float64", safe=False).to_numpy()
        return Column(lambda: _arrow_distinct(name, column), numbers)
    return inferred_column(name, lambda: _arrow_distinct(name, column))


def _arrow_distinct(name: str, column: Any) -> Factorization:
    try:
        chunks = column.dictionary_encode().unify_dictionaries().chunks
    except NotImplementedError:  # lists and the like; say where
        return factorize(name, column.to_pylist())
    parts = [chunk.indices.cast("int64").fill_null(-1) for chunk in chunks]
    indices = np.concatenate([part.to_numpy() for part in parts])
    return indices, _microseconds(chunks[0].dictionary).to_pylist()


def _microseconds(array: Any) -> Any:
    """Round nanoseconds down: without pandas pyarrow cannot make them Python's."""
    import pyarrow as pa

    if pa.types.is_timestamp(array.type) and array.type.unit == "ns":
        return array.cast(pa.timestamp("us", array.type.tz), safe=False)
    if pa.types.is_duration(array.type) and array.type.unit == "ns":
        return array.cast(pa.duration("us"), safe=False)
    return array


def read_narwhals(frame: Any) -> Table:
    """Read a data frame of any other library, wrapped by narwhals."""
    names = frame.columns
    return Table(
        names,
        len(frame),
        True,
        lambda d: column_of(names[d], frame[names[d]].to_list()),
        library=str(frame.implementation),
    )


def records(found: Any) -> list[dict[Any, Any]]:
    """Return the rows of what ``frame`` made of columns, as dicts.

    Examples
    --------
    >>> records(frame({"row": [3], "value": ["red"]}))
    [{'row': 3, 'value': 'red'}]
    """
    names = list(getattr(found, "columns", found))
    columns = ([*map(plain, found[name])] for name in names)
    return [dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True)]


def frame(
    columns: Mapping[Any, Any],
    index: Any = None,
    library: str | None = None,
    name: str = "value",
) -> Any:
    """Return columns as a data frame.

    Parameters
    ----------
    columns : dict of name to array
        Columns of one length.
    index : sequence, default=None
        Row labels; libraries without them get a first column instead.
    library : str, default=None
        Name of the library, as ``Table.library`` has it; None: pandas where it is
        installed. Others than pandas want names that are text, and columns of one type:
        what is not becomes text.
    name : str, default="value"
        Name of that first column.

    Returns
    -------
    data frame
        A ``PlainTable``, a dict of columns that prints as a table, where pandas is
        wanted and not installed.

    Examples
    --------
    >>> list(frame({"feature": ["a", "b"], "share": [0.75, 0.25]}))
    ['feature', 'share']
    """
    if library is not None and library != "pandas":
        return _frame_of(library, columns, index, name)
    try:
        import pandas as pd
    except ImportError:
        return PlainTable(columns, index)
    labels = None if index is None else pd.Index(index)
    try:
        return pd.DataFrame(columns, index=labels)
    except UnicodeEncodeError:  # half a surrogate pair, which only objects hold
        return pd.DataFrame(columns, index=labels, dtype=object)


def _frame_of(library: Any, columns: Mapping[Any, Any], index: Any, name: str) -> Any:
    import narwhals as nw

    named = {str(key): _of_one_type(cells) for key, cells in columns.items()}
    while index is not None and name in named:
        name += "_"
    labels = {} if index is None else {name: _of_one_type(index)}
    return nw.from_dict({**labels, **named}, backend=library).to_native()


def _of_one_type(cells: Any) -> list[Any]:
    """Return cells as a list; as text, but for missing ones, if their types differ.

    Examples
    --------
    >>> _of_one_type([1, "a", None]), _of_one_type([1, None])
    (['1', 'a', None], [1, None])
    """
    cells = cells.tolist() if isinstance(cells, np.ndarray) else list(cells)
    kinds = {type(cell) for cell in cells if cell is not None}
    is_plain = len(kinds) < 2 and kinds <= {str, int, float, bool}
    if is_plain:
        return cells
    return [None if cell is None else str(cell) for cell in cells]


MOST_ROWS = 60
"""Maximum number of rows shown whole; longer tables show the first and last few."""
AT_THE_ENDS = 5
MOST_DECIMALS = 6


class PlainTable(dict[Any, Any]):
    """Columns by their names, which print as a table.

    Parameters
    ----------
    columns : mapping of name to sequence
        Columns of one length.
    index : sequence, default=None
        Row labels; None: numbers from 0.

    Examples
    --------
    >>> table = PlainTable({"feature": ["tone", "size"], "share": [0.75, 0.25]})
    >>> table.round(1)
      feature  share
    0    tone    0.8
    1    size    0.2
    >>> table["feature"][0]
    'tone'
    """

    def __init__(
        self, columns: Mapping[Any, Any], index: Sequence[Any] | None = None
    ) -> None:
        super().__init__(columns)
        n_rows = len(next(iter(self.values()), ()))
        self.index = list(range(n_rows) if index is None else index)

    def round(self, decimals: int = 0) -> "PlainTable":
        """Return the same table, its floating-point numbers rounded."""
        rounded = {
            name: np.round(cells, decimals) if _is_floating(cells) else cells
            for name, cells in self.items()
        }
        return PlainTable(rounded, self.index)

    def __repr__(self) -> str:
        n_rows = len(self.index)
        places = [*range(n_rows)]
        if n_rows > MOST_ROWS:
            places = places[:AT_THE_ENDS] + places[-AT_THE_ENDS:]
        labels = ["", *(str(self.index[i]) for i in places)]
        shown = [_column(name, cells, places) for name, cells in self.items()]
        columns = [_aligned(labels, str.ljust), *(_aligned(c) for c in shown)]
        lines = [" ".join(line).rstrip() for line in zip(*columns, strict=True)]
        if len(places) < n_rows:
            lines.insert(1 + AT_THE_ENDS, "...")
            lines.append(f"({n_rows:,} rows)")
        return "\n".join(lines)


def _column(name: object, cells: object, places: list[int]) -> list[str]:
    """Return the texts of a column; pandas leaves no space before names of words."""
    is_number = np.asarray(cells).dtype.kind in "iuf"
    head = f" {name}" if is_number else str(name)
    return [head, *(f" {text}" for text in _texts(cells, places))]


def _aligned(texts: list[str], justify: Any = str.rjust) -> Iterator[str]:
    width = max(map(len, texts))
    return (justify(text, width) for text in texts)


def _is_floating(cells: object) -> bool:
    return np.asarray(cells).dtype.kind == "f"


def _texts(cells: Any, places: list[int]) -> list[str]:
    """Return some cells as text, numbers with as many decimals as the longest needs."""
    some = [cells[i] for i in places]
    if not _is_floating(cells):
        return [str(cell) for cell in some]
    for decimals in range(1, MOST_DECIMALS):
        if np.allclose(np.round(some, decimals), some, rtol=0, atol=1e-9):
            break
    else:
        decimals = MOST_DECIMALS
    return [f"{cell:.{decimals}f}" for cell in some]
