"""Fitted models in one file: JSON and plain arrays, no pickle, no code.

``files`` has ``save`` and ``load``, which turn every error into one sentence.
``container`` is the file as bytes, with sizes and a checksum; ``nodes`` turns values
into JSON and back, ``values`` those that JSON has no word for, ``codebooks`` and
``dataclass_nodes`` what models are made of. ``models`` has the estimators and the table
of all classes: one named in a file is looked up there and never imported.
``diagnostics`` says what must hold of the values of a fit, and ``older_files`` reads
files of versions 0.1 and 0.2.
"""

from nearkind.persistence.files import load, save

__all__ = ["load", "save"]
