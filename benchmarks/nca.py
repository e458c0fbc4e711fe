"""Whole fits against scikit-learn's NeighborhoodComponentsAnalysis on one-hot rows.

NCA with its default settings, in a process of its own with limits of time and memory;
``benchmarks.comparison`` says how both are scored. Aims: 3 times faster and at most
half a point less accurate on the sets of 3,000 to 8,000 rows, 10 times faster (or NCA
out of memory) on nursery and krkopt.

``python -m benchmarks.nca [SET ...] [--cap SECONDS] [--gigabytes N]``
"""

from collections.abc import Sequence
from time import perf_counter
from warnings import catch_warnings, simplefilter

from sklearn.exceptions import ConvergenceWarning
from sklearn.neighbors import NeighborhoodComponentsAnalysis

from benchmarks.comparison import LearnedMap, compare, read_arguments
from nearkind.experiments.rows import DONE
from nearkind.experiments.sandbox import Limits, call
from nearkind.experiments.splits import Part

AIMS = [
    "led24 krvskp splice dna_nominal mushroom: ratio 3 or more, points -0.5 or more",
    "nursery krkopt: ratio 10 or more, or NCA out of memory",
]


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and print."""
    wanted = read_arguments(__doc__.splitlines()[0], arguments, seconds=600.0)
    compare("NCA", fit_within, wanted, AIMS)


def fit_within(train: Part, limits: Limits) -> LearnedMap:
    """Fit NCA in a process with limits of time and memory."""
    outcome = call(fit, train, limits=limits)
    if outcome.status == DONE:
        return outcome.value
    return LearnedMap(outcome.status, limits.seconds)


def fit(train: Part) -> LearnedMap:
    """Fit NCA; the time is that of the fit alone."""
    model = NeighborhoodComponentsAnalysis(random_state=0)
    start = perf_counter()
    with catch_warnings():
        simplefilter("ignore", ConvergenceWarning)
        model.fit(train.X, train.y)
    return LearnedMap(DONE, perf_counter() - start, model.components_)


if __name__ == "__main__":
    main()
