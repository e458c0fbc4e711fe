"""``nearkind predict`` from file to file, beside LightGBM with pandas.

Soft neighbours and LightGBM learn from 3,000 rows of the generated table of
``prediction``, 12 columns of which two decide, and predict a million others: from CSV
to CSV, and from Parquet to Parquet. Each command runs in a process of its own,
libraries included, on one thread. The aim is a peak below 1,000 MB.

``python -m benchmarks.files [--rows N] [--peer PYTHON]``; the peer is an interpreter
that has LightGBM, pandas and pyarrow.
"""

import os
import sys
from argparse import ArgumentParser
from collections.abc import Sequence
from pathlib import Path
from subprocess import DEVNULL, Popen, run
from tempfile import TemporaryDirectory

import nearkind as nk
from benchmarks.harness import no_warnings, print_status, print_table
from benchmarks.prediction import by_rule
from nearkind.experiments.sandbox import call

N_TRAINED = 3_000
COLUMNS = ("from file to file", "by", "CPU s", "rows per CPU s", "peak MB")
ONE_THREAD = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NEARKIND_NUM_THREADS")
PEER = """
import sys
import pandas as pd
from lightgbm import LGBMClassifier
train, data, output = sys.argv[1:]
def read(path):
    return pd.read_csv(path) if path.endswith("csv") else pd.read_parquet(path)
known = read(train)
y, kinds = known.pop("y"), {}
for name in known:
    kinds[name] = pd.CategoricalDtype(known[name].unique())
model = LGBMClassifier(n_jobs=1, verbose=-1).fit(known.astype(kinds), y)
if data:
    p = model.predict_proba(read(data).astype(kinds))
    found = pd.DataFrame(p, columns=[f"p{c}" for c in model.classes_])
    found.insert(0, "predicted", model.classes_[p.argmax(axis=1)])
    found.to_csv(output, index=False) if output.endswith("csv") else found.to_parquet(output)
"""  # noqa: E501


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and print."""
    parser = ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--peer", default=sys.executable, metavar="PYTHON")
    wanted = parser.parse_args(arguments)
    with TemporaryDirectory() as folder:
        lines = measure(Path(folder), wanted.rows, wanted.peer)
    title = f"{wanted.rows:,} rows of 12 columns: a peak below 1,000 MB"
    print_table(title, COLUMNS, lines)


def measure(folder: Path, n_rows: int, peer: str) -> list[list[str]]:
    """Return a line for each format and program."""
    call(write_files, folder, n_rows)  # memory of this process would count for others
    lines = []
    for form in ("csv", "parquet"):
        print_status(f"files: {form}")
        known, asked, output = (
            folder / f"{name}.{form}" for name in ("train", "data", "predicted")
        )
        ours = [sys.executable, "-m", "nearkind", "predict", folder / "model.nearkind"]
        theirs = [peer, "-c", PEER, known]
        commands = [("nearkind", [*ours, asked, "-o", output], 0.0)]
        if run([peer, "-c", "import lightgbm"], stderr=DEVNULL).returncode == 0:
            fit, _ = resources([*theirs, "", ""])
            name = "LightGBM and pandas, without its fit"
            commands.append((name, [*theirs, asked, output], fit))
        for name, command, before in commands:
            seconds, peak = resources(command)
            seconds -= before
            cells = f"{seconds:.1f}", f"{n_rows / seconds:,.0f}", f"{peak:,.0f}"
            lines.append([form, name, *cells])
    return lines


def write_files(folder: Path, n_rows: int) -> None:
    """Write the model and the tables."""
    whole = by_rule(N_TRAINED + n_rows)
    whole.X.columns = [f"column {d}" for d in range(12)]
    train, y, data = whole.X[:N_TRAINED], whole.y[:N_TRAINED], whole.X[N_TRAINED:]
    with no_warnings():
        metric = nk.CPML(constraints="neighbors", projection="onehot", n_jobs=1)
        model = nk.CPMLClassifier(metric, weights="soft").fit(train, y)
    nk.save(model, folder / "model.nearkind")
    for table, name in ((train.assign(y=y), "train"), (data, "data")):
        table.to_csv(folder / f"{name}.csv", index=False)
        table.to_parquet(folder / f"{name}.parquet", index=False)


def resources(command: Sequence[str | Path]) -> tuple[float, float]:
    """Run a command on one thread; return its CPU seconds and peak memory in MB."""
    environment = os.environ | dict.fromkeys(ONE_THREAD, "1")
    with Popen(list(map(str, command)), env=environment, stdout=DEVNULL) as process:
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit(f"{' '.join(map(str, command[:3]))} ended with {process.returncode}.")
    return used.ru_utime + used.ru_stime, used.ru_maxrss / 1024


if __name__ == "__main__":
    main()
