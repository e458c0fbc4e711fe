"""Explanations of predictions: neighbours that vote, and effects of columns."""

from collections import Counter
from dataclasses import dataclass
from html import escape
from itertools import compress
from typing import Any

import numpy as np

from nearkind.distances.form import object_array
from nearkind.distances.leaf_codes import LeafCodes
from nearkind.errors import did_you_mean
from nearkind.neighbors import most_votes, ranks, tie_widths
from nearkind.protocols import Array
from nearkind.tables import frame, one_row
from nearkind.tables.html import html_table
from nearkind.voting.committee import Committee, VoterGroup
from nearkind.voting.voter import Voter

MOST_RULES = 3
"""Conditions that it lists for a neighbour."""
MOST_LINES = 12
"""Columns that the text of an explanation lists."""
MOST_CLASSES = 4
"""Classes that it lists."""
MOST_NAMES = 3
"""Differing columns that it lists for each neighbour."""
ROUNDED = 12
"""Digits up to which votes are compared."""
BASE = "base value"
"""Name of the probability without any feature."""


NEAR_TITLE = "Training rows with the largest votes"
PARTS_TITLE = "Contribution of each column to the probability of a class"
Texts = tuple[list[str], list[list[str]]]
"""Heads and columns of a table."""


@dataclass(frozen=True, repr=False)
class Explanation:
    """Explanation of a predicted class; prints as text.

    Attributes
    ----------
    predicted : object
        The class.
    probabilities : dict of object to float
        Probability of each class by ``predict_proba``, the largest first.
    base : dict of object to float
        Probability of each class if no feature is known: the vote of all training rows.
    neighbors : DataFrame
        The training rows with the largest votes, by their numbers in the table given to
        fit: row, label (the most frequent one of the rows that are equal to it),
        distance, vote, the share of all votes that this row has (the mean over all
        voters), and differs, the columns in which it differs from the row.
    values : DataFrame
        The values of the row and its neighbours: feature, row, then a column for each
        neighbour. Numbers that the model stores as ranges are shown as ranges.
    effects : DataFrame
        feature, value, and for each class the contribution of the feature to its
        probability, a Shapley value: contributions and ``base`` add up to the
        probability. The largest contribution to the predicted class comes first.
    rules : list of str
        If a forest votes: how many of its rules, paths to leaves, the row shares with
        each of the neighbours, and the conditions that most of these have in common.
    explained_by : str
        The distance used for the column ``distance`` of the neighbours. Votes, effects
        and probabilities are those of all voters together.
    """

    predicted: Any
    probabilities: dict[Any, float]
    base: dict[Any, float]
    neighbors: Any
    values: Any
    effects: Any
    rules: list[str]
    explained_by: str

    def __repr__(self) -> str:
        title, near, parts = self._told()
        return "\n".join(
            [
                title,
                "",
                f"{NEAR_TITLE}; distances by {self.explained_by}",
                *aligned_lines(*near),
                *self.rules,
                "",
                PARTS_TITLE,
                *aligned_lines(*parts),
            ]
        )

    def _repr_html_(self) -> str:
        """Return the same as HTML."""
        title, near, parts = self._told()
        told = f"<p>{escape(title)}</p><p>{PARTS_TITLE}</p>{html_table(*parts)}"
        by = escape(f"{NEAR_TITLE}; distances by {self.explained_by}")
        rules = "".join(f"<p>{escape(rule)}</p>" for rule in self.rules)
        return f"{told}<p>{by}</p>{html_table(*near)}{rules}"

    def _told(self) -> tuple[str, Texts, Texts]:
        """Return the title, the training rows and the contributions as texts."""
        likeliest = list(self.probabilities)[:MOST_CLASSES]
        shares = ", ".join(f"{c} {self.probabilities[c]:.1%}" for c in likeliest)
        n_more = max(len(self.effects["feature"]) - MOST_LINES, 0)
        more = [f"{n_more} more"] if n_more else []
        names, values = (
            cell_texts(self.effects[c], ".15g")[:MOST_LINES]
            for c in ("feature", "value")
        )
        shown = [[BASE, *names, *more], ["", *values, *("" for _ in more)]]
        for label in likeliest:
            effects = np.asarray(self.effects[effect_name(label)], dtype=float)
            each = [*effects[:MOST_LINES], *(effects[MOST_LINES:].sum() for _ in more)]
            shown.append([f"{self.base[label]:.3f}", *map(effect_text, each)])
        head = ["feature", "value", *map(effect_name, likeliest)]
        forms = {"distance": ".4g", "vote": ".1%"}
        columns = ["row", "label", *forms, "differs"]
        near = [cell_texts(self.neighbors[c], forms.get(c, "")) for c in columns]
        return f"Class {self.predicted!r}: {shares}", (columns, near), (head, shown)


def names_text(names: list[Any]) -> str:
    """Return the first names of a list, and how many more there are.

    Examples
    --------
    >>> names_text(["age", "sex", "race", "job"]), names_text([])
    ('age, sex, race and 1 more', 'nothing')
    """
    shown = ", ".join(map(str, names[:MOST_NAMES])) or "nothing"
    n_more = len(names) - MOST_NAMES
    return f"{shown} and {n_more} more" if n_more > 0 else shown


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


