"""Agreement of learning from batches with learning from the whole table.

Both metrics are compared by the objective on one large sample of rows, at one strength.
"""

from time import perf_counter
from typing import Any, NamedTuple

import numpy as np

import nearkind as nk
from benchmarks.harness import no_warnings
from benchmarks.sets import load_categorical
from nearkind.constraints.triplets import AllTriplets
from nearkind.constraints.weighted_labels import WeightedLabels
from nearkind.encoding.rows import unique_rows
from nearkind.metrics.spectrum import decompose
from nearkind.regularizers.schatten import Schatten
from nearkind.solvers.objective import Objective

SETS = "krkopt", "connect4", "census"
N_SAMPLED = 12_000
BATCH = 5_000


class Agreement(NamedTuple):
    """Of one set: objectives of both metrics, and seconds."""

    name: str
    whole: float
    batches: float
    whole_seconds: float
    batches_seconds: float

    @property
    def excess(self) -> float:
        """How much higher the objective is after learning from batches."""
        return self.batches / self.whole - 1.0


def agreement(
    name: str, seed: int = 0, batch: int = BATCH, **settings: Any
) -> Agreement:
    """Fit a set both ways and compare the objectives."""
    data = load_categorical(name)
    shuffled = np.random.default_rng(seed).permutation(len(data.y))
    X, y = data.X.iloc[shuffled], data.y.iloc[shuffled]
    with no_warnings():
        start = perf_counter()
        whole = nk.CPML(random_state=seed, **settings).fit(X, y)
        whole_seconds = perf_counter() - start
        cuts = [slice(at, at + batch) for at in range(0, len(y), batch)]
        source = [(X[at], y[at]) for at in cuts]
        start = perf_counter()
        again = nk.CPML(random_state=seed, **{**settings, "strength": whole.strength_})
        again.fit_batches(source)
        seconds = perf_counter() - start
    objective = objective_of(whole, X, y, seed)
    return Agreement(name, objective(whole), objective(again), whole_seconds, seconds)


def objective_of(model: nk.CPML, X: Any, y: Any, seed: int) -> Any:
    """Return the function from a model to its objective on a sample of rows."""
    codes = model.codebook_.encode(X)
    unique = unique_rows(codes, np.searchsorted(model.classes_, y), np.ones(len(y)))
    rows, labels = WeightedLabels(unique.y, unique.weights).sample(
        N_SAMPLED, np.random.default_rng(seed + 100)
    )
    phi = model.projection_.transform(unique.codes[rows])
    Z = model.structure_.blocks(phi)
    Z = Z - Z.mean(axis=1, keepdims=True)
    problem = Objective(
        Z, AllTriplets(model.margin).bind(labels), Schatten(model.p), model.strength_
    )
    return lambda other: problem.value(decompose(other.metric_).positive())


if __name__ == "__main__":
    for name in SETS:
        found = agreement(name)
        print(found, f"{found.excess:+.3%}", flush=True)
