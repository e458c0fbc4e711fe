"""Writing a table or a text: beside its place first, then renamed, or not at all."""

import csv
import gzip
import io
import json
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from nearkind.datasets.writing import Lines
from nearkind.io.arrow import write_parquet
from nearkind.io.asked import Columns
from nearkind.io.kinds import ending_of

Take = Callable[[str], object]


def pour_delimited(columns: Columns, take: Take, delimiter: str = ",") -> None:
    """Hand over header and rows line by line; a missing cell is an empty one.

    Examples
    --------
    >>> pour_delimited({"size": [1, None]}, lambda line: print(line, end=""))
    size
    1
    ""
    """
    writer = csv.writer(Lines(take), delimiter=delimiter, lineterminator=Lines.end)
    writer.writerow(columns)
    writer.writerows(zip(*columns.values(), strict=True))


def pour_tabs(columns: Columns, take: Take) -> None:
    """Hand it over with tabs between cells."""
    pour_delimited(columns, take, "\t")


def pour_json(columns: Columns, take: Take) -> None:
    """Hand it over as one JSON object a row."""
    for cells in zip(*columns.values(), strict=True):
        row = dict(zip(columns, cells, strict=True))
        take(json.dumps(row, ensure_ascii=False, default=str) + "\n")


POURERS: dict[str, Callable[[Columns, Take], None]] = {
    ".csv": pour_delimited,
    ".tsv": pour_tabs,
    ".jsonl": pour_json,
    ".ndjson": pour_json,
}
"""Ending to what hands a table over as text."""
PARQUET = ".parquet"


def check_ending(path: Path) -> str:
    """Return how a file's name ends, .gz aside, if that can be written.

    Examples
    --------
    >>> check_ending(Path("out.csv.gz"))
    '.csv'
    """
    ending = ending_of(path.name, [*POURERS, PARQUET])
    if ending is None or path.name.lower().endswith(f"{PARQUET}.gz"):
        endings = ", ".join([*POURERS, PARQUET])
        raise ValueError(
            f"The file to write must end in {endings} (text also in .gz), got "
            f"{path.name!r}."
        )
    return ending


def write(columns: Columns, path: Path) -> None:
    """Write a table in the form that its name ends in; what was there is replaced.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "tiny.tsv"
    >>> write({"size": [1], "colour": ["red"]}, path)
    >>> path.read_text()
    'size\\tcolour\\n1\\tred\\n'
    """
    ending = check_ending(path)
    if ending == PARQUET:
        with beside(path) as file:
            write_parquet(columns, file)
        return
    packs = path.name.lower().endswith(".gz")
    with beside(path) as file, _text(file, packs) as text:
        POURERS[ending](columns, text.write)


def write_text(text: str, path: Path) -> None:
    """Write a text, whole or not at all."""
    with beside(path) as file:
        file.write(text.encode())


@contextmanager
def beside(path: Path) -> Iterator[IO[bytes]]:
    """Open a file beside a path, which takes its place if all goes well.

    Raises
    ------
    OSError
        If nothing can be written there, in one sentence.
    """
    place = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with _opened(place, path) as file:
            yield file
        place.replace(path)
    except IsADirectoryError:
        raise IsADirectoryError(f"{str(path)!r} is a folder; name a file.") from None
    finally:
        place.unlink(missing_ok=True)


def check_place(path: Path) -> None:
    """Refuse, before long work, a path that cannot be written."""
    if path.is_dir():
        raise IsADirectoryError(f"{str(path)!r} is a folder; name a file.")
    place = path.with_name(f".{path.name}.{os.getpid()}")
    _opened(place, path).close()
    place.unlink()


def _opened(place: Path, path: Path) -> IO[bytes]:
    try:
        return place.open("wb")
    except OSError as error:
        if not path.parent.is_dir():
            raise FileNotFoundError(
                f"There is no folder {str(path.parent)!r} to write to."
            ) from None
        raise type(error)(f"Cannot write {str(path)!r}: {error.strerror}.") from None


@contextmanager
def _text(file: IO[bytes], packs: bool) -> Iterator[IO[str]]:
    """Give a stream of text over a stream of bytes, compressed or not."""
    inside: Any = gzip.GzipFile("", "wb", fileobj=file, mtime=0) if packs else file
    with io.TextIOWrapper(inside, encoding="utf-8", newline="") as text:
        yield text
