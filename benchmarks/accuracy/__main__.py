r"""Accuracy and probabilities of CPMLClassifierCV beside those of other classifiers.

    NEARKIND_TABLES=FOLDER python -m benchmarks.accuracy \
        [--sets NAME ...] [--methods NAME ...] [--repeats N] [--first N]
                                     run what the output folder lacks, print tables
    python -m benchmarks.accuracy --keep rows.jsonl ...
                                     put rows into docs/results/accuracy.jsonl.gz
    python -m benchmarks.accuracy --table [rows.jsonl ...]
                                     write the tables of docs/results/accuracy.md
    python -m benchmarks.accuracy --picture [rows.jsonl ...]
                                     draw docs/results/reliability.svg

Without files, tables and picture are made of the rows in docs/results.
"""

import argparse
import gzip
import sys
from pathlib import Path

from benchmarks.accuracy import anchors
from benchmarks.accuracy.reliability import diagram
from benchmarks.accuracy.sets import N_ROWS, available
from benchmarks.accuracy.tables import USUAL, markdown, shared, tables, write_page
from benchmarks.accuracy.trial import METHODS, plan
from nearkind.experiments import Limits, read_rows
from nearkind.experiments.runner import run_trials

RESULTS = Path(__file__).parents[2] / "docs" / "results"
KEPT = RESULTS / "accuracy.jsonl.gz"
PAGE = RESULTS / "accuracy.md"
PICTURE = RESULTS / "reliability.svg"


def main() -> None:
    """Run, or make something of rows."""
    given = _arguments()
    if given.keep is not None:
        pack_rows(read_rows(*given.keep), KEPT)
    if given.table is not None:
        rows = read_rows(*(given.table or [KEPT]))
        write_page(rows, PAGE)
        by_accuracy = next(made for made in tables(rows) if made.title == "Accuracy")
        PAGE.with_suffix(".csv").write_text(by_accuracy.csv())
    if given.picture is not None:
        rows = read_rows(*(given.picture or [KEPT]))
        draw(shared(rows, (*USUAL, "catboost"))[0])
    if given.keep is given.table is given.picture is None:
        run(given)


def run(given) -> None:
    """Run the trials that the output folder lacks, and print tables of all."""
    names = [s for s in given.sets or available() if N_ROWS[s] <= given.largest]
    trials = plan(names, given.methods, given.repeats, given.first)
    if {trial.name for trial in trials} & {*anchors.NAMES}:
        anchors.check_environment()
    given.output.mkdir(parents=True, exist_ok=True)
    results = given.output / "rows.jsonl"
    limits = Limits(given.seconds, n_threads=1)
    rows = run_trials(trials, results, limits=limits, jobs=1, retry=given.retry)
    made = markdown(rows)
    (given.output / "accuracy.md").write_text(made)
    print(made)


def pack_rows(rows, path):
    """Write rows to a compressed file, which depends on the rows alone."""
    text = "".join(row.line() for row in sorted(rows, key=lambda row: row.key))
    path.write_bytes(gzip.compress(text.encode(), mtime=0))


def draw(rows) -> None:
    """Draw the reliability diagrams."""
    import matplotlib

    matplotlib.rcParams["svg.hashsalt"] = "nearkind"  # the same rows, the same file
    diagram(rows).savefig(PICTURE, bbox_inches="tight", metadata={"Date": None})


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add = parser.add_argument
    add("--sets", nargs="*", help="all of the paper and of NEARKIND_TABLES by default")
    add("--methods", nargs="*", default=[*METHODS], choices=[*METHODS], metavar="NAME")
    add("--largest", type=int, default=10**9, help="leave out sets of more rows")
    add("--repeats", type=int, help="at most so many, if a set has more")
    add("--first", type=int, default=0, help="first repetition; 100 for development")
    add("--seconds", type=float, default=3600.0, help="give a trial up after these")
    add("--retry", action="store_true", help="run again what is not done")
    add("--output", type=Path, default=Path("bench-accuracy"))
    add("--keep", nargs="+", type=Path, metavar="ROWS")
    for name in ("--table", "--picture"):
        add(name, nargs="*", type=Path, metavar="ROWS")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
