"""The settings of a search, checked: what is tried, on which folds, until when."""

from collections.abc import Iterable
from typing import Any

import numpy as np

from nearkind.encoding.rows import CodedRows
from nearkind.estimators.params import (
    generator,
    is_whole,
    number,
    wrong,
)
from nearkind.estimators.search.candidates import DECADES, Candidate, default_candidates
from nearkind.estimators.search.folds import (
    Fold,
    can_judge,
    deal,
    deal_by_size,
    given,
    some_of,
)
from nearkind.neighbors import VOTE_WEIGHTS


def candidates(model: Any) -> list[Candidate]:
    """Return what ``model.candidates`` stands for, simplest first."""
    listed = model.candidates
    if listed is None:
        policies = {name: getattr(model, name) for name in POLICIES}
        return default_candidates(n_jobs=model.n_jobs, **policies)
    if not isinstance(listed, list | tuple) or not all(map(_is_distance, listed)):
        raise wrong(model, "candidates", "None or a list of distances, unfitted")
    if not listed:
        raise wrong(model, "candidates", "None or at least one distance, unfitted")
    return [as_candidate(distance) for distance in listed]


POLICIES = ("unseen", "missing", "numeric")


def as_candidate(distance: Any) -> Candidate:
    """Return a candidate for a distance; a strength left open becomes a path."""
    if isinstance(distance, Candidate):
        return distance
    is_open = getattr(distance, "strength", None) == "auto"
    return Candidate(repr(distance), distance, DECADES if is_open else ())


def ways(model: Any) -> tuple[list[int], list[Any]]:
    """Return the numbers of neighbours and the weights of votes to choose from."""
    ks, votes = _several(model.n_neighbors), _several(model.weights)
    if not ks or not all(is_whole(k) and k >= 1 for k in ks):
        raise wrong(model, "n_neighbors", "whole numbers >= 1, one or several")
    if not votes or not all(map(_is_vote, votes)):
        listed = ", ".join(map(repr, VOTE_WEIGHTS))
        raise wrong(model, "weights", f"functions or of {listed}, one or several")
    return sorted({int(k) for k in ks}), votes


def folds(model: Any, rows: CodedRows, y: Any) -> list[Fold]:
    """Return the folds of rows, y the labels of all as they were given."""
    rng = generator(0 if model.random_state is None else model.random_state)
    found = [
        fold for fold in _all_folds(model, rows, y, rng) if can_judge(fold, rows.y)
    ]
    if not found:
        raise ValueError(
            f"{type(model).__name__} holds rows out to choose by, but no fold of "
            f"{len(rows.y)} rows leaves two classes to learn from. Give more rows, or "
            "take CPMLClassifier."
        )
    return [some_of(fold, rows.y, rng) for fold in found]


def _all_folds(
    model: Any, rows: CodedRows, y: Any, rng: np.random.Generator
) -> Iterable[Fold]:
    cv = model.cv
    if cv is None:
        return deal_by_size(rows.y, rng)
    if is_whole(cv) and cv >= 2:
        return deal(rows.y, min(int(cv), len(rows.y)), rng)
    if isinstance(cv, str) or not (hasattr(cv, "split") or isinstance(cv, Iterable)):
        raise wrong(model, "cv", "a whole number >= 2, a splitter or a list of folds")
    return given(cv, rows.row_numbers, np.ravel(np.asarray(y)))


def deadline(model: Any, start: float) -> float:
    """Return the time after which no candidate is begun."""
    if model.time_budget is None:
        return np.inf
    wanted = "None or a number > 0"
    return start + number(model, "time_budget", wanted, 0.0, open_low=True)


def _is_distance(value: Any) -> bool:
    is_one = hasattr(value, "pairwise_distances") and not isinstance(value, type)
    return is_one or isinstance(value, Candidate)


def _is_vote(value: Any) -> bool:
    return callable(value) or (isinstance(value, str) and value in VOTE_WEIGHTS)


def _several(value: Any) -> list[Any]:
    """Return what is given, one or several, as a list."""
    is_many = isinstance(value, Iterable) and not isinstance(value, str)
    return list(value) if is_many else [value]
