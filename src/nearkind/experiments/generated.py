"""Drawn sets by name, so that a trial can draw them where it runs."""

import json
import re
from typing import Any, NamedTuple

from nearkind.datasets import make_synthetic

_NAME, _KEY = re.compile(r"synthetic\((.*)\)"), re.compile(r"(\w+)=")


class Synthetic(NamedTuple):
    """The paper's synthetic data, with these settings; every repetition draws anew.

    Examples
    --------
    >>> drawn = Synthetic(n_features=5, weight=0.5)
    >>> drawn.name
    'synthetic(n_samples=1000, n_features=5, n_classes=4, weight=0.5, n_noisy=0)'
    >>> Synthetic.from_name(drawn.name) == drawn
    True
    """

    n_samples: int = 1000
    n_features: int = 10
    n_classes: int = 4
    weight: float = 0.3
    n_noisy: int = 0

    @property
    def name(self) -> str:
        """Name of the set."""
        settings = ", ".join(f"{key}={value}" for key, value in self._asdict().items())
        return f"synthetic({settings})"

    @classmethod
    def from_name(cls, name: str) -> "Synthetic | None":
        """Return what a name says, None if it is no name of a drawn set."""
        found = _NAME.fullmatch(name)
        if found is None:
            return None
        settings: dict[str, Any] = json.loads("{" + _KEY.sub(r'"\1":', found[1]) + "}")
        return cls(**settings)

    def draw(self, seed: int) -> tuple:
        """Return rows and labels."""
        data = make_synthetic(*self, random_state=seed, as_frame=False)
        return data.X, data.y
