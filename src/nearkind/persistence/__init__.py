"""Fitted models in one file: JSON and plain arrays, no pickle, no code.

``files`` is the door: it writes beside and renames, reads within a limit, and turns
every refusal into one sentence. Below it stand ``container``, bytes with sizes and a
checksum; ``json_text`` and ``nodes``, which know ``values`` and ``arrays``; and what a
model is made of: ``codebooks``, ``pieces``, ``distances``, ``classifiers``. ``models``
is the table of all classes: one named in a file is looked up there and never imported.
``checks`` says what must hold of what was read.
"""

from nearkind.persistence.files import load, save

__all__ = ["load", "save"]
