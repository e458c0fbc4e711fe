"""The result of one trial, and files of results: a line of JSON for each."""

import gzip
import json
import os
import warnings
from dataclasses import asdict, dataclass, fields
from pathlib import Path

from nearkind.experiments.rows import DONE


@dataclass(frozen=True)
class Row:
    """The result of a method on a set in one repetition; None is unknown.

    Parameters
    ----------
    dataset, method, repetition : str, str, int
        The key.
    seed : int
        Seed of the split, which depends on set and repetition alone.
    status : str, default="done"
        "done", "timed out", "out of memory", or "failed: " and the reason.
    n_train, n_test, n_classes : int
        Rows for fitting and choosing, rows for testing, classes of the former.
    accuracy, balanced_accuracy, majority_share : float
        Shares of right answers: of ``predict``, the mean of its share over classes,
        and that of the largest class.
    log_loss, brier, zero_share, bins
        What ``probability_scores`` says of ``predict_proba``.
    fit_seconds, fit_cpu_seconds, predict_seconds : float
        Time of ``fit``, by the clock and of the processor, and of ``predict_proba``.
    seconds : float
        Time of the whole trial.
    versions : dict
        Versions of Python and of the packages that compute.
    commit : str
        What of this repository ran, as ``git describe`` tells it.
    """

    dataset: str
    method: str
    repetition: int
    seed: int
    status: str = DONE
    n_train: int | None = None
    n_test: int | None = None
    n_classes: int | None = None
    accuracy: float | None = None
    balanced_accuracy: float | None = None
    majority_share: float | None = None
    log_loss: float | None = None
    brier: float | None = None
    zero_share: float | None = None
    bins: list[list[float]] | None = None
    fit_seconds: float | None = None
    fit_cpu_seconds: float | None = None
    predict_seconds: float | None = None
    seconds: float | None = None
    versions: dict[str, str] | None = None
    commit: str | None = None
    design = "by size"

    @property
    def key(self):
        """What this row is the result of."""
        return self.dataset, self.method, self.repetition

    @property
    def is_done(self):
        """Whether the trial came to its end."""
        return self.status == DONE

    def line(self):
        """Return the row as one line of JSON."""
        return json.dumps(asdict(self), allow_nan=False) + "\n"

    @classmethod
    def from_line(cls, line):
        """Return the row of a line, without fields that this version does not know."""
        facts = json.loads(line)
        return cls(**{f.name: facts[f.name] for f in fields(cls) if f.name in facts})


def read_rows(*paths):
    """Return the rows of some files by key; of one key the last row counts.

    A line that a killed run left incomplete is ignored with a warning.
    """
    rows = {}
    for path in map(Path, paths):
        unpack = gzip.decompress if path.suffix == ".gz" else bytes
        for number, line in enumerate(unpack(path.read_bytes()).splitlines(), 1):
            try:
                row = Row.from_line(line)
            except ValueError:
                warnings.warn(f"{path.name}, line {number}: no row.", stacklevel=2)
            else:
                rows[row.key] = row
    return rows


def append_row(row, path):
    """Add a row to a file, on a line of its own whatever a killed run left there."""
    with open(path, "a+b") as file:
        if file.tell() and not _ends_a_line(path):
            file.write(b"\n")
        file.write(row.line().encode())
        file.flush()
        os.fsync(file.fileno())


def _ends_a_line(path):
    with open(path, "rb") as file:
        file.seek(-1, os.SEEK_END)
        return file.read() == b"\n"


def pack_rows(rows, path):
    """Write rows to a compressed file, which depends on the rows alone."""
    text = "".join(row.line() for row in sorted(rows, key=lambda row: row.key))
    Path(path).write_bytes(gzip.compress(text.encode(), mtime=0))
