"""Delimited text: a header line, then a line for each row.

Read by the csv module, or some rows at a time by pyarrow, which is faster and gives the
same cells. What pyarrow cannot read is left to the csv module, whose errors name the
line. pyarrow accepts one thing that the csv module refuses: letters after a closing
quote.
"""

import csv
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import Any, BinaryIO

from nearkind.io.lines import (
    MAX_LENGTH,
    Lines,
    marked_encoding,
    parse_text,
    without_nul,
)
from nearkind.io.options import DELIMITERS, Columns, ReadOptions
from nearkind.io.schema import column_names
from nearkind.tables.numerals import plain_numeral

SNIFFED = 100
"""Lines by which the delimiter is found."""
CHUNK = 4096
MAX_CELLS = 400_000_000
"""Cells of a table; a small compressed file may claim any number."""
MAX_INTERNED = 1 << 20
"""Distinct cells to keep; in a file beyond memory there may be any number."""
BLOCK_SIZE = 1 << 24
"""Bytes that pyarrow parses at a time."""
ARROW_ENCODINGS = (None, "utf-8", "utf-8-sig")
ADVICE = "check the quotes and the delimiter"
END_OF_DATA = "unexpected end of data"
"""What the csv module says of a quote that is not closed."""
TOO_LONG = "field larger than field limit"
"""What it says of a cell beyond its limit."""


def read(
    stream: BinaryIO, options: ReadOptions, delimiter: str | None = None
) -> Columns:
    """Return columns of text; blanks around cells are dropped, an empty cell is None.

    ``delimiter`` is the one of the format, None if it has to be found; the one of the
    options comes before it.

    Examples
    --------
    >>> from io import BytesIO
    >>> read(BytesIO(b"size;colour\\n1;red\\n;blue\\n"), ReadOptions())
    {'size': ['1', None], 'colour': ['red', 'blue']}
    """

    def parse(lines: Lines) -> Columns:
        return _concatenate(chunks(lines, options, delimiter=delimiter))

    return parse_text(stream, options.encoding, parse)


def chunks(
    lines: Lines,
    options: ReadOptions,
    size: int = CHUNK,
    delimiter: str | None = None,
) -> Iterator[Columns]:
    """Yield columns of text as ``read`` has them, ``size`` rows at a time.

    Examples
    --------
    >>> from io import BytesIO
    >>> lines = Lines(BytesIO(b"size\\n1\\n2\\n3\\n"), "utf-8")
    >>> list(chunks(lines, ReadOptions(), size=2))
    [{'size': ['1', '2']}, {'size': ['3']}]
    """
    first = list(islice(lines, SNIFFED))
    lines.number = 0  # counted again below
    delimiter = options.delimiter or delimiter or find_delimiter(first)
    text = without_nul(_counted(first, lines))
    rows = filter(None, parse_rows(text, delimiter))  # blank lines are left out
    header = next(rows, None)
    if header is None:
        raise ValueError("the file is empty")
    names = column_names(header)
    cleaned, has_rows = _CleanedCells(options.decimal), False
    for chunk in _chunked(same_width(rows, len(names)), size):
        has_rows = True
        columns = zip(*chunk, strict=True)
        cells = ([cleaned[cell] for cell in column] for column in columns)
        yield dict(zip(names, cells, strict=True))
        cleaned.limit()
    if not has_rows:
        raise ValueError(f"expected rows after the header ({_count(len(names))})")


def _concatenate(parts: Iterable[Columns]) -> Columns:
    whole: Columns = {}
    for part in parts:
        for name, cells in part.items():
            whole.setdefault(name, []).extend(cells)
        if sum(map(len, whole.values())) > MAX_CELLS:
            raise ValueError(f"the table has more than {MAX_CELLS:,} cells")
    return whole


def find_delimiter(lines: list[str]) -> str:
    """Return the character that cuts most lines into as many cells as the header.

    Examples
    --------
    >>> find_delimiter(["a;b\\n", "1,5;2,5\\n"])
    ';'
    """
    candidates = list(dict.fromkeys(DELIMITERS.values()))
    scores = [_score(lines, delimiter) for delimiter in candidates]
    return candidates[scores.index(max(scores))]


def _score(lines: list[str], delimiter: str) -> tuple[float, int]:
    """Return the share of lines that agree with the header, and its cells."""
    try:
        rows = _csv_reader(lines, delimiter, strict=False)
        widths = [len(row) for row in rows if row]
    except csv.Error:
        return 0.0, 0
    if not widths or widths[0] < 2:
        return 0.0, 0
    return widths.count(widths[0]) / len(widths), widths[0]


def _counted(first: list[str], lines: Lines) -> Iterator[str]:
    """Yield the lines that were read before, counting them, and then the others."""
    for lines.number, line in enumerate(first, start=1):
        yield line
    yield from lines


def parse_rows(lines: Iterable[str], delimiter: str) -> Iterator[list[str]]:
    """Yield the cells of each row as they are written; a blank line has none.

    Examples
    --------
    >>> list(parse_rows(["a, b\\n", "\\n", '"c,d",\\n'], ","))
    [['a', ' b'], [], ['c,d', '']]
    """
    reader = _csv_reader(lines, delimiter, strict=True)
    start = 1
    try:
        for row in reader:
            start = reader.line_num + 1
            yield row
    except csv.Error as error:
        if TOO_LONG in str(error):
            raise ValueError(
                f"the row that begins in line {start} has a cell of more than "
                f"{MAX_LENGTH:,} characters, or a quote that is not closed"
            ) from None
        if reader.line_num > start or END_OF_DATA in str(error):
            raise ValueError(
                f"the row that begins in line {start} has a quote that is not closed; "
                'close it, or write a quote inside a cell as ""'
            ) from None
        raise ValueError(f"{error}; {ADVICE}") from None


