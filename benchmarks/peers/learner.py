"""metric-learn's learners, run in their own environment with arrays in files."""

import sys
from dataclasses import dataclass
from pathlib import Path
from subprocess import PIPE, TimeoutExpired, run
from tempfile import TemporaryDirectory

import numpy as np

from benchmarks.children import DIED, DONE, NO_MEMORY, TOO_SLOW
from benchmarks.contest import Learned, Limits
from benchmarks.report import say
from benchmarks.sets import Part

PYTHON = Path(__file__).parents[2] / ".venv-peers" / "bin" / "python"
SCRIPT = Path(__file__).with_name("fit.py")
OUT_OF_MEMORY = 3
"""Exit code of the script."""


@dataclass(frozen=True)
class Peer:
    """One of metric-learn's learners, by its name there."""

    name: str

    def __call__(self, train: Part, limits: Limits) -> Learned:
        """Fit on labelled rows."""
        return self.fit(limits, X=train.X, y=train.y)

    def fit(self, limits: Limits, **arrays: np.ndarray) -> Learned:
        """Fit on what the script takes for this learner."""
        with TemporaryDirectory() as folder:
            source, result = Path(folder, "rows.npz"), Path(folder, "map.npz")
            np.savez(source, **arrays)
            ending = self._fit(source, result, limits)
            if ending != DONE:
                return Learned(ending, limits.seconds)
            with np.load(result) as found:
                return Learned(DONE, float(found["seconds"]), found["components"])

    def _fit(self, source: Path, result: Path, limits: Limits) -> str:
        """Run the script and say how it ended."""
        command = [PYTHON, SCRIPT, self.name, source, result, str(limits.gigabytes)]
        try:
            ended = run(command, timeout=limits.seconds, stderr=PIPE, text=True)
        except TimeoutExpired:
            return TOO_SLOW
        if ended.returncode in (0, OUT_OF_MEMORY):
            return DONE if ended.returncode == 0 else NO_MEMORY
        say(ended.stderr)
        return DIED


def check_environment() -> None:
    """Leave with a word if there is no environment."""
    if not PYTHON.exists():
        sys.exit(f"There is no {PYTHON}. Run `make bench-peers`, which makes it.")
