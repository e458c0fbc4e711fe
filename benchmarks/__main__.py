"""``make bench``: every benchmark, one after another, each in a process of its own.

``python -m benchmarks NAME ...`` runs some.
"""

import sys
from subprocess import run

NAMES = ("encoding", "engine", "solvers", "search", "neighbors", "latency", "large")
NAMES += ("baselines", "nca", "exports", "prediction")


def main(names: list[str]) -> int:
    """Run the benchmarks of these names, all without any; return how many failed."""
    unknown = [name for name in names if name not in NAMES]
    if unknown:
        sys.exit(f"There is no benchmark {unknown[0]!r}; there are {', '.join(NAMES)}.")
    commands = ([sys.executable, "-m", f"benchmarks.{name}"] for name in names or NAMES)
    return sum(run(command).returncode != 0 for command in commands)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
