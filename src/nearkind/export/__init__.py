"""A fitted model for other programs: JSON, CSV, SQL, ONNX.

``writing`` is the door, with the table of targets; each is a module with one ``write``
and is loaded when it is asked for. ``portable`` says what is exported of a model, which
is values with their vectors, and the training rows that vote; ``taking`` takes it from
a model, and ``values`` refuses what cannot be written. ``entries`` makes one long table
of all values, which CSV and SQL share.
"""

from nearkind.export.writing import TARGETS, write

__all__ = ["TARGETS", "write"]
