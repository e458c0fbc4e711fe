"""Save and load model files, on disk or in memory."""

import os
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from typing import Any

from nearkind.errors import ModelFileError, RefusedError
from nearkind.io.atomic_write import atomic_write
from nearkind.persistence.container import pack_container, read_container
from nearkind.persistence.models import from_json, to_json

LIMIT = 1 << 30
"""Bytes of memory that ``load`` may take by default."""

_UNSOUND = (
    ArithmeticError, AttributeError, LookupError, MemoryError, RecursionError,
    TypeError, ValueError,
)  # fmt: skip
"""Errors that values which make no sense may raise when they are read."""


def save(model: Any, path: Any) -> None:
    """Write a fitted model to one file, which ``load`` reads without running code.

    The file keeps all settings and every fitted attribute, so that a loaded model gives
    the same answers bit for bit: ``predict``, ``transform``, ``kneighbors``,
    ``explain``, ``value_distances``. Values keep their types: text, int, float, bool,
    Decimal, Fraction, bytes and tuples of them.

    It does not keep scikit-learn's callbacks and metadata requests, the list of unseen
    values that were warned of already, the library of the table given to ``fit``, the
    state from which ``POLA.partial_fit`` goes on, and NumPy's types of settings:
    np.float64(2.0) comes back as 2.0.

    Parameters
    ----------
    model : distance, classifier, or what else a distance is for
        Fitted: CPML, CPMLClassifier, CPMLClassifierCV, one of nearkind.baselines,
        NearestRows, NearestOutliers, NeighborImputer, KMedoids, Prototypes or
        Oversampler. Of these a distance that was given fitted is kept itself.
    path : path-like or binary stream
        Where to write; a usual ending is .nearkind. A file that is there is replaced
        whole or not at all.

    Examples
    --------
    >>> from io import BytesIO
    >>> import nearkind as nk
    >>> rows, labels = [["a"], ["a"], ["b"], ["b"]], ["no", "no", "no", "yes"]
    >>> file = BytesIO()
    >>> nk.save(nk.baselines.Euclidean().fit(rows, labels), file)
    >>> _ = file.seek(0)
    >>> nk.load(file).pairwise_distances([["a"]], [["b"]]).round(4)
    array([[0.7071]])
    """
    with _one_sentence("save to", path):
        text, arrays = to_json(model)
        _model(text, arrays, LIMIT, "fit it again")  # write nothing that cannot be read
        data = pack_container(text, arrays)
        is_open = hasattr(path, "write")
        with nullcontext(path) if is_open else atomic_write(path) as file:
            file.write(data)


def load(path: Any, *, limit: int = LIMIT) -> Any:
    """Return the model that ``save`` wrote.

    The file is checked before it is used: sizes before anything is allocated, then the
    checksum, then every number and name against the others. A file can only name
    classes of nearkind, and nothing in it is run.

    Parameters
    ----------
    path : path-like or binary stream
    limit : int, default=2**30
        Bytes of memory that reading may take.

    Returns
    -------
    model
        Fitted; it can be fitted again.

    Raises
    ------
    ModelFileError
        One sentence: what is wrong with the file, and what to do.
    """
    if type(limit) is not int or limit < 1:
        raise ValueError(f"limit must be a whole number of bytes >= 1; got {limit!r}.")
    with _one_sentence("load", path):
        is_open = hasattr(path, "read")
        with nullcontext(path) if is_open else open(path, "rb") as stream:
            text, arrays = read_container(stream, limit)
        return _model(text, arrays, limit, "save the model again")


def _model(text: bytes, arrays: bytes, limit: int, advice: str) -> Any:
    """Return the model of text and arrays, or say what is wrong with it."""
    try:
        return from_json(text, arrays, limit)
    except _UNSOUND as error:
        why = f"its parts do not fit together ({_clause(error)}); {advice}"
        raise RefusedError(why) from error


@contextmanager
def _one_sentence(doing: str, path: Any) -> Iterator[None]:
    """Turn what goes wrong into one sentence that names the file."""
    is_open = hasattr(path, "read") or hasattr(path, "write")
    place = "a file" if is_open else repr(os.fspath(path))
    try:
        yield
    except OSError as error:
        why = error.strerror or _clause(error)
        raise ModelFileError(f"Cannot {doing} {place}: {why}.") from error
    except RefusedError as error:
        raise ModelFileError(f"Cannot {doing} {place}: {_clause(error)}.") from error
    except (MemoryError, OverflowError) as error:
        why = "there is not enough memory for it"
        raise ModelFileError(f"Cannot {doing} {place}: {why}.") from error


def _clause(error: BaseException) -> str:
    """Return what an error says, short and without a full stop."""
    text = " ".join(str(error).split()) or type(error).__name__
    return text.removesuffix(".") if len(text) <= 300 else f"{text[:297]}..."
