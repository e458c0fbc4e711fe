"""Loss and gradient over every triplet, against the two matrix products in them."""

import numpy as np
from rich.console import Console
from rich.table import Table
from threadpoolctl import threadpool_limits

from benchmarks.timing import best_seconds
from nearkind.constraints.all_triplets import AllTriplets
from nearkind.constraints.labels import Labels
from nearkind.estimators.threads import thread_map
from nearkind.losses import Hinge, SmoothedHinge
from nearkind.objective import Objective
from nearkind.regularizers import Schatten
from nearkind.spectral import identity
from nearkind.structures import Single

N_FEATURES, N_CLASSES, SIZES = 24, 10, (1_000, 2_000, 4_000)


def main() -> None:
    """Print seconds, ratio to the limit, and how cost grows with the rows."""
    table = Table(title="Every triplet: loss and gradient, 24 features, 10 classes")
    for name in ("rows", "triplets", "products", "hinge", "ratio", "smoothed", "ratio"):
        table.add_column(name, justify="right")
    seconds = []
    for n_rows in SIZES:
        objective, triplets = problem(n_rows)
        limit = products(n_rows)
        hinge, smoothed = (
            fastest(objective, loss) for loss in (Hinge(), SmoothedHinge(0.5))
        )
        seconds.append(smoothed)
        table.add_row(
            f"{n_rows:,}",
            f"{triplets:.1e}",
            f"{limit:.3f} s",
            f"{hinge:.3f} s",
            f"{hinge / limit:.1f}",
            f"{smoothed:.3f} s",
            f"{smoothed / limit:.1f}",
        )
    console = Console()
    console.print(table)
    growth = np.polyfit(np.log(SIZES), np.log(seconds), 1)[0]
    console.print(f"cost grows with the rows to the power {growth:.2f}")


def problem(n_rows: int) -> tuple[Objective, float]:
    rng = np.random.default_rng(0)
    y = np.sort(rng.integers(0, N_CLASSES, n_rows))
    phi = rng.dirichlet(np.ones(N_CLASSES), size=(n_rows, N_FEATURES))
    labels = Labels(y, np.ones(n_rows))
    Z = np.ascontiguousarray(Single().blocks(phi))
    constraints = AllTriplets().bind(labels)
    triplets = float((labels.same * labels.other).sum())
    return Objective(Z, constraints, Schatten(1.0), 0.01), triplets


def fastest(
    objective: Objective, loss: Hinge | SmoothedHinge, repeats: int = 3
) -> float:
    start = identity(1, N_FEATURES)
    with thread_map(None) as run:
        timed = Objective(
            objective.Z, objective.constraints, objective.regularizer, 0.01, loss, run
        )
        return best_seconds(lambda: timed.slope(start), repeats)


def products(n_rows: int, repeats: int = 3) -> float:
    """Time of U U' and W Z in single precision, all cores: the least any way needs."""
    U = np.random.default_rng(0).random((n_rows, N_FEATURES * N_CLASSES), np.float32)
    W = np.ones((n_rows, n_rows), np.float32)
    with threadpool_limits(None):
        return best_seconds(lambda: (U @ U.T, W @ U), repeats)


if __name__ == "__main__":
    main()
