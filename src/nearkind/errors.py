"""Errors and warnings of nearkind; each message says what to do next.

Every error is a ``ValueError`` or a ``TypeError``, so that code written for
scikit-learn catches it. Messages that advise a parameter keep it as a ``Parameter``, so
that the command line can name its option instead. ``did_you_mean`` suggests names for
one that is not known, and ``error_context`` prefixes a message with the place where the
error happened.
"""

from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple


class Parameter(NamedTuple):
    """A parameter of an estimator in a message.

    Attributes
    ----------
    name : str
        The parameter, or for columns "drop" to leave one out and "categorical".
    value : object, default=None
        The value to give it, or the column; None: only the parameter is named.

    Examples
    --------
    >>> print(Parameter("tol"), Parameter("unseen", "error"), Parameter("drop", "key"))
    tol unseen='error' Drop it
    """

    name: str
    value: Any = None

    def __str__(self) -> str:
        of_columns = {"drop": "Drop it", "categorical": "astype('category')"}
        if self.name in of_columns:
            return of_columns[self.name]
        return self.name if self.value is None else f"{self.name}={self.value!r}"


class Advised:
    """Mixin of errors and warnings whose message, in parts, names parameters.

    Attributes
    ----------
    args : tuple of str and Parameter

    Examples
    --------
    >>> error = MissingValueError("Raise ", Parameter("max_iter"), ".")
    >>> print(error)
    Raise max_iter.
    >>> error.worded(lambda parameter: f"--{parameter.name}")
    'Raise --max_iter.'
    """

    args: tuple[Any, ...]

    def __str__(self) -> str:
        return self.worded(str)

    def worded(self, words: Callable[[Parameter], str]) -> str:
        """Return the message, its parameters in the words that a function gives."""
        each = (words(p) if isinstance(p, Parameter) else str(p) for p in self.args)
        return "".join(each)


class UnseenValueError(Advised, ValueError):
    """A column holds values that ``fit`` did not see, and the policy is "error"."""


class MissingValueError(Advised, ValueError):
    """A column holds missing values, and the policy is "error"."""


class ChangedColumnError(Advised, ValueError):
    """A column of numbers in ``fit`` now holds something else."""


class InfiniteNumberError(Advised, ValueError):
    """A column holds an infinite number, and the distance takes differences."""


class FreeTextError(Advised, ValueError):
    """A column holds free text, and so no categories."""


class ColumnError(ValueError):
    """The columns of a table are not those that ``fit`` saw."""


class ModelFileError(ValueError):
    """A model cannot be saved, or a file cannot be loaded."""


class RefusedError(ValueError):
    """A model cannot be kept or read; the message is a clause that says why."""


class UnseenValueWarning(Advised, UserWarning):
    """Values that ``fit`` did not see were given the class prior."""


class NearlyUniqueWarning(Advised, UserWarning):
    """A column with nearly as many values as rows, which hardly helps with new rows."""


class MixedValuesWarning(UserWarning):
    """A column of numbers also holds words, so that every number is a category."""


class MeasuredLabelsWarning(UserWarning):
    """Labels are many numbers of few rows each: measurements rather than classes."""


class SmallWeightWarning(UserWarning):
    """Sample weights add up to fewer rows than are asked to vote."""


class FewHeldRowsWarning(UserWarning):
    """Too few rows were held out for the coverage that is asked of sets of classes."""


class RememberedRowsWarning(UserWarning):
    """A classifier remembers a sample of the rows that it learned from."""


class SearchInterruptedWarning(UserWarning):
    """A search was interrupted, and the best of what it had tried is taken."""


class TimeBudgetWarning(Advised, UserWarning):
    """Time ran out before the chosen distances were learned from all rows."""


def nearest_names(name: Any, candidates: Iterable[Any], n: int = 3) -> list[Any]:
    """Return the candidates that are spelled most like a name, the nearest first.

    Capitals count as small letters, and "-" and " " as "_".

    Parameters
    ----------
    name : object
        Compared as text.
    candidates : iterable of objects
    n : int, default=3
        Candidates to return at most.

    Returns
    -------
    list
        Empty if none is similar; only the candidate itself if one is spelled the same.

    Examples
    --------
    >>> nearest_names("Colour", ["size", "colour", "colours"])
    ['colour']
    >>> nearest_names("hight", ["weight", "height"])
    ['height', 'weight']
    """
    from difflib import get_close_matches

    spelled = {_spelled(each): each for each in reversed(list(candidates))}
    word = _spelled(name)
    near = [word] if word in spelled else get_close_matches(word, spelled, n)
    return [spelled[each] for each in near]


def _spelled(name: Any) -> str:
    return str(name).lower().replace("-", "_").replace(" ", "_")


def did_you_mean(name: Any, candidates: Iterable[Any], max_listed: int = 12) -> str:
    """Return a sentence that suggests candidates for a name that is not one of them.

    Parameters
    ----------
    name : object
    candidates : iterable of objects
    max_listed : int, default=12
        Candidates to list at most if none is similar.

    Returns
    -------
    str
        "Did you mean ...?" with the nearest candidates, or else "Choose from ...".

    Examples
    --------
    >>> did_you_mean("Colour", ["size", "colour"])
    "Did you mean 'colour'?"
    >>> did_you_mean("price", ["size", "colour"])
    "Choose from 'size', 'colour'."
    """
    known = list(candidates)
    near = nearest_names(name, known)
    if near:
        return f"Did you mean {', '.join(map(repr, near))}?"
    more = f" and {len(known) - max_listed} more" if len(known) > max_listed else ""
    return f"Choose from {', '.join(map(repr, known[:max_listed]))}{more}."


def require_known(name: object, known: Collection[Any], message: str) -> None:
    """Raise ValueError, with a message and what was meant, unless a name is known.

    Examples
    --------
    >>> require_known("colour", ["size", "colour"], "There is no such column.")
    """
    if name not in known:
        raise ValueError(f"{message} {did_you_mean(name, known)}")


@contextmanager
def error_context(where: str) -> Iterator[None]:
    """Prefix a ``ValueError`` or ``TypeError`` of the block with where it happened.

    Parameters
    ----------
    where : str
        Such as the name of a file or the number of a batch.

    Examples
    --------
    >>> with error_context("Batch 3"):
    ...     raise ValueError("y has no labels.")
    Traceback (most recent call last):
    ValueError: Batch 3: y has no labels.
    """
    try:
        yield
    except (ValueError, TypeError) as error:
        text = f"{where}: {error}"
        prefixed: Exception
        try:
            if isinstance(error, Advised):
                prefixed = type(error)(f"{where}: ", *error.args)
            else:
                prefixed = type(error)(text)
        except TypeError:  # its class takes more than a message, as UnicodeDecodeError
            prefixed = ValueError(text)
        raise prefixed from None