def _csv_reader(lines: Iterable[str], delimiter: str, strict: bool) -> Any:
    """Return a reader of the csv module that takes cells of up to ``MAX_LENGTH``.

    The module has one limit, 131,072 letters, for the whole process; it is only raised.
    """
    csv.field_size_limit(max(csv.field_size_limit(), MAX_LENGTH))
    return csv.reader(lines, delimiter=delimiter, strict=strict)


def same_width(rows: Iterable[list[str]], width: int) -> Iterator[list[str]]:
    """Yield rows, and raise ``ValueError`` at one that has not ``width`` cells."""
    for row in rows:
        if len(row) != width:
            raise ValueError(
                f"{_count(width)} in the header, {_count(len(row))} here; {ADVICE}"
            )
        yield row


def _count(n: int) -> str:
    return f"{n} cell" if n == 1 else f"{n} cells"


def _chunked(rows: Iterable[list[str]], size: int) -> Iterator[list[list[str]]]:
    chunk: list[list[str]] = []
    try:
        for row in rows:
            chunk.append(row)
            if len(chunk) == size:
                yield chunk
                chunk = []
    except Exception:  # the rows before a damaged line are whole
        if chunk:
            yield chunk
        raise
    if chunk:
        yield chunk


class _CleanedCells(dict[str, str | None]):
    """Each distinct cell once in memory: without blanks around, None if empty."""

    def __init__(self, decimal: str | None) -> None:
        super().__init__()
        self._decimal = decimal

    def __missing__(self, cell: str) -> str | None:
        self[cell] = value = _cleaned(cell, self._decimal)
        return value

    def limit(self) -> None:
        """Forget all cells if there are too many."""
        if len(self) > MAX_INTERNED:
            self.clear()


def _cleaned(cell: str, decimal: str | None) -> str | None:
    """Return a cell without blanks around and separators of thousands."""
    text = cell.strip()
    return (plain_numeral(text, decimal) if decimal else text) or None


def can_use_arrow(stream: BinaryIO, options: ReadOptions) -> bool:
    """Return whether pyarrow is installed and reads the encoding, if that is known."""
    try:
        import pyarrow.csv  # noqa: F401
    except ImportError:
        return False
    return (
        options.encoding in ARROW_ENCODINGS
        and marked_encoding(stream) in ARROW_ENCODINGS
    )


def arrow_chunks(
    stream: BinaryIO, options: ReadOptions, size: int, delimiter: str | None = None
) -> Iterator[Any]:
    """Yield tables of pyarrow of at most ``size`` rows; text is dictionary-encoded.

    Raises
    ------
    ValueError
        If pyarrow cannot read the file.
    """
    import pyarrow as pa

    delimiter = options.delimiter or delimiter or _find_delimiter_of(stream)
    header = _open_csv(stream, delimiter, {}).schema.names
    stream.seek(0)
    reader = _open_csv(stream, delimiter, dict.fromkeys(header, pa.string()))
    names, has_rows = column_names(header), False
    for batch in reader:
        has_rows = has_rows or batch.num_rows > 0
        for at in range(0, batch.num_rows, size):
            columns = [
                _stripped(column, options.decimal)
                for column in batch.slice(at, size).columns
            ]
            yield pa.table(dict(zip(names, columns, strict=True)))
    if not has_rows:
        raise ValueError("no rows")


def _find_delimiter_of(stream: BinaryIO) -> str:
    lines = Lines(stream, "utf-8-sig")
    try:
        return find_delimiter(list(islice(without_nul(lines), SNIFFED)))
    finally:
        lines.release()
        stream.seek(0)


def _open_csv(stream: BinaryIO, delimiter: str, types: dict[str, Any]) -> Any:
    from pyarrow import csv

    return csv.open_csv(
        stream,
        csv.ReadOptions(block_size=BLOCK_SIZE),
        csv.ParseOptions(delimiter=delimiter, newlines_in_values=True),
        csv.ConvertOptions(column_types=types, strings_can_be_null=False),
    )


def _stripped(column: Any, decimal: str | None) -> Any:
    """Return cells without blanks around them, null where nothing is left."""
    import pyarrow as pa

    coded = column.dictionary_encode()
    texts = [_cleaned(text, decimal) for text in coded.dictionary.to_pylist()]
    if any(text is not None and "\0" in text for text in texts):
        raise ValueError("a NUL byte")
    return pa.DictionaryArray.from_arrays(coded.indices, pa.array(texts, pa.string()))


def write_delimited(
    columns: Columns,
    write: Callable[[str], object],
    delimiter: str = ",",
    header: bool = True,
) -> None:
    """Call ``write`` with the header and each row; a missing cell is an empty one.

    Examples
    --------
    >>> write_delimited({"size": [1, None]}, lambda line: print(line, end=""))
    size
    1
    ""
    """
    lines = _NewlineWriter(write)
    writer = csv.writer(lines, delimiter=delimiter, lineterminator=lines.end)
    if header:
        writer.writerow(columns)
    writer.writerows(zip(*columns.values(), strict=True))


class _NewlineWriter:
    """A stream for the csv module that ends lines in a single character.

    The module quotes a carriage return only if its own line end has one.
    """

    end = "\r\n"

    def __init__(self, write: Callable[[str], object]):
        self._write = write

    def write(self, line: str) -> None:
        """Pass on one line."""
        self._write(line.removesuffix(self.end) + "\n")
