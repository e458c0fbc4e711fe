"""Whole fits against scikit-learn's NeighborhoodComponentsAnalysis on one-hot rows.

NCA as it comes, in a process of its own with a limit on time and memory; see
``benchmarks.contest`` for how both are judged. Aims: 3 times faster and at most half a
point less accurate on the sets of 3,000 to 8,000 rows, 10 times faster (or NCA out of
memory) on nursery and krkopt.

``python -m benchmarks.rivals [SET ...] [--cap SECONDS] [--gigabytes N]``
"""

from collections.abc import Sequence
from time import perf_counter
from warnings import catch_warnings, simplefilter

from sklearn.exceptions import ConvergenceWarning
from sklearn.neighbors import NeighborhoodComponentsAnalysis

from benchmarks.children import DONE, in_child
from benchmarks.contest import Learned, Limits, compete, read_arguments
from benchmarks.sets import Part

AIMS = [
    "led24 krvskp splice dna_nominal mushroom: ratio 3 or more, points -0.5 or more",
    "nursery krkopt: ratio 10 or more, or NCA out of memory",
]


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and print."""
    wanted = read_arguments(__doc__.splitlines()[0], arguments, seconds=600.0)
    compete("NCA", fit_within, wanted, AIMS)


def fit_within(train: Part, limits: Limits) -> Learned:
    """Fit NCA in a process with limits."""
    outcome = in_child(fit, train, **limits._asdict())
    if outcome.ending == DONE:
        return outcome.value
    return Learned(outcome.ending, limits.seconds)


def fit(train: Part) -> Learned:
    """Fit NCA and note the time of that alone."""
    model = NeighborhoodComponentsAnalysis(random_state=0)
    start = perf_counter()
    with catch_warnings():
        simplefilter("ignore", ConvergenceWarning)
        model.fit(train.X, train.y)
    return Learned(DONE, perf_counter() - start, model.components_)


if __name__ == "__main__":
    main()
