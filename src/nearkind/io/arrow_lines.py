"""Delimited text by pyarrow, some rows at a time: the cells of ``delimited``, sooner.

What pyarrow cannot read is left to ``delimited``, which also knows what to say of it.
One thing that one refuses is taken here: letters after a closing quote.
"""

from collections.abc import Iterator
from itertools import islice
from typing import Any, BinaryIO

from nearkind.io.asked import Asked
from nearkind.io.columns import named
from nearkind.io.delimited import LOOKED_AT, found_delimiter
from nearkind.io.lines import Lines, marked

BYTES = 1 << 24
"""To parse at a time."""
PLAIN = (None, "utf-8", "utf-8-sig")
"""Encodings that pyarrow reads as they are."""


def can_scan(stream: BinaryIO, asked: Asked) -> bool:
    """Say whether pyarrow is there and may read this, as far as its mark says."""
    try:
        import pyarrow.csv  # noqa: F401
    except ImportError:
        return False
    return asked.encoding in PLAIN and marked(stream) in PLAIN


def scan_lines(stream: BinaryIO, asked: Asked, size: int) -> Iterator[Any]:
    """Yield tables of at most so many rows, text in dictionaries, empty cells null.

    Raises
    ------
    ValueError
        If pyarrow does not get through.
    """
    import pyarrow as pa

    delimiter = asked.delimiter or _delimiter(stream)
    header = _opened(stream, delimiter, {}).schema.names
    stream.seek(0)
    reader = _opened(stream, delimiter, dict.fromkeys(header, pa.string()))
    names, has_rows = named(header), False
    for batch in reader:
        has_rows = has_rows or batch.num_rows > 0
        for at in range(0, batch.num_rows, size):
            columns = batch.slice(at, size).columns
            yield pa.table(dict(zip(names, map(_trimmed, columns), strict=True)))
    if not has_rows:
        raise ValueError("no rows")


def scan_tabs(stream: BinaryIO, asked: Asked, size: int) -> Iterator[Any]:
    """Yield tables of lines with tabs, unless another delimiter is asked for."""
    return scan_lines(stream, asked._replace(delimiter=asked.delimiter or "\t"), size)


def _delimiter(stream: BinaryIO) -> str:
    lines = Lines(stream, "utf-8-sig")
    try:
        return found_delimiter(list(islice(lines, LOOKED_AT)))
    finally:
        lines.release()
        stream.seek(0)


def _opened(stream: BinaryIO, delimiter: str, types: dict[str, Any]) -> Any:
    from pyarrow import csv

    return csv.open_csv(
        stream,
        csv.ReadOptions(block_size=BYTES),
        csv.ParseOptions(delimiter=delimiter, newlines_in_values=True),
        csv.ConvertOptions(column_types=types, strings_can_be_null=False),
    )


def _trimmed(column: Any) -> Any:
    """Return cells without blanks around them, null where nothing is left."""
    import pyarrow as pa

    coded = column.dictionary_encode()
    texts = [text.strip() or None for text in coded.dictionary.to_pylist()]
    if any(text is not None and "\0" in text for text in texts):
        raise ValueError("a NUL byte")
    return pa.DictionaryArray.from_arrays(coded.indices, pa.array(texts, pa.string()))
