"""Fitted models for other programs: JSON, CSV, SQL, ONNX.

``targets`` has ``write`` and the table of targets; each target is a module with one
``write`` of its own, loaded when it is asked for. ``portable`` takes from a model what
is exported: the vectors of all values, and the training rows that vote.
"""

from nearkind.export.targets import TARGETS, write

__all__ = ["TARGETS", "write"]
