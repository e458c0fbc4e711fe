"""Options of reading files."""

import codecs
from typing import NamedTuple

Columns = dict[str, list]
"""A table: column names to cells, None where one is missing."""
FORMAT_NAMES = ("csv", "tsv", "jsonl", "parquet", "arrow")
DELIMITERS = {",": ",", ";": ";", "\t": "\t", "|": "|", "tab": "\t", "\\t": "\t"}
"""Delimiters as users write them, to the character; the first four are looked for."""


class ReadingWarning(UserWarning):
    """A file was read in a way that its owner may not have meant."""


class ReadOptions(NamedTuple):
    """How to read a file; None means automatic detection.

    Attributes
    ----------
    format : {"csv", "tsv", "jsonl", "parquet", "arrow"} or None, default=None
    delimiter : str or None, default=None
        Character between the cells of a line; "tab" is understood.
    encoding : str or None, default=None
        Encoding of text, by its name in Python.
    decimal : {",", "."} or None, default=None
        Decimal mark of numbers in text. If it is given, numbers may have separators of
        thousands: the other mark, blanks or apostrophes.
    dates : {"dmy", "mdy"} or None, default=None
        Whether day or month comes first where dates can be read either way.

    Examples
    --------
    >>> ReadOptions(delimiter="tab").validated().delimiter == "\\t"
    True
    """

    format: str | None = None
    delimiter: str | None = None
    encoding: str | None = None
    decimal: str | None = None
    dates: str | None = None

    def validated(self) -> "ReadOptions":
        """Return the options with delimiter and encoding as Python names them.

        Raises
        ------
        ValueError
            If there is no such format, delimiter or encoding.
        """
        if self.format is not None and self.format not in FORMAT_NAMES:
            listed = ", ".join(FORMAT_NAMES)
            raise ValueError(f"A format is one of {listed}; got {self.format!r}.")
        return self._replace(delimiter=self._character(), encoding=self._codec())

    def _character(self) -> str | None:
        given = self.delimiter
        character = DELIMITERS.get(given, given) if given else given
        if character is not None and (len(character) != 1 or character in '"\r\n'):
            raise ValueError(
                f"A delimiter is one character, such as , ; | or tab; got {given!r}."
            )
        return character

    def _codec(self) -> str | None:
        if self.encoding is None:
            return None
        try:
            return codecs.lookup(self.encoding).name
        except LookupError:
            raise ValueError(
                f"There is no encoding {self.encoding!r}; try utf-8, utf-16, latin-1 "
                "or cp1252."
            ) from None
