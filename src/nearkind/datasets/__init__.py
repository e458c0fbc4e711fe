"""Data sets: computed from rules, read from files, or synthetic."""

from typing import TYPE_CHECKING

from nearkind.datasets.files import ChangedDataWarning
from nearkind.datasets.sources import names, obtain
from nearkind.datasets.synthetic import make_synthetic

if TYPE_CHECKING:
    from sklearn.utils import Bunch

__all__ = ["ChangedDataWarning", "load", "make_synthetic", "names"]


def load(name: str, *, as_frame: bool = True) -> "Bunch":
    """Return a data set by name.

    Sets that a rule defines are always computed. The others come from, in this order:

    1. NAME.csv.gz in the folder that the environment variable NEARKIND_DATA names:
       UTF-8, comma separated, a header, the label in the last column ``class``, an
       empty field for a missing value. Any file of that form can be loaded, known set
       or not; a known one whose checksum is not the known one is loaded with a
       ``ChangedDataWarning``.
    2. The same file in the user's cache; there, and from OpenML, another checksum is
       refused.
    3. The set it is made of: ``voting`` for ``housevotes``, ``splice`` for
       ``dna_nominal``. For ``led24``, a draw of our own.
    4. OpenML; what was downloaded is kept in the cache. This needs pandas.

    Parameters
    ----------
    name : str
        One of ``names()``.
    as_frame : bool, default=True
        True: pandas DataFrame and Series, or where pandas is not installed a list of
        one dict per row and an object array; False: object arrays, None for a missing
        value.

    Returns
    -------
    Bunch
        X (n, D) of strings, y (n,), name, feature_names, source (what it is and where
        it came from), licence and citation.

    Raises
    ------
    FileNotFoundError
        If the set is known but needs a file, and there is none.
    ValueError
        If no set has that name, its file is damaged, or a checksum is refused.

    Examples
    --------
    >>> from nearkind import datasets
    >>> risk = datasets.load("credit_risk", as_frame=False)
    >>> print(*risk.X[2], risk.y[2])
    Plumber TAFE Single High
    """
    data, source, licence, citation = obtain(name)
    return data.bunch(
        as_frame=as_frame, name=name, source=source, licence=licence, citation=citation
    )
