"""Explanations of predicted numbers: neighbours, and effects of columns."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from nearkind.distances.form import object_array
from nearkind.tables import frame, one_row
from nearkind.voting.explanation import (
    BASE,
    MOST_LINES,
    aligned_lines,
    beside_neighbors,
    cell_texts,
    contribution_table,
)
from nearkind.voting.numbers import NumberCommittee, NumberVoter


@dataclass(frozen=True, repr=False)
class NumberExplanation:
    """Explanation of a predicted number; prints as text.

    Attributes
    ----------
    predicted : float
    base : float
        The prediction if no feature is known; base and effects add up to ``predicted``.
    interval : (float, float) or None
        Prediction interval with coverage 90 %; None if no rows were held out.
    neighbors : DataFrame
        The nearest training rows: row, target (the mean of equal rows), distance, and
        vote, the share of all votes that this row has.
    values : DataFrame
        The row beside its neighbours: feature, row, then a column for each of them.
    effects : DataFrame
        feature, value and effect: the contribution of the feature to the prediction, a
        Shapley value. The largest comes first.
    explained_by : str
        The distance used for the neighbours; everything else is of all voters together.
    """

    predicted: float
    base: float
    interval: tuple[float, float] | None
    neighbors: Any
    values: Any
    effects: Any
    explained_by: str

    def __repr__(self) -> str:
        ends = "" if self.interval is None else (
            f", 90% prediction interval {self.interval[0]:.6g} to "
            f"{self.interval[1]:.6g}"
        )  # fmt: skip
        forms = {"row": "", "target": ".6g", "distance": ".4g", "vote": ".1%"}
        near = [cell_texts(self.neighbors[name], form) for name, form in forms.items()]
        columns = ["feature", "value", "effect"]
        texts = [cell_texts(self.effects[name], ".6g")[:MOST_LINES] for name in columns]
        base = (BASE, "", f"{self.base:.6g}")
        texts = [[top, *rest] for top, rest in zip(base, texts, strict=True)]
        return "\n".join(
            [
                f"Predicted {self.predicted:.6g}{ends}",
                "",
                f"Nearest training rows by {self.explained_by}",
                *aligned_lines(list(forms), near),
                "",
                "Contribution of each column to the prediction",
                *aligned_lines(columns, texts),
            ]
        )


def explain_number(
    committee: NumberCommittee, row: Any, n_neighbors: int = 5
) -> NumberExplanation:
    """Explain the predicted number of a row.

    Parameters
    ----------
    committee : NumberCommittee
    row : one row, as ``one_row`` takes it
    n_neighbors : int, default=5
        Maximum number of training rows to show.
    """
    voter = committee.explaining
    library = voter.distance.codebook.library_of(row)
    row = one_row(row, "; explain_rows takes many rows")
    (effects,), (base,) = committee.contributions(row)
    names = committee.feature_names
    order = np.argsort(-np.abs(effects), kind="stable")
    cells = committee.cells_of(row)
    near = nearest_targets(committee, voter, row, n_neighbors)
    told = {
        "feature": object_array([names[d] for d in order]),
        "value": object_array([cells[names[d]] for d in order]),
        "effect": effects[order],
    }
    interval = None
    if committee.held is not None:
        low, high = committee.quantiles(row, [0.05, 0.95])[0].tolist()
        interval = low, high
    return NumberExplanation(
        float(committee.predict(row)[0]),
        float(base),
        interval,
        frame(near, library=library),
        frame(beside_neighbors(voter, row, near["row"]), library=library),
        frame(told, library=library),
        committee.explained_by,
    )


def number_contributions(
    committee: NumberCommittee, X: Any, owner: str | None = None
) -> dict[Any, Any]:
    """Return what ``explain_rows`` of the regressors returns, as columns by name."""
    parts, base = committee.contributions(X, owner)
    about = {"predicted": base + parts.sum(axis=1), BASE: base}
    return contribution_table(committee, about, parts)


def nearest_targets(
    committee: NumberCommittee, voter: NumberVoter, row: Any, n: int
) -> dict[str, Any]:
    """Return the n nearest training rows: row, target, distance, vote (n,) each.

    Parameters
    ----------
    committee : NumberCommittee
    voter : NumberVoter
        One of its voters.
    row : table of one row
    n : int
        At most as many as there are are returned.
    """
    rows, codes = voter.rows, voter.encode(row)
    distances, numbers = voter.kneighbors(codes, min(n, rows.n_rows))
    unique = np.array([rows.unique_of(number) for number in numbers[0]])
    votes = voter.votes(voter.distance.represent(codes))
    return {
        "row": numbers[0],
        "target": committee.target_of(unique, voter),
        "distance": distances[0],
        "vote": (votes / rows.groups.sizes)[unique],
    }
