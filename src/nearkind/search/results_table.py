"""The results of a search, with scikit-learn's columns and ours."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from nearkind.search.elimination import Contender, Elimination
from nearkind.search.ensemble import Member
from nearkind.search.scoring import Accuracy


def results_table(search: Elimination, members: Sequence[Member]) -> dict[str, Any]:
    """Return a row for every contender and way to vote, best score first.

    Columns: candidate, strength, n_neighbors, weights, accuracy, score (by the scoring,
    of votes that are not calibrated), n_held (rows it was judged on: fewer if it fell
    behind), member (place among the members, -1: none), rank, seconds (of the fits;
    shared by the ways to vote). Then those of scikit-learn: params (the first four as a
    dict), split0_test_score and so on (NaN for folds that it was not fitted on),
    mean_test_score (the score: of all held-out rows, not a mean of folds),
    std_test_score (over folds) and rank_test_score (1 for the best; those that fell
    behind come after the others).
    """
    places = {
        (id(search.contenders[s.contender]), s.way): at for at, s in enumerate(members)
    }
    lines = [
        {**line, "member": places.get((id(contender), way), -1)}
        for contender in (*search.contenders, *search.dropped)
        for way, line in enumerate(_lines(search, contender))
    ]
    lines.sort(key=_place)
    ranked = sorted(map(_place, lines))
    for line in lines:
        line["rank_test_score"] = 1 + ranked.index(_place(line))
    return {name: _column([line[name] for line in lines]) for name in lines[0]}


def _lines(search: Elimination, contender: Contender) -> list[dict[str, Any]]:
    """Return what is known of a contender, for each way to vote."""
    table, held = contender.table(), np.concatenate(contender.held)
    truth, weights = search.rows.y[held], search.rows.weights[held]
    accuracies = Accuracy().score(table, truth, weights)
    terms = search.scoring.terms(table, truth, weights)
    scores = np.average(terms, axis=1, weights=weights)
    by_fold = _fold_scores(search, contender)  # (n_folds, V)
    n_folds = max(1, len(search.held))
    lines = []
    for way, (k, vote) in enumerate(search.ways):
        params = {
            "candidate": contender.candidate.name,
            "strength": contender.strength,
            "n_neighbors": k,
            "weights": vote,
        }
        folds = [*by_fold[:, way].tolist(), *[np.nan] * n_folds][:n_folds]
        line = {
            **params,
            "accuracy": float(accuracies[way]),
            "score": float(scores[way]),
            "n_held": len(held),
            "member": -1,
            "rank": contender.rank,
            "seconds": contender.seconds,
            "params": params,
            "mean_test_score": float(scores[way]),
            "std_test_score": float(by_fold[:, way].std()),
            "rank_test_score": 0,
        }
        line |= {f"split{i}_test_score": score for i, score in enumerate(folds)}
        lines.append(line)
    return lines


def _fold_scores(search: Elimination, contender: Contender) -> np.ndarray:
    """Return the score on each fold, of each way to vote (n_folds, V)."""
    found = []
    for shares, held in zip(contender.shares, contender.held, strict=True):
        weights = search.rows.weights[held]
        terms = search.scoring.terms(shares, search.rows.y[held], weights)
        found.append(np.average(terms, axis=1, weights=weights))
    return np.array(found)


def _place(line: dict[str, Any]) -> tuple[float, float]:
    """Return what lines are sorted by: those judged on most rows, the best first."""
    return -line["n_held"], -line["score"]


def _column(cells: Sequence[Any]) -> Any:
    plain = all(isinstance(cell, int | float) for cell in cells)
    column = np.empty(len(cells), dtype=float if plain else object)
    column[:] = cells
    whole = plain and all(isinstance(cell, int) for cell in cells)
    return column.astype(int) if whole else column
