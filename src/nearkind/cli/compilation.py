"""Compiling before the first fit, which is said if it takes long."""

from nearkind.cli.progress import said_if_long
from nearkind.losses.pair_sums import WORTH_COMPILING, has_compiler


def compile_ahead(n_rows: int | None = None) -> None:
    """Compile the sums of a fit, or load them from disk, before its time is taken.

    Parameters
    ----------
    n_rows : int, default=None
        Rows to learn from; of few of them no sum is compiled. None: many.
    """
    is_worth_it = n_rows is None or n_rows**2 >= WORTH_COMPILING
    if not is_worth_it or not has_compiler():
        return
    from nearkind.losses.compiled_sums import compile_sums  # loads the compiler

    with said_if_long("compiling for this machine, once ..."):
        compile_sums()
