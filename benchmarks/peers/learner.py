"""Learners of metric-learn, run in an environment of their own on arrays in files."""

import sys
from dataclasses import dataclass
from pathlib import Path
from subprocess import PIPE, TimeoutExpired, run
from tempfile import TemporaryDirectory

import numpy as np

from benchmarks.comparison import LearnedMap
from benchmarks.harness import print_status
from nearkind.experiments.rows import DONE, FAILED, NO_MEMORY, TIMED_OUT
from nearkind.experiments.sandbox import Limits
from nearkind.experiments.splits import Part

PYTHON = Path(__file__).parents[2] / ".venv-peers" / "bin" / "python"
SCRIPT = Path(__file__).with_name("fit.py")
OUT_OF_MEMORY = 3
"""Exit code of the script."""


@dataclass(frozen=True)
class Peer:
    """A learner of metric-learn, by its name there."""

    name: str

    def __call__(self, train: Part, limits: Limits) -> LearnedMap:
        """Fit on labelled rows."""
        return self.fit(limits, X=train.X, y=train.y)

    def fit(self, limits: Limits, **arrays: np.ndarray) -> LearnedMap:
        """Fit on the arrays that the script ``fit.py`` takes for this learner."""
        with TemporaryDirectory() as folder:
            source, result = Path(folder, "rows.npz"), Path(folder, "map.npz")
            np.savez(source, **arrays)
            status = self._fit(source, result, limits)
            if status != DONE:
                return LearnedMap(status, limits.seconds)
            with np.load(result) as found:
                return LearnedMap(DONE, float(found["seconds"]), found["components"])

    def _fit(self, source: Path, result: Path, limits: Limits) -> str:
        """Run the script and return its status."""
        gigabytes = str(limits.megabytes / 1024.0)
        command = [PYTHON, SCRIPT, self.name, source, result, gigabytes]
        try:
            ended = run(command, timeout=limits.seconds, stderr=PIPE, text=True)
        except TimeoutExpired:
            return TIMED_OUT
        if ended.returncode in (0, OUT_OF_MEMORY):
            return DONE if ended.returncode == 0 else NO_MEMORY
        print_status(ended.stderr)
        return FAILED


def check_environment(python: Path = PYTHON, target: str = "bench-peers") -> None:
    """Exit with a message if there is no environment."""
    if not python.exists():
        sys.exit(f"There is no {python}. Run `make {target}`, which makes it.")
