"""Does Gower's distance equal daisy's of R, and what do neighbours cost without it?

The first 400 rows of each set, all categories nominal, and again with columns of more
than two categories ordered and those of two asymmetric; needs Rscript with the package
cluster. Then the 5 nearest rows of every row of adult, by NearestRows and by the matrix
of PyPI's package gower, which another Python may have.

``python -m benchmarks.peers.mixed [PYTHON WITH GOWER] [--rows N]``
"""

import argparse
import sys
from pathlib import Path
from subprocess import run
from tempfile import TemporaryDirectory

import numpy as np
import pandas as pd

import nearkind as nk
from benchmarks.harness import no_warnings, print_status, print_table

HERE = Path(__file__).parent
SETS = (
    "adult", "ames", "audiology", "autos", "credit_data", "cylinder_bands",
    "heart_cleveland", "horse_colic", "mushroom", "sick", "student_por", "telco_churn",
    "titanic",
)  # fmt: skip


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("python", nargs="?", default=sys.executable)
    parser.add_argument("--rows", type=int, default=20_000)
    parser.add_argument("--folder", type=Path, default=Path("data"))
    wanted = parser.parse_args()
    columns = "set", "rows", "columns", "numbers", "missing", "nominal", "ordered"
    print_table(
        "Largest difference from daisy", columns,
        [_agreement(table, wanted.folder) for table in SETS],
    )  # fmt: skip
    columns = "package", "CPU s", "peak GB"
    print_table(
        f"5 nearest rows of {wanted.rows} rows of adult", columns,
        _costs(wanted.folder, wanted.python, wanted.rows),
    )  # fmt: skip


def read(folder: Path, name: str) -> pd.DataFrame:
    """Return a set, words as objects."""
    X = pd.read_csv(folder / f"{name}.csv.gz")
    words = [column for column in X if X[column].dtype.kind not in "iuf"]
    X = X.loc[:, X.notna().any()]
    return X.astype({column: object for column in words if column in X})


def _agreement(name: str, folder: Path) -> list[str]:
    print_status(f"daisy: {name}")
    X = read(folder, name).head(400)
    X = X.loc[:, X.notna().any()]
    words = [column for column in X if X[column].dtype == object]
    X[words] = X[words].map(str, na_action="ignore")
    n_values = X[words].nunique()
    ordered = {c: sorted(X[c].dropna().unique()) for c in words if n_values[c] > 2}
    asymmetric = [column for column in words if n_values[column] == 2]
    settings = ({}, {"ordered": ordered, "asymmetric": asymmetric})
    found = []
    for given in settings:
        kinds = [
            "numeric" if c not in words
            else "ordered" if c in given.get("ordered", ())
            else "asymmetric" if c in given.get("asymmetric", ())
            else "nominal"
            for c in X
        ]  # fmt: skip
        with TemporaryDirectory() as place, no_warnings():
            table, result = Path(place, "x.csv"), Path(place, "d.bin")
            X.to_csv(table, index=False)
            script = ["Rscript", HERE / "daisy.R", table, result, ",".join(kinds)]
            run(script, check=True)
            theirs = np.fromfile(result).reshape(len(X), len(X))
            ours = nk.baselines.Gower(**given).fit(X).pairwise_distances(X)
        found.append(f"{np.nanmax(np.abs(ours - theirs)):.0e}")
    n_missing = int(X.isna().sum().sum())
    return [name, *map(str, (*X.shape, X.shape[1] - len(words), n_missing)), *found]


def _costs(folder: Path, python: str, n_rows: int) -> list[list[str]]:
    rows = []
    with TemporaryDirectory() as place:
        table = Path(place, "adult.csv")
        adult = read(folder, "adult").dropna()
        adult.sample(n_rows, random_state=0).to_csv(table, index=False)
        for kind, program in (("nearkind", sys.executable), ("gower", python)):
            print_status(f"neighbours: {kind}")
            script = [program, "-W", "ignore", HERE / "gower_neighbors.py"]
            output = run(
                [*script, kind, table, Path(place, f"{kind}.npy")],
                check=True, capture_output=True, text=True,
            ).stdout  # fmt: skip
            seconds, gigabytes = map(float, output.split())
            rows.append([kind, f"{seconds:.1f}", f"{gigabytes:.2f}"])
        ours, theirs = (np.load(Path(place, f"{row[0]}.npy")) for row in rows)
        print_status(f"largest difference {np.abs(ours - theirs).max():.0e}")
    return rows


if __name__ == "__main__":
    main()
