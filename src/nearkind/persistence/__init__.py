"""Fitted models in one file: JSON and plain arrays, no pickle, no code.

``files`` has ``save`` and ``load``, which turn every error into one sentence.
``container`` is the file as bytes, with sizes and a checksum; ``nodes`` turns values
into JSON and back, ``values`` those that JSON has no word for. A model is made of
``codebooks``, ``distances`` and ``classifiers``. ``models`` is the table of all
classes: one named in a file is looked up there and never imported. ``checks`` says
what must hold of what was read.
"""

from nearkind.persistence.files import load, save

__all__ = ["load", "save"]
