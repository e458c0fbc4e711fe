"""Whole fits against metric-learn's LMNN on one-hot rows: ``make bench-peers``.

LMNN as it comes (3 target neighbours), by a script in ``.venv-peers``, where there is
a scikit-learn old enough for it; see ``benchmarks.contest`` for how both are judged.

``python -m benchmarks.peers [SET ...] [--cap SECONDS] [--gigabytes N]``
"""

import sys
from collections.abc import Sequence
from pathlib import Path
from subprocess import PIPE, TimeoutExpired, run
from tempfile import TemporaryDirectory

import numpy as np

from benchmarks.children import DIED, DONE, NO_MEMORY, TOO_SLOW
from benchmarks.contest import Learned, Limits, compete, read_arguments
from benchmarks.report import say
from benchmarks.sets import Part

PYTHON = Path(__file__).parents[2] / ".venv-peers" / "bin" / "python"
SCRIPT = Path(__file__).with_name("lmnn.py")
OUT_OF_MEMORY = 3
"""Exit code of the script."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and print."""
    wanted = read_arguments(__doc__.splitlines()[0], arguments, seconds=300.0)
    if not PYTHON.exists():
        sys.exit(f"There is no {PYTHON}. Run `make bench-peers`, which makes it.")
    compete("LMNN", fit_within, wanted)


def fit_within(train: Part, limits: Limits) -> Learned:
    """Fit LMNN in its environment, handing arrays over by files."""
    with TemporaryDirectory() as folder:
        source, result = Path(folder, "rows.npz"), Path(folder, "map.npz")
        np.savez(source, X=train.X, y=train.y)
        ending = _fit(source, result, limits)
        if ending != DONE:
            return Learned(ending, limits.seconds)
        with np.load(result) as found:
            return Learned(DONE, float(found["seconds"]), found["components"])


def _fit(source: Path, result: Path, limits: Limits) -> str:
    """Run the script and say how it ended."""
    command = [PYTHON, SCRIPT, source, result, str(limits.gigabytes)]
    try:
        ended = run(command, timeout=limits.seconds, stderr=PIPE, text=True)
    except TimeoutExpired:
        return TOO_SLOW
    if ended.returncode in (0, OUT_OF_MEMORY):
        return DONE if ended.returncode == 0 else NO_MEMORY
    say(ended.stderr)
    return DIED


if __name__ == "__main__":
    main()
