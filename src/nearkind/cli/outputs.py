"""Checks of output files: no input is overwritten, nor a file of another kind."""

import gzip
import os
import stat
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import typer

from nearkind.datasets.readers import set_files
from nearkind.io import check_ending, check_writable
from nearkind.io.formats import GZIP_MAGIC, HEAD, detect_format, format_by_name
from nearkind.io.lines import BOMS, UNPACK_ERRORS
from nearkind.io.sources import STANDARD_INPUT
from nearkind.persistence.container import MAGIC
from nearkind.tables import printable

Inputs = Mapping[str, str | Path | None]
"""Arguments and options as users write them, to what each names."""
OUTPUT = "--output"
DEVICES = "/dev/", "/proc/"


class Kind(NamedTuple):
    """A kind of file that commands write.

    Attributes
    ----------
    name : str
    holds : callable
        From the first bytes of a file, and its name, to whether it is of this kind.
    endings : tuple of str, default=()
        How the name has to end; empty if the command looks at the ending itself.
    """

    name: str
    holds: Callable[[bytes, str], bool]
    endings: tuple[str, ...] = ()


def _is_table(head: bytes, name: str) -> bool:
    """Return whether bytes are a table in the format that the name says."""
    try:
        form = detect_format(head, name)
    except ValueError:
        return False
    if form.is_text:
        fits = b"\0" not in head or head.startswith(tuple(BOMS))
    else:
        fits = head.startswith(form.magic)
    return fits and form is format_by_name(name)


def _starts_with(*starts: bytes) -> Callable[[bytes, str], bool]:
    return lambda head, name: head.lstrip().lower().startswith(starts)


MODEL = Kind("a model of nearkind", _starts_with(MAGIC), (".nearkind",))
PAGE = Kind(
    "an HTML page", _starts_with(b"<!doctype html", b"<html"), (".html", ".htm")
)
ANSWERS = Kind(
    "a file of answers", _starts_with(b'{"format": "nearkind answers"'), (".json",)
)
TABLE = Kind("a table in the format of its ending", _is_table)
EXPORTS = {
    "json": Kind("a model as JSON", _starts_with(b'{"format": "nearkind"')),
    "csv": Kind(
        "a model as CSV",
        _starts_with(
            b"feature,code,kind,value", b"feature,code,other,distance", b"number,count,"
        ),
    ),
    "sql": Kind("a model as SQL", _starts_with(b"-- a model of nearkind")),
    "onnx": Kind("an ONNX graph", _starts_with(b"\x08")),
}
"""Target of an export to the kind of its files."""
RESULTS = {
    ".md": Kind("a table of results", _starts_with(b"### ")),
    ".tex": Kind("a table of results", _starts_with(rb"\begin{table}")),
    ".csv": TABLE,
    ".svg": Kind("a figure", _starts_with(b"<?xml", b"<svg")),
    ".png": Kind("a figure", _starts_with(b"\x89png")),
    ".jsonl": Kind("rows of results", _starts_with(b'{"dataset"')),
}
"""Ending of a file of ``nearkind reproduce`` to its kind."""


def check_output(path: Path, kind: Kind, inputs: Inputs, force: bool) -> None:
    """Raise BadParameter or OSError, before long work, if a file may not be written.

    Parameters
    ----------
    path : Path
        The file to write.
    kind : Kind
        What will be in it.
    inputs : mapping of str to str or Path
        What the command reads.
    force : bool
        Whether a file of another kind may be replaced, and the name end otherwise.
    """
    keep_inputs(path, inputs)
    check_writable(path)
    is_named = not kind.endings or path.name.lower().endswith(kind.endings)
    if not (is_named or force or _is_special(path)):
        raise _refused(
            f"the name of {kind.name} ends in {kind.endings[0]}; got {path.name!r}; "
            "rename it, or pass --force."
        )
    keep_others(path, kind, force)


def check_table_output(path: Path, inputs: Inputs, force: bool) -> None:
    """Raise BadParameter or OSError if a table may not be written to a file."""
    try:
        check_ending(path)
    except ValueError as error:
        raise _refused(str(error)) from None
    check_output(path, TABLE, inputs, force)


def keep_inputs(path: Path, inputs: Inputs) -> None:
    """Raise BadParameter if a file to write is one that the command reads."""
    there = _regular(path)
    if there is None:
        return
    for role, given in inputs.items():
        if any(os.path.samestat(there, each) for each in _stats(given)):
            raise _refused(
                f"{str(path)!r} is the file of {role}; commands do not overwrite "
                "their inputs. Name another file."
            )


def keep_others(path: Path, kind: Kind, force: bool) -> None:
    """Raise BadParameter if a file to write is there and of another kind."""
    there = _regular(path)
    if force or there is None or not there.st_size:
        return
    head = _head(path)
    if head is None or not kind.holds(head, path.name):
        raise _refused(
            f"{str(path)!r} exists and is not {kind.name}; name another file, or "
            "overwrite it with --force."
        )


def results_in(folder: Path, items: Iterable[str]) -> list[Path]:
    """Return the files of a folder that ``nearkind reproduce`` may replace."""
    stems = ["rows", *items]  # tables and figures begin with the name of their item
    found = sorted(path for stem in stems for path in folder.glob(f"{stem}*"))
    return [path for path in found if path.suffix in RESULTS]


def echo_path(path: Path) -> None:
    """Print the path of a file that was written."""
    typer.echo(printable(str(path)))


def _refused(message: str) -> typer.BadParameter:
    return typer.BadParameter(printable(message), param_hint=OUTPUT)


def _is_special(path: Path) -> bool:
    """Return whether a path is that of a pipe or a device, /dev/stdout included."""
    is_device = str(path).startswith(DEVICES)
    return is_device or (path.exists() and _regular(path) is None)


def _regular(file: int | str | Path) -> os.stat_result | None:
    """Return what is known of a regular file; None if there is none."""
    with suppress(OSError, ValueError):
        found = os.stat(file)
        return found if stat.S_ISREG(found.st_mode) else None
    return None


def _stats(given: str | Path | None) -> Iterator[os.stat_result]:
    """Yield what is known of the regular files that an argument stands for."""
    files: list[int | str | Path] = [] if given is None else [given]
    if given == STANDARD_INPUT:
        with suppress(OSError, ValueError, AttributeError):  # it may be closed
            files = [sys.stdin.fileno()]
    elif isinstance(given, str):
        files += set_files(given)
    yield from filter(None, map(_regular, files))


def _head(path: Path) -> bytes | None:
    """Return the first bytes of a file, unpacked; None if it cannot be read."""
    try:
        with path.open("rb") as stream:
            packed = stream.read(len(GZIP_MAGIC)) == GZIP_MAGIC
            stream.seek(0)
            if not packed:
                return stream.read(HEAD)
            with gzip.GzipFile(fileobj=stream) as inside:
                return inside.read(HEAD)
    except (OSError, *UNPACK_ERRORS):
        return None
