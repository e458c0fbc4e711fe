"""What a person says of a file, where it is not left to be found out."""

import codecs
from typing import NamedTuple

DELIMITERS = {",": ",", ";": ";", "\t": "\t", "|": "|", "tab": "\t", "\\t": "\t"}
"""As people write them, to the letter itself; the first four are looked for."""

Columns = dict[str, list]
"""A table: column names to cells, None where one is missing."""


class ReadingWarning(UserWarning):
    """A file was read in a way that its owner may not have meant."""


class Asked(NamedTuple):
    """How to read a file; None: find out.

    Attributes
    ----------
    format : one of ``kinds.KINDS``
    delimiter : between cells of a line
    encoding : of text, by its name in Python

    Examples
    --------
    >>> Asked(delimiter="tab").checked().delimiter == "\\t"
    True
    """

    format: str | None = None
    delimiter: str | None = None
    encoding: str | None = None

    def checked(self) -> "Asked":
        """Return it with the delimiter as a letter, refusing what cannot be."""
        return self._replace(delimiter=self._letter(), encoding=self._codec())

    def _letter(self) -> str | None:
        given = self.delimiter
        letter = DELIMITERS.get(given, given) if given else given
        if letter is not None and (len(letter) != 1 or letter in '"\r\n'):
            raise ValueError(
                f"A delimiter is one letter, such as , ; | or tab; got {given!r}."
            )
        return letter

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
