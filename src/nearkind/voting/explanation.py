"""Why a row is given its class: who votes, and which columns speak for which class."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nearkind.distances.form import object_array
from nearkind.neighbors import most_votes
from nearkind.protocols import Array
from nearkind.tables import frame, one_row
from nearkind.voting.committee import Committee
from nearkind.voting.voter import Voter

MOST_LINES = 12
"""Columns that the text of an explanation lists."""
MOST_CLASSES = 4
"""Classes that it lists."""
NO_EFFECTS = "No column decides alone: without any one of them the others say the same."
LEAST_EFFECT = 0.01
"""Change of a probability below which there is none to speak of."""


@dataclass(frozen=True, repr=False)
class Explanation:
    """Why a row is given its class; prints as text.

    Attributes
    ----------
    predicted : object
        The class.
    probabilities : dict of object to float
        Probability of each class, as ``predict_proba`` says, the largest first.
    neighbors : DataFrame
        The nearest training rows, by their numbers in the table given to fit: row,
        label (the most frequent one of the rows that are equal to it), distance, and
        vote, the share of all votes that this row has.
    values : DataFrame
        The row beside its neighbours: feature, row, then a column for each of them. Of
        numbers that the model keeps as ranges it has the range.
    effects : DataFrame
        feature, value, and for each class by how much the feature raises its
        probability: that with all columns, less that if every training row had this
        row's own value in the feature. The largest effect on the predicted class comes
        first.
    explained_by : str
        The distance that neighbours come from. Effects and probabilities are those of
        all members together.
    """

    predicted: Any
    probabilities: dict[Any, float]
    neighbors: Any
    values: Any
    effects: Any
    explained_by: str

    @property
    def has_effects(self) -> bool:
        """Whether some column changes the probability of the class to speak of."""
        effects = np.asarray(self.effects[effect_name(self.predicted)], dtype=float)
        return has_effects(effects)

    def __repr__(self) -> str:
        likeliest = list(self.probabilities)[:MOST_CLASSES]
        shares = ", ".join(f"{c} {self.probabilities[c]:.1%}" for c in likeliest)
        named = [effect_name(label) for label in likeliest]
        columns = ["feature", "value", *named]
        shown = [
            *(cell_texts(self.effects[c], ".15g")[:MOST_LINES] for c in columns[:2]),
            *([*map(effect_text, self.effects[name])][:MOST_LINES] for name in named),
        ]
        n_more = len(self.effects["feature"]) - len(shown[0])
        more = [f"and {n_more} more"] if n_more else []
        told = [*aligned_lines(columns, shown), *more]
        forms = {"row": "", "label": "", "distance": ".4g", "vote": ".1%"}
        near = [cell_texts(self.neighbors[name], form) for name, form in forms.items()]
        return "\n".join(
            [
                f"Class {self.predicted!r}: {shares}",
                "",
                f"Nearest training rows, by {self.explained_by}",
                *aligned_lines(list(forms), near),
                "",
                "By how much each column raises the probability of a class",
                *(told if self.has_effects else [NO_EFFECTS]),
            ]
        )


def effect_name(label: Any) -> str:
    """Return the name of the column of effects on a class.

    Examples
    --------
    >>> effect_name("edible")
    'for edible'
    """
    return f"for {label}"


def effect_text(effect: float) -> str:
    """Return an effect with its sign, "0" where it rounds to zero.

    Examples
    --------
    >>> [effect_text(effect) for effect in (0.25, -0.25, -0.0001)]
    ['+0.250', '-0.250', '0']
    """
    text = f"{effect:+.3f}"
    return text if float(text) else "0"


def has_effects(effects: Array) -> bool:
    """Return whether some of the effects on a class (D,) are worth speaking of."""
    return bool((np.abs(effects) >= LEAST_EFFECT).any())


def explain_prediction(
    committee: Committee, row: Any, n_neighbors: int = 5
) -> Explanation:
    """Return why a committee gives a row its class.

    Parameters
    ----------
    committee : Committee
    row : one row, as ``one_row`` takes it
    n_neighbors : int, default=5
        Training rows to name, at most as many as there are.
    """
    voter = committee.explaining
    book = voter.distance.codebook
    library = book.library_of(row)
    row = one_row(row)
    p = committee.predict_proba(row)[0]
    labels, order = committee.classes.tolist(), np.argsort(-p, kind="stable")
    predicted = int(most_votes(p[None])[0])
    names, effects = committee.feature_effects(row)
    first = np.argsort(-np.abs(effects[:, predicted]), kind="stable")
    cells = {
        name: cell
        for each in (v.distance.codebook for v in committee.voters)
        for name, cell in zip(each.feature_names, each.cells_of(row), strict=True)
    }
    near = nearest_rows(voter, committee.classes, row, n_neighbors)
    return Explanation(
        labels[predicted],
        {labels[c]: float(p[c]) for c in order},
        frame(near, library=library),
        frame(
            {
                "feature": object_array(book.feature_names),
                "row": object_array(book.cells_of(row)),
                **{
                    f"row {number}": object_array(kept_values(voter, number))
                    for number in near["row"]
                },
            },
            library=library,
        ),
        frame(
            {
                "feature": object_array([names[d] for d in first]),
                "value": object_array([cells[names[d]] for d in first]),
                **{effect_name(labels[c]): effects[first, c] for c in order},
            },
            library=library,
        ),
        committee.explained_by,
    )


def nearest_rows(
    voter: Voter, classes: NDArray[Any], row: Any, n: int
) -> dict[str, Any]:
    """Return the n nearest training rows: row, label, distance, vote (n,) each.

    Parameters
    ----------
    voter : Voter
    classes : ndarray (C,)
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
        "label": classes[rows.shares[unique].argmax(axis=1)],
        "distance": distances[0],
        "vote": (votes / rows.groups.sizes)[unique],
    }


def kept_values(voter: Voter, number: int) -> list[Any]:
    """Return the values of a training row as they are kept, None for unseen ones."""
    rows, book = voter.rows, voter.distance.codebook
    codes = rows.codes[rows.unique_of(number)].tolist()
    return [None if code < 0 else book.values(d)[code] for d, code in enumerate(codes)]


def cell_texts(cells: Any, form: str) -> list[str]:
    """Return cells as text, fractions in a form, missing ones in a word."""
    return [
        "missing" if x is None or x != x
        else format(x, form) if isinstance(x, float)
        else str(x)
        for x in list(cells)
    ]  # fmt: skip


def aligned_lines(head: list[str], columns: list[list[str]]) -> list[str]:
    """Return the lines of a table, its columns of one width each.

    Examples
    --------
    >>> aligned_lines(["a", "b"], [["10", "2"], ["x", "yy"]])
    ['a   b', '10  x', '2   yy']
    """
    columns = [[name, *cells] for name, cells in zip(head, columns, strict=True)]
    widths = [max(map(len, column)) for column in columns]
    lines = zip(*columns, strict=True)
    return [
        "  ".join(f"{cell:<{w}}" for cell, w in zip(line, widths, strict=True)).rstrip()
        for line in lines
    ]
