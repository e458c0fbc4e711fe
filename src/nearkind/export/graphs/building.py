"""Nodes and constants of a graph, named as they come."""

from typing import Any

import numpy as np

INSTALL = 'Export to ONNX needs the onnx package. Run: pip install "nearkind[onnx]"'
DOMAINS = {"LabelEncoder": "ai.onnx.ml"}


def package() -> Any:
    """Return the onnx package, or say how to get it."""
    try:
        import onnx
        import onnx.helper
        import onnx.numpy_helper
    except ImportError:
        raise ImportError(INSTALL) from None
    return onnx


class Builder:
    """Collects nodes; every one is given a name that nothing else has.

    Parameters
    ----------
    taken : names of inputs and outputs
    """

    def __init__(self, taken: set[str]) -> None:
        self.onnx = package()
        self.nodes: list[Any] = []
        self.constants: list[Any] = []
        self._taken = set(taken)

    def inner(self) -> "Builder":
        """Return a builder of nodes inside a node; constants stay outside."""
        inside = Builder(set())
        inside._taken, inside.constants = self._taken, self.constants
        return inside

    def name(self) -> str:
        """Return a new name."""
        number = len(self._taken)
        while (name := f"_{number}") in self._taken:
            number += 1
        self._taken.add(name)
        return name

    def constant(self, value: Any, kind: Any = None) -> str:
        """Add a constant of doubles, or of what is asked for, and return its name."""
        array = np.asarray(value, dtype=kind)
        name = self.name()
        self.constants.append(self.onnx.numpy_helper.from_array(array, name))
        return name

    def add(
        self, operator: str, *inputs: str, output: str = "", **settings: Any
    ) -> str:
        """Add a node of one output and return its name."""
        (name,) = self.add_several(operator, *inputs, outputs=[output], **settings)
        return name

    def add_several(
        self, operator: str, *inputs: str, outputs: list[str], **settings: Any
    ) -> list[str]:
        """Add a node and return the names of its outputs, new where they are empty."""
        names = [output or self.name() for output in outputs]
        domain = DOMAINS.get(operator, "")
        make = self.onnx.helper.make_node
        self.nodes.append(make(operator, inputs, names, domain=domain, **settings))
        return names

    def cast(self, x: str, kind: str) -> str:
        """Return a tensor of another type: INT32, INT64."""
        return self.add("Cast", x, to=getattr(self.onnx.TensorProto, kind))

    def doubles(self, name: str, *shape: int | str) -> Any:
        """Return the description of an input or output of doubles."""
        kind = self.onnx.TensorProto.DOUBLE
        return self.onnx.helper.make_tensor_value_info(name, kind, shape)
