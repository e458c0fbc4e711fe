"""Coverage of ``predict_set`` on simulated tables, whose truth is known.

Five columns of three values; the class is a function of two of them, and a share of the
labels is drawn at random instead: none, three tenths, or all. Each cell is the mean
over several tables, with its standard error, of the share of 500 new rows whose set,
which may be empty, holds the true class; and ``best_score_`` beside the accuracy on the
same new rows.

``python -m benchmarks.coverage [--rows N ...] [--repeats R]``
"""

from argparse import ArgumentParser
from collections.abc import Sequence

import numpy as np

import nearkind as nk
from benchmarks.harness import no_warnings, print_status, print_table

COVERAGES = (0.5, 0.8, 0.9)
N_NEW = 500
FIRST_SEED = 7_000


def main(arguments: Sequence[str] | None = None) -> None:
    """Simulate and print."""
    parser = ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, nargs="*", default=[40, 100, 300, 1_000])
    parser.add_argument("--repeats", type=int, default=0, help="0: fewer of more rows")
    wanted = parser.parse_args(arguments)
    lines = []
    for n_rows in wanted.rows:
        repeats = wanted.repeats or int(np.clip(15_000 // n_rows, 25, 150))
        for n_classes in (2, 5):
            for noise in (0.0, 0.3, 1.0):
                cell = n_rows, n_classes, noise
                print_status(" ".join(map(str, cell)))
                seeds = range(FIRST_SEED, FIRST_SEED + repeats)
                found = np.array([measure(*cell, seed) for seed in seeds])
                error = found.std(axis=0, ddof=1) / np.sqrt(repeats)
                numbers = zip(found.mean(axis=0), error, strict=True)
                cells = [f"{mean:.3f} ± {error:.3f}" for mean, error in numbers]
                shown = f"{n_rows:,}", str(n_classes), f"{noise:.0%}", str(repeats)
                lines.append((*shown, *cells))
    head = ("rows", "classes", "random labels", "tables")
    asked = [f"asked {coverage:g}" for coverage in COVERAGES]
    title = "Coverage of sets of classes, simulated"
    print_table(title, (*head, *asked, "best_score_", "accuracy"), lines)


def measure(n_rows: int, n_classes: int, noise: float, seed: int) -> list[float]:
    """Return the coverages, ``best_score_`` and accuracy of one table."""
    rng = np.random.default_rng(seed)
    X, y = draw(n_rows, n_classes, noise, rng)
    new, truth = draw(N_NEW, n_classes, noise, rng)
    with no_warnings():
        model = nk.CPMLClassifierCV(n_jobs=1).fit(X, y)
        masks = [model.predict_set(new, c, allow_empty=True) for c in COVERAGES]
        accuracy = float(model.score(new, truth))
    is_true = truth[:, None] == model.classes_  # (n, C), no class for an unseen one
    covered = [float((mask & is_true).any(axis=1).mean()) for mask in masks]
    return [*covered, model.best_score_, accuracy]


def draw(
    n_rows: int, n_classes: int, noise: float, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Return rows and labels, a share ``noise`` of them drawn at random."""
    X = rng.integers(0, 3, (n_rows, 5))
    y = (X[:, 0] + (1 if n_classes == 2 else 2) * X[:, 1]) % n_classes
    is_random = rng.random(n_rows) < noise
    return X.astype(str), np.where(is_random, rng.integers(0, n_classes, n_rows), y)


if __name__ == "__main__":
    main()
