"""Against metric-learn, in an environment of its own: ``make bench-peers``.

First whether ``baselines.LMNN`` and ``baselines.ITML`` agree with metric-learn's; then
whole fits of CPML against its LMNN on one-hot rows (3 target neighbours), scored as in
``benchmarks.comparison``.

``python -m benchmarks.peers [SET ...] [--cap SECONDS] [--gigabytes N]``
"""

from collections.abc import Sequence

from benchmarks.comparison import compare, read_arguments
from benchmarks.peers import agreement
from benchmarks.peers.learner import Peer, check_environment


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and print."""
    wanted = read_arguments(__doc__.splitlines()[0], arguments, seconds=300.0)
    check_environment()
    agreement.main()
    compare("LMNN", Peer("LMNN"), wanted)


if __name__ == "__main__":
    main()
