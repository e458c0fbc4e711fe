"""Readers of tables by name: a file, standard input, or a built-in data set."""

from collections.abc import Collection
from pathlib import Path
from warnings import warn

from nearkind.datasets import files
from nearkind.datasets.derivation import DERIVED
from nearkind.datasets.rules import RULES
from nearkind.datasets.sources import names, obtain
from nearkind.io import (
    Batches,
    Columns,
    LabelledSource,
    LabelledTable,
    ReadingWarning,
    ReadOptions,
    infer_types,
    read_columns,
    require_column,
    short_name,
)
from nearkind.io.sources import STANDARD_INPUT, missing_file, prefix_warnings


def is_set(data: str) -> bool:
    """Return whether ``data`` names a built-in set, and no file; folders do not count.

    Examples
    --------
    >>> is_set("monks1"), is_set("-")
    (True, False)
    """
    if data == STANDARD_INPUT or _is_file(data):
        return False
    return data in names()


def _is_file(data: str) -> bool:
    """Return whether there is a file, a pipe or a device of that name."""
    path = Path(data)
    return path.exists() and not path.is_dir()


def set_files(name: str) -> list[Path]:
    """Return the files from which a built-in set may be read; none for other names.

    Examples
    --------
    >>> set_files("monks1"), set_files("folder/a.csv")
    ([], [])
    """
    if name in RULES or name not in names():
        return []
    sources = [name, DERIVED[name].parent] if name in DERIVED else [name]
    homes = files.folder(), files.cache()
    found = [files.file_in(home, each) for each in sources for home in homes]
    return [path for path in found if path is not None]


def warn_shadowed(data: str) -> None:
    """Warn if a file is read that is named as a built-in set is."""
    if _is_file(data) and data in names():
        warn(
            f"{data!r} is both a file in this folder and a built-in data set; the file "
            f"is read. Write './{data}' to read it without this warning, or change to "
            "another folder to use the data set.",
            ReadingWarning,
            stacklevel=3,
        )


def label_column(name: str) -> str:
    """Return the name of the column of labels of a built-in set.

    Examples
    --------
    >>> label_column("credit_risk")
    'Risk'
    """
    return obtain(name).data.target


def read_data(
    data: str,
    options: ReadOptions = ReadOptions(),  # noqa: B008 - a tuple
) -> Columns:
    """Return the columns of a table.

    Parameters
    ----------
    data : str
        A path, "-" for standard input, or the name of a built-in set; a file comes
        before a set of the same name.
    options : ReadOptions, default=ReadOptions()
        How to read a file.

    Returns
    -------
    dict of str to list

    Raises
    ------
    ValueError, OSError
        If that is no table; the message names it, and the line or column.

    Examples
    --------
    >>> list(read_data("credit_risk"))
    ['Occupation', 'Education', 'Marital', 'Risk']
    """
    if is_set(data):
        options.validated()
        return obtain(data).data.columns()
    warn_shadowed(data)
    try:
        return read_columns(data, options)
    except FileNotFoundError:
        raise FileNotFoundError(missing_file(data, names())) from None


def read_labelled(source: LabelledSource) -> LabelledTable:
    """Return the labelled table of a source whose data may be a built-in set.

    Examples
    --------
    >>> table = read_labelled(LabelledSource("monks1", "class", drop=("a2",)))
    >>> list(table.X), table.target, sorted(set(table.y))
    (['a1', 'a3', 'a4', 'a5', 'a6'], 'class', ['0', '1'])
    """
    return source.select(read_data(source.data, source.options))


def read_features(
    data: str,
    drop: Collection[str] = (),
    text: Collection[str] = (),
    options: ReadOptions = ReadOptions(),  # noqa: B008 - a tuple
) -> Columns:
    """Return the columns of a table that has no labels, with numbers as numbers.

    Parameters
    ----------
    data : str
        As in ``read_data``.
    drop, text : collection of str, default=()
        Columns to leave out, and to take as text.
    options : ReadOptions, default=ReadOptions()
        How to read a file.

    Examples
    --------
    >>> list(read_features("credit_risk", drop=["Risk", "Marital"]))
    ['Occupation', 'Education']
    """
    columns, where = read_data(data, options), short_name(data)
    return select_features(columns, where, drop, text, options.dates)


def select_features(
    columns: Columns,
    where: str,
    drop: Collection[str] = (),
    text: Collection[str] = (),
    dates: str | None = None,
) -> Columns:
    """Return ``read_features`` of columns that have been read from ``where``."""
    for name in (*drop, *text):
        require_column(name, columns, where)
    kept = {name: cells for name, cells in columns.items() if name not in drop}
    if not kept:
        raise ValueError(f"No column of {where} is left to learn from.")
    with prefix_warnings(where):
        return infer_types(kept, text, dates)


def read_batches(source: LabelledSource, batch_rows: int) -> Batches:
    """Return the batches of a file; a built-in set is refused."""
    if is_set(source.data):
        raise ValueError(
            f"{source.data} is a built-in set, which cannot be read in batches. Write "
            "it to a file first: `nearkind datasets NAME --output FILE`."
        )
    warn_shadowed(source.data)
    return Batches(source, batch_rows)