def explain_prediction(
    committee: Committee, row: Any, n_neighbors: int = 5
) -> Explanation:
    """Explain the class that a committee predicts for a row.

    Parameters
    ----------
    committee : Committee
    row : one row, as ``one_row`` takes it
    n_neighbors : int, default=5
        Maximum number of training rows to show.
    """
    voter = committee.explaining
    book = voter.distance.codebook
    library = book.library_of(row)
    row = one_row(row, "; explain_rows takes many rows")
    p = committee.predict_proba(row)[0]
    labels, order = committee.classes.tolist(), np.argsort(-p, kind="stable")
    predicted = int(most_votes(committee.weighed(p[None]))[0])
    parts, base = committee.contributions(row)
    names, effects = committee.feature_names, parts[0]
    first = np.argsort(-np.abs(effects[:, predicted]), kind="stable")
    cells = committee.cells_of(row)
    near = deciding_rows(committee, row, n_neighbors)
    unique = [voter.rows.unique_of(number) for number in near["row"]]
    differing = voter.rows.codes[unique] != voter.encode(row)
    near["differs"] = object_array(
        [names_text(list(compress(book.feature_names, each))) for each in differing]
    )
    return Explanation(
        labels[predicted],
        {labels[c]: float(p[c]) for c in order},
        {labels[c]: float(base[0, c]) for c in order},
        frame(near, library=library),
        frame(beside_neighbors(voter, row, near["row"]), library=library),
        frame(
            {
                "feature": object_array([names[d] for d in first]),
                "value": object_array([cells[names[d]] for d in first]),
                **{effect_name(labels[c]): effects[first, c] for c in order},
            },
            library=library,
        ),
        shared_rules(committee, row, near["row"].tolist()),
        committee.explained_by,
    )


def shared_rules(committee: Committee, row: Any, numbers: list[int]) -> list[str]:
    """Return a sentence on the rules of a forest that a row shares with training rows.

    Parameters
    ----------
    committee : Committee
    row : table of one row
    numbers : list of int
        Of the training rows.

    Returns
    -------
    list of str
        One for each row, none if no forest votes.
    """
    found = []
    for voter in committee.voters:
        form = voter.distance
        if not isinstance(form, LeafCodes):
            continue
        (codes,) = voter.encode(row)
        for number in numbers:
            other = voter.rows.codes[voter.rows.unique_of(number)]
            n, conditions = form.shared_rules(codes, other)
            told = "; ".join(f"{words} ({n})" for words, n in conditions[:MOST_RULES])
            told = f": {told}" if told else ""
            found.append(f"row {number} shares {n} of {form.n_trees} rules{told}")
    return found


def deciding_rows(committee: Committee, row: Any, n: int) -> dict[str, Any]:
    """Return the n training rows with the largest votes on a row, nearest ones first.

    Parameters
    ----------
    committee : Committee
    row : table of one row
    n : int
        At most as many as there are are returned.

    Returns
    -------
    dict
        ``row``, ``label``, ``distance`` by the voter that explains, and ``vote``, the
        weighted mean share over all voters, of each (n,).
    """
    voter, total = committee.explaining, Counter[int]()
    for each, weight in zip(committee.voters, committee.voter_weights, strict=True):
        votes = each.votes(each.distance.represent(each.encode(row)))
        numbers, shares = each.rows.groups.by_row(
            weight * votes / each.rows.groups.sizes
        )
        total.update(dict(zip(numbers.tolist(), shares.tolist(), strict=True)))
    groups, query = voter.rows.groups, voter.distance.represent(voter.encode(row))
    distances = voter.distance.compare(query, voter.represented)
    numbers, owner = groups.members_of(np.arange(len(voter.rows)))
    place = ranks(distances[0], tie_widths(distances)[0])[owner]
    vote = np.array([total[number] for number in numbers.tolist()])
    first = np.lexsort((numbers, place, -vote.round(ROUNDED)))[:n]
    unique = owner[first]
    return {
        "row": numbers[first],
        "label": committee.classes[voter.rows.shares[unique].argmax(axis=1)],
        "distance": distances[0, unique],
        "vote": vote[first],
    }


def contribution_columns(
    committee: Committee, X: Any, to: Any = None, owner: str | None = None
) -> dict[Any, Any]:
    """Return what ``explain_rows`` of the classifiers returns, as columns by name.

    Parameters
    ----------
    committee : Committee
    X : table with the columns that fit saw
    to : object, default=None
        The class whose probability is explained; None: that predicted for each row.
    owner : str, default=None
        Whom to name in messages.
    """
    labels = committee.classes.tolist()
    if to is not None and to not in labels:
        raise ValueError(
            f"{to!r} is none of the classes. {did_you_mean(to, labels)}".strip()
        )
    parts, base = committee.contributions(X, owner)  # (n, D, C), (n, C)
    p, rows = base + parts.sum(axis=1), np.arange(len(parts))
    predicted = most_votes(committee.weighed(p))
    c = predicted if to is None else np.full(len(p), labels.index(to))
    about = {
        "predicted": committee.classes[predicted],
        "probability": p[rows, c],
        BASE: base[rows, c],
    }
    return contribution_table(committee, about, parts[rows, :, c])


def beside_neighbors(voter: Voter, row: Any, numbers: Any) -> dict[str, Any]:
    """Return a row beside training rows: feature, row, and one column for each."""
    book = voter.distance.codebook
    shown = {"feature": book.feature_names, "row": book.cells_of(row)}
    shown |= {f"row {number}": kept_values(voter, number) for number in numbers}
    return {name: object_array(cells) for name, cells in shown.items()}


def contribution_table(
    committee: VoterGroup, about: dict[str, Any], parts: Array
) -> dict[Any, Any]:
    """Return columns about each row, then those of contributions (n, D).

    Names that a feature has too get an underscore.
    """
    names = committee.feature_names
    taken = {name + "_" * (name in names): column for name, column in about.items()}
    return taken | dict(zip(names, parts.T, strict=True))


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
