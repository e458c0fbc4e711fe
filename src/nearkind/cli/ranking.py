"""Which methods are better than which: ranks over repetitions, and tests on them."""

from typing import Any

import numpy as np

from nearkind.experiments import statistics

CAUTION = (
    "Repetitions share rows, so they are not independent: p-values are a guide, not a "
    "proof."
)


def rank(facts: dict[str, Any], accuracies: dict[str, list[float]]) -> dict[str, Any]:
    """Add mean ranks and p-values to the facts of methods, the best one first.

    Parameters
    ----------
    facts : with ``methods``, a dict each
    accuracies : of the methods that came to an end, in each repetition

    Examples
    --------
    >>> facts = {"methods": [{"method": "a"}, {"method": "b"}]}
    >>> ranked = rank(facts, {"a": [0.5, 0.6], "b": [0.7, 0.9]})
    >>> [(m["method"], m["mean_rank"]) for m in ranked["methods"]]
    [('b', 1.0), ('a', 2.0)]
    """
    names = list(accuracies)
    table = np.array(list(accuracies.values())).T  # (repetitions, methods)
    known: dict[str, Any] = dict.fromkeys(names, (1.0, None))
    friedman = None
    if len(names) > 1:
        ranks = statistics.mean_ranks(table).tolist()
        p_values = _against(int(np.argmin(ranks)), table)
        known = dict(zip(names, zip(ranks, p_values, strict=True), strict=True))
        friedman = statistics.friedman(table)._asdict() if len(table) > 1 else None
    methods = [_with_rank(method, known) for method in facts["methods"]]
    methods.sort(key=lambda m: (m["mean_rank"] is None, m["mean_rank"]))
    return {
        **facts,
        "methods": methods,
        "friedman": friedman,
        "smallest_p_value": smallest_p_value(len(table), len(names)),
        "caution": CAUTION,
    }


def smallest_p_value(n_repetitions: int, n_methods: int) -> float:
    """Return what the smallest p-value would be, if the best one won every time.

    Examples
    --------
    >>> smallest_p_value(10, 5)
    0.0078125
    """
    return min(1.0, 2.0 ** (1 - n_repetitions) * max(n_methods - 1, 1))


def _with_rank(method: dict[str, Any], known: dict[str, Any]) -> dict[str, Any]:
    mean_rank, p_value = known.get(method["method"], (None, None))
    return {**method, "mean_rank": mean_rank, "p_value": p_value}


def _against(best: int, table: Any) -> list[float | None]:
    """Return Wilcoxon's p-values of the best against each other one, by Holm."""
    others = [j for j in range(table.shape[1]) if j != best]
    apart = [np.round(table[:, best] - table[:, j], statistics.DIGITS) for j in others]
    adjusted = statistics.holm([statistics.signed_rank(d) for d in apart])
    found = dict(zip(others, adjusted.tolist(), strict=True))
    return [found.get(j) for j in range(table.shape[1])]
