"""A labelled table in a file, some rows at a time, as often as it is asked for."""

from collections.abc import Iterable, Iterator
from functools import cached_property
from itertools import chain, islice
from os import PathLike, fspath
from typing import Any, BinaryIO
from warnings import catch_warnings, simplefilter

from nearkind.io.arrow_lines import can_scan
from nearkind.io.asked import Asked, ReadingWarning
from nearkind.io.kinds import LINES_SCANS, SCANS, TEXT_CHUNKS
from nearkind.io.labelled import Wanted
from nearkind.io.lines import Lines, decoded, numbered_lines
from nearkind.io.looking import Look
from nearkind.io.parts import as_table, of_columns, of_table
from nearkind.io.sources import STANDARD_INPUT, is_set, opened, short_name, told_of

BATCH_ROWS = 1 << 18


def batches(
    path: str | PathLike[str],
    target: str,
    *,
    drop: Iterable[str] = (),
    text: Iterable[str] = (),
    batch_rows: int = BATCH_ROWS,
    format: str | None = None,
    delimiter: str | None = None,
    encoding: str | None = None,
) -> "Batches":
    """Return the batches (X, y) of a file, for ``fit_batches``.

    Parameters
    ----------
    path : csv, tsv, json lines, parquet, arrow or feather; text also in .gz
    target : column of labels; rows without one are left out
    drop : columns to leave out
    text : columns in which numbers are names
    batch_rows : rows of a batch at most
    format, delimiter, encoding : of the file; None: find out

    Returns
    -------
    Batches, which can be read again and again

    Examples
    --------
    >>> import nearkind as nk, tempfile, pathlib
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = pathlib.Path(folder.name, "pets.csv")
    >>> _ = path.write_text("legs,kind\\n4,cat\\n2,bird\\n4,dog\\n")
    >>> [len(y) for X, y in nk.batches(path, target="kind", batch_rows=2)]
    [2, 1]
    >>> folder.cleanup()
    """
    asked = Asked(format, delimiter, encoding)
    wanted = Wanted(fspath(path), target, tuple(drop), tuple(text), asked)
    return Batches(wanted, batch_rows)


class Batches:
    """Batches (X, y) of a file, the same each time they are read.

    A first look at the file finds out what the whole of it decides: which columns there
    are, which of them hold numbers, the encoding. It keeps no row. Then cells are as a
    reading of the whole file would have them.

    Parameters
    ----------
    wanted : which file, and what its columns are for
    batch_rows : rows of a batch at most
    """

    def __init__(self, wanted: Wanted, batch_rows: int = BATCH_ROWS) -> None:
        self.wanted = wanted._replace(asked=wanted.asked.checked())
        self.where, self.batch_rows = short_name(wanted.data), batch_rows
        self._by_arrow = False
        if batch_rows < 1:
            raise ValueError(f"batch_rows must be at least 1; got {batch_rows!r}.")
        if wanted.data == STANDARD_INPUT or is_set(wanted.data):
            raise ValueError(
                f"{self.where} cannot be read in batches, which are read more than "
                "once. Write it to a file first."
            )

    def __repr__(self) -> str:
        return f"<Batches of {self.where}, target={self.wanted.target!r}>"

    @property
    def n_rows(self) -> int:
        """Number of rows that have a label."""
        return self._look.n_rows

    @property
    def names(self) -> list[str]:
        """Names of the features."""
        return self._look.features

    def __iter__(self) -> Iterator[tuple[Any, Any]]:
        """Yield tables with their labels."""
        look, asked = self._look, self.wanted.asked
        with opened(self.wanted.data, asked) as (stream, kind):
            scan = self._scan(kind)
            for part in _quietly(self._parts(stream, kind, look.encoding)):
                X, y = look.batch(part)
                if len(y):
                    yield (X if scan is None else as_table(X)), y

    @cached_property
    def _look(self) -> Look:
        asked = self.wanted.asked
        with told_of(self.where), opened(self.wanted.data, asked) as (stream, kind):
            fast = kind in LINES_SCANS and can_scan(stream, asked)
            look = self._look_fast(stream, kind) if fast else None
            stream.seek(0)
            if look is None:
                look = self._look_slowly(stream, kind)
        return look.check()

    def _look_fast(self, stream: BinaryIO, kind: str) -> Look | None:
        """Look by pyarrow, if it gets through; then it is used from here on."""
        self._by_arrow = True
        try:
            with catch_warnings():
                simplefilter("error")
                return self._look_at(stream, kind)
        except (ValueError, UnicodeError, Warning):  # others know what to say
            self._by_arrow = False
            return None

    def _look_slowly(self, stream: BinaryIO, kind: str) -> Look:
        if kind in SCANS:
            return self._look_at(stream, kind)
        return decoded(stream, self.wanted.asked.encoding, _LookAtLines(self, kind))

    def _look_at(self, stream: BinaryIO, kind: str) -> Look:
        return Look(self.wanted, self.where).at_all(self._parts(stream, kind, ""))

    def _scan(self, kind: str) -> Any:
        """Return what reads tables of pyarrow, None if lists of cells are read."""
        return {**SCANS, **(LINES_SCANS if self._by_arrow else {})}.get(kind)

    def _parts(self, stream: BinaryIO, kind: str, encoding: str) -> Iterator[Any]:
        """Yield columns of some rows each."""
        asked, size = self.wanted.asked, self.batch_rows
        scan = self._scan(kind)
        if scan is not None:
            yield from map(of_table, scan(stream, asked, size))
            return
        with numbered_lines(stream, encoding) as lines:
            yield from map(of_columns, TEXT_CHUNKS[kind](lines, asked, size))


def _quietly(parts: Iterator[Any]) -> Iterator[Any]:
    """Yield parts; what is to be said of the header has been said."""
    with catch_warnings():
        simplefilter("ignore", ReadingWarning)
        first = list(islice(parts, 1))
    yield from chain(first, parts)


class _LookAtLines:
    """Look at lines of text, once more if their encoding was another."""

    def __init__(self, batches: Batches, kind: str) -> None:
        self.batches, self.kind = batches, kind

    def __call__(self, lines: Lines) -> Look:
        wanted, size = self.batches.wanted, self.batches.batch_rows
        parts = map(of_columns, TEXT_CHUNKS[self.kind](lines, wanted.asked, size))
        look = Look(wanted, self.batches.where, lines.encoding)
        return look.at_all(parts)
