"""Why a row is given its class: who votes, and which columns speak for which class."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from nearkind.estimators.base import object_array
from nearkind.neighbors import (
    PlainIndex,
    SoftVotes,
    is_soft,
    most_votes,
    near_votes,
    weigher,
)
from nearkind.protocols import Array, Codes
from nearkind.tables import frame, one_row

if TYPE_CHECKING:
    from nearkind.estimators.classifier import CPMLClassifier
    from nearkind.estimators.neighbor_classifier import NeighborClassifier

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
    model: "NeighborClassifier", row: Any, n_neighbors: int = 5
) -> Explanation:
    """Return why a fitted classifier gives a row its class.

    Parameters
    ----------
    model : NeighborClassifier
    row : one row, as ``one_row`` takes it
    n_neighbors : int, default=5
        Training rows to name, at most as many as there are.
    """
    library = model.codebook_.library_of(row)
    row = one_row(row)
    p, member = model.predict_proba(row)[0], model.member_
    labels, order = model.classes_.tolist(), np.argsort(-p, kind="stable")
    predicted = int(most_votes(p[None])[0])
    names, effects = feature_effects(model, row)
    first = np.argsort(-np.abs(effects[:, predicted]), kind="stable")
    features, values = member.codebook_.feature_names, member.codebook_.cells_of(row)
    cells = {
        name: cell
        for book in (m.codebook_ for m in model.members_)
        for name, cell in zip(book.feature_names, book.cells_of(row), strict=True)
    }
    near = nearest_rows(member, row, n_neighbors)
    return Explanation(
        labels[predicted],
        {labels[c]: float(p[c]) for c in order},
        frame(near, library=library),
        frame(
            {
                "feature": object_array(features),
                "row": object_array(values),
                **{
                    f"row {number}": object_array(kept_values(member, number))
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
        model.explained_by_,
    )


def feature_effects(model: "NeighborClassifier", row: Any) -> tuple[list[Any], Array]:
    """Return the features, and by how much each raises each probability (D, C).

    It is the probability with all features, less that if every training row had the
    row's own value in the feature: it then tells no row from another. A feature that
    some members do not have changes the votes of the others alone.

    Parameters
    ----------
    model : NeighborClassifier
    row : table of one row
    """
    books = [member.codebook_ for member in model.members_]
    names = list(dict.fromkeys(name for book in books for name in book.feature_names))
    total = np.zeros((len(names) + 1, len(model.classes_)))  # the last: with all
    for member, book in zip(model.members_, books, strict=True):
        with_all, without = class_votes(member, book.encode(row)[0])
        place = {name: d for d, name in enumerate(book.feature_names)}
        each = [without[place[n]] if n in place else with_all for n in names]
        total += [*each, with_all]
    p = model.probabilities(total / len(books))
    return names, p[-1] - p[:-1]


def class_votes(member: "CPMLClassifier", codes: Codes) -> tuple[Array, Array]:
    """Return the classes' shares of votes on a row (C,), and without each feature.

    Parameters
    ----------
    member : CPMLClassifier
        Fitted.
    codes : ndarray of int (D,)

    Returns
    -------
    with_all : ndarray (C,)
    without : ndarray (D, C)
        The shares if all training rows have the row's value in a feature.
    """
    distance, voters = member.distance_, member.training_rows_
    query = distance.represent(codes[None])
    with_all = row_votes(member, query, member.index_.rows) @ voters.shares
    without = [
        row_votes(member, *represented) @ voters.shares
        for represented in distance.leave_out(codes, voters.codes)
    ]
    return with_all, np.array(without)


def row_votes(member: "CPMLClassifier", query: Any, rows: Any) -> Array:
    """Return the share of the votes on a row that each unique row has (m,).

    Parameters
    ----------
    member : CPMLClassifier
        Fitted.
    query : sequence of length 1
        The row, as its distance represents it.
    rows : sequence of length m
        Its unique rows, represented too.
    """
    distance, voters, k = member.distance_, member.training_rows_, member.n_neighbors
    if is_soft(member.weights):
        soft = SoftVotes(distance, rows, voters.weights, member.temperature_)
        return soft.votes(query)[0]
    near = PlainIndex(distance, rows, k).near(query, voters.reach, k)
    votes = np.zeros(len(voters))
    votes[near.unique_row] = near_votes(near, weigher(member.weights), 1)
    return votes / votes.sum()


def nearest_rows(member: "CPMLClassifier", row: Any, n: int) -> dict[str, Any]:
    """Return the n nearest training rows: row, label, distance, vote (n,) each.

    Parameters
    ----------
    member : CPMLClassifier
        Fitted.
    row : table of one row
    n : int
        At most as many as there are are returned.
    """
    voters = member.training_rows_
    distances, numbers = member.kneighbors(row, min(n, voters.n_rows))
    unique = np.array([voters.unique_of(number) for number in numbers[0]])
    query = member.distance_.represent(member.encode(row))
    votes = row_votes(member, query, member.index_.rows)
    return {
        "row": numbers[0],
        "label": voters.classes[voters.shares[unique].argmax(axis=1)],
        "distance": distances[0],
        "vote": (votes / voters.groups.sizes)[unique],
    }


def kept_values(member: "CPMLClassifier", number: int) -> list[Any]:
    """Return the values of a training row as they are kept, None for unseen ones."""
    rows, book = member.training_rows_, member.codebook_
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
