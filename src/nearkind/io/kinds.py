"""What a file is: by its first bytes, by the ending of its name, or as asked."""

from collections.abc import Callable, Iterable, Iterator
from typing import Any, BinaryIO

from nearkind.io import arrow, arrow_lines, delimited, json_lines
from nearkind.io.asked import Asked, Columns
from nearkind.io.lines import Lines

Reader = Callable[[BinaryIO, Asked], Columns]

KINDS: dict[str, Reader] = {
    "csv": delimited.read,
    "tsv": delimited.read_tabs,
    "jsonl": json_lines.read,
    "parquet": arrow.read_parquet,
    "arrow": arrow.read_arrow,
}
"""Kind to reader."""
TEXT_CHUNKS: dict[str, Callable[[Lines, Asked, int], Iterator[Columns]]] = {
    "csv": delimited.chunks,
    "tsv": delimited.tab_chunks,
    "jsonl": json_lines.chunks,
}
"""Kinds that are lines of text, to what reads some rows of them at a time."""
SCANS: dict[str, Callable[[BinaryIO, Asked, int], Iterator[Any]]] = {
    "parquet": arrow.scan_parquet,
    "arrow": arrow.scan_arrow,
}
"""Other kinds, to what reads some rows of them at a time, as tables of pyarrow."""
LINES_SCANS: dict[str, Callable[[BinaryIO, Asked, int], Iterator[Any]]] = {
    "csv": arrow_lines.scan_lines,
    "tsv": arrow_lines.scan_tabs,
}
"""Kinds of text that pyarrow may read too."""
ENDINGS = {
    ".csv": "csv",
    ".tsv": "tsv",
    ".tab": "tsv",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".json": "jsonl",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".arrow": "arrow",
    ".feather": "arrow",
    ".ipc": "arrow",
}
MAGIC = {b"PAR1": "parquet", b"ARROW1": "arrow", b"FEA1": "arrow"}
STRANGERS = {
    b"PK\x03\x04": "a zip archive or a spreadsheet; save the table as CSV",
    b"\xd0\xcf\x11\xe0": "an old spreadsheet; save the table as CSV",
    b"%PDF": "a PDF document; save the table as CSV",
    b"BZh": "compressed by bzip2; unpack it, or compress it by gzip",
    b"\xfd7zXZ": "compressed by xz; unpack it, or compress it by gzip",
    b"\x28\xb5\x2f\xfd": "compressed by zstd; unpack it, or compress it by gzip",
    b"SQLite format 3": "a database; export the table as CSV",
    b"\x89HDF": "an HDF5 file; export the table as CSV",
    b"\x89nearkind": "a model of nearkind; DATA is a table of rows",
}
"""First bytes of what people give by mistake, and what to do."""
MAGIC_OF_GZIP = b"\x1f\x8b"
HEAD = 1 << 16


def kind_of(head: bytes, name: str) -> str:
    """Return the kind of a file by its first bytes and its name.

    Examples
    --------
    >>> kind_of(b'{"a": 1}', "rows.txt"), kind_of(b"a b", "rows.tsv.gz")
    ('jsonl', 'tsv')
    """
    for start, kind in MAGIC.items():
        if head.startswith(start):
            return kind
    for start, what in STRANGERS.items():
        if head.startswith(start):
            raise ValueError(f"this is {what}.")
    ending = ending_of(name, ENDINGS)
    if ending is not None:
        return ENDINGS[ending]
    return "jsonl" if head.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{") else "csv"


def ending_of(name: str, endings: Iterable[str]) -> str | None:
    """Return which of these a name ends in, .gz left aside; None if in none.

    Examples
    --------
    >>> ending_of("A.CSV.gz", [".csv"])
    '.csv'
    """
    plain = name.lower().removesuffix(".gz")
    return next((ending for ending in endings if plain.endswith(ending)), None)


def check_kind(kind: str) -> str:
    """Return the name of a kind, refusing one that there is not."""
    if kind not in KINDS:
        listed = ", ".join(KINDS)
        raise ValueError(f"A format is one of {listed}; got {kind!r}.")
    return kind
