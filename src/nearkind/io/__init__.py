"""Tables in files -> columns of cells, and back.

``sources`` opens a path, standard input or a built-in set; ``kinds`` finds out what the
bytes are; ``delimited``, ``json_lines`` and ``arrow`` read them, ``cells`` says which
text is a number or missing, ``known`` what a fitted model would call it. ``scanning``
reads some rows at a time, after ``looking`` at all; ``parts`` are what it reads, text
by ``arrow_lines`` where pyarrow is there. ``writing``
writes a file whole or not at all. pyarrow is loaded only for its own kinds of file.
"""

from nearkind.io.asked import Asked, ReadingWarning
from nearkind.io.cells import typed
from nearkind.io.columns import pick
from nearkind.io.known import as_known
from nearkind.io.labelled import Labelled, Wanted
from nearkind.io.scanning import BATCH_ROWS, Batches, batches
from nearkind.io.sources import is_set, read, short_name
from nearkind.io.writing import check_ending, check_place, write, write_text

__all__ = [
    "BATCH_ROWS",
    "Asked",
    "Batches",
    "Labelled",
    "ReadingWarning",
    "Wanted",
    "as_known",
    "batches",
    "check_ending",
    "check_place",
    "is_set",
    "pick",
    "read",
    "short_name",
    "typed",
    "write",
    "write_text",
]
