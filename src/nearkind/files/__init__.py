"""Tables in files -> columns of cells, and back.

``sources`` opens a path, standard input or a built-in set; ``kinds`` finds out what the
bytes are; ``delimited``, ``json_lines`` and ``arrow`` read them, ``cells`` says which
text is a number or missing, ``known`` what a fitted model would call it. ``writing``
writes a file whole or not at all. pyarrow is loaded only for its own kinds of file.
"""

from nearkind.files.asked import Asked, ReadingWarning
from nearkind.files.cells import typed
from nearkind.files.columns import nearest, pick
from nearkind.files.known import as_known
from nearkind.files.labelled import Labelled, Wanted
from nearkind.files.sources import is_set, read, short_name
from nearkind.files.writing import check_ending, check_place, write, write_text

__all__ = [
    "Asked",
    "Labelled",
    "ReadingWarning",
    "Wanted",
    "as_known",
    "check_ending",
    "check_place",
    "is_set",
    "nearest",
    "pick",
    "read",
    "short_name",
    "typed",
    "write",
    "write_text",
]
