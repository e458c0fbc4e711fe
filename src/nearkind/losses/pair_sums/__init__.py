"""Sums of a loss over every near distance against every far one, row by row.

The sum of f(t_j - c_k) over all pairs (j, k), f piecewise polynomial, needs only counts
and power sums of the c_k below each t_j and of the t_j above each c_k: sorting, instead
of the product of their numbers. Two modules do it, by the same names: ``by_merging`` in
NumPy, and ``compiled``, which is faster and needs numba (the extra ``fast``).
"""

from functools import cache
from importlib.util import find_spec
from types import ModuleType

from nearkind.losses.pair_sums import by_merging

WORTH_COMPILING = 1 << 14
"""Distances in a block from which loading the compiler pays."""


def engine(n_distances: int) -> ModuleType:
    """Return the module to sum with: compiled if that is installed and pays."""
    if n_distances < WORTH_COMPILING or not has_compiler():
        return by_merging
    from nearkind.losses.pair_sums import compiled  # slow to load, so only now

    return compiled


@cache
def has_compiler() -> bool:
    """Say whether numba is installed."""
    return find_spec("numba") is not None
