"""Neighbours of a row, contributions to distances, and explanations of predictions."""

from typing import Any, NamedTuple

import numpy as np

from nearkind.cli.console import Facts
from nearkind.cli.model_table import ModelTable
from nearkind.cli.progress import progress_bar
from nearkind.io import Columns
from nearkind.model_view import ModelView
from nearkind.neighbors import tie_widths
from nearkind.protocols import Codes
from nearkind.tables import records
from nearkind.tasks.change import nearest_change
from nearkind.tasks.nearest_rows import NearestRows
from nearkind.voting.explanation import (
    contribution_columns,
    effect_name,
    explain_prediction,
    kept_values,
)
from nearkind.voting.number_explanation import explain_number, number_contributions

ROWS_AT_ONCE = 50
"""Rows that are explained between two steps of a bar."""


class CodedRow(NamedTuple):
    """One row: its codes, and its values."""

    codes: Codes  # (D,)
    values: list[Any]


class Explainer:
    """Answers about the rows of a table by the distance that explains a model.

    Parameters
    ----------
    table : ModelTable
    training : str, default=None
        DATA of the table given to fit. Without it the numbers of training rows are as
        the model keeps them, which may be ranges.
    """

    def __init__(self, table: ModelTable, training: str | None = None) -> None:
        self.table, self.view, self.model = table, table.view, table.model
        self.training = None
        if training is not None:
            self.training = ModelTable(table.model, training, table.options)

    def neighbors(self, number: int, k: int) -> Facts:
        """Return the k nearest training rows of a row, from 0 on, with contributions.

        Law: the contributions to a neighbour add up to its distance, or to the square.
        """
        row = self.table.row(number)
        here = self.coded(row)
        distances, numbers = self.view.voter.kneighbors(here.codes[None], k)
        found = zip(numbers[0].tolist(), distances[0].tolist(), strict=True)
        return {
            **self.about(number, row),
            "contributions_to": self.view.distance.contributions_to,
            "neighbors": [self.neighbor(here, n, d) for n, d in found],
        }

    def prediction(self, number: int, k: int) -> Facts:
        """Return why a row has its class: k rows with votes, and contributions."""
        row = self.table.row(number)
        here, labels = self.coded(row), self.model.classes_.tolist()
        cells = {name: column[0] for name, column in row.items()}
        found = explain_prediction(self.view.committee, cells, k)
        return {
            **self.about(number, row),
            "probabilities": {label: found.probabilities[label] for label in labels},
            "base": {label: found.base[label] for label in labels},
            "contributions_to": self.view.distance.contributions_to,
            "neighbors": [
                self.neighbor(here, near["row"], near["distance"])
                | {"vote": near["vote"]}
                for near in records(found.neighbors)
            ],
            "effects": [
                {
                    "feature": part["feature"],
                    "effects": {label: part[effect_name(label)] for label in labels},
                }
                for part in records(found.effects)
            ],
        }

    def number(self, number: int, k: int) -> Facts:
        """Return why a row has its number: k neighbours, and effects."""
        row = self.table.row(number)
        cells = {name: column[0] for name, column in row.items()}
        found = explain_number(self.view.committee, cells, k)
        return {
            **self.about(number, row),
            "interval": found.interval,
            "base": found.base,
            "text": repr(found),
            "neighbors": records(found.neighbors),
            "effects": records(found.effects),
        }

    def change(self, number: int, to: str | None, fixed: list[str]) -> Facts:
        """Return the fewest changes that give a row a class, named as people write it.

        Parameters
        ----------
        number : int
            Of the row, from 0.
        to : str or None
            The class wanted; None: any other.
        fixed : list of str
            Names of columns that stay.
        """
        row = self.table.row(number)
        labels = {str(label): label for label in self.model.classes_.tolist()}
        names = {str(name): name for name in self.view.codebook.names_}
        found = nearest_change(
            self.model,
            {name: cells[0] for name, cells in row.items()},
            None if to is None else labels.get(to, to),
            [names.get(name, name) for name in fixed],
        )
        return {
            "row": number,
            "cells": self.about(number, row)["cells"],
            **found.to_dict(),
            "explained_by": self.view.explained_by,
        }

    def about(self, number: int, row: dict[Any, list[Any]]) -> Facts:
        """Return the row, its class, and what explains it."""
        return {
            "row": number,
            "cells": {str(name): cells[0] for name, cells in row.items()},
            "predicted": self.model.predict(row).tolist()[0],
            "explained_by": self.view.explained_by,
        }

    def distance(self, a: int, b: int) -> Facts:
        """Return what each feature adds to the distance between two rows."""
        rows, view = [self.table.row(a), self.table.row(b)], self.view
        here, there = map(self.coded, rows)
        vectors = [view.distance.represent(side.codes[None]) for side in (here, there)]
        predicted = other = None
        if view.committee is not None:
            predicted = [self.model.predict(row).tolist()[0] for row in rows]
        if predicted is not None and view.committee.classes is not None:
            other = self.nearest_of_other_class(here, predicted[0])
        return {
            "rows": [a, b],
            "distance": float(view.distance.compare(*vectors)[0, 0]),
            "explained_by": view.explained_by,
            "contributions_to": view.distance.contributions_to,
            "contributions": self.contributions(here, there),
            "predicted": predicted,
            "other_class": other,
        }

    def coded(self, row: dict[Any, list[Any]]) -> CodedRow:
        """Return the row of a table of one row, with its values there."""
        book = self.view.codebook
        return CodedRow(book.encode(row)[0], book.cells_of(row))

    def training_row(self, number: int) -> CodedRow:
        """Return a training row by its number in the table given to fit."""
        rows = self.view.voter.rows
        codes = rows.codes[rows.unique_of(number)]
        if self.training is None:
            return CodedRow(codes, kept_values(self.view.voter, number))
        found = self.coded(self.training.row(number))
        if (found.codes != codes).any():
            raise ValueError(
                f"Row {number} of {self.training.where} is not the row {number} that "
                "the model was fitted to. Pass the table that it was fitted to, or "
                "leave --training out."
            )
        return found

    def nearest_of_other_class(self, here: CodedRow, label: Any) -> Facts | None:
        """Return the nearest training row of another class; of tied rows the first.

        The class of a unique row is the one with the largest share. None if all are of
        this class.
        """
        rows, distance = self.view.voter.rows, self.view.distance
        query = distance.represent(here.codes[None])
        d = distance.compare(query, distance.represent(rows.codes))[0]
        is_same = self.model.classes_[rows.shares.argmax(axis=1)] == label
        if is_same.all():
            return None
        nearest = d[~is_same].min() + tie_widths(d[None])[0]
        tied = np.flatnonzero(~is_same & (d <= nearest))
        first_rows = rows.groups.first_rows[tied]
        unique = int(tied[first_rows.argmin()])
        return self.neighbor(here, int(first_rows.min()), float(d[unique]))

    def neighbor(self, here: CodedRow, number: int, distance: float) -> Facts:
        """Return a training row: number, distance, classes, and what differs."""
        there, voter = self.training_row(number), self.view.voter
        parts, unique = self.contributions(here, there), voter.rows.unique_of(number)
        committee, shares = self.view.committee, voter.rows.shares[unique]
        if committee.classes is None:
            label = f"{committee.target_of([unique], voter)[0]:.6g}"
            classes = {label: 1.0}
        else:
            pairs = zip(committee.classes.tolist(), shares.tolist(), strict=True)
            positive = [(label, share) for label, share in pairs if share > 0.0]
            classes = dict(sorted(positive, key=lambda pair: -pair[1]))
            label = next(iter(classes))
        return {
            "row": number,
            "distance": distance,
            "class": label,
            "classes": classes,
            **_parted(parts),
        }

    def contributions(self, a: CodedRow, b: CodedRow) -> list[Facts]:
        """Return what each feature adds, the largest first, whatever its sign."""
        parts = self.view.distance.contributions(a.codes, b.codes)
        names = self.view.codebook.feature_names
        return [
            {
                "feature": names[d],
                "a": a.values[d],
                "b": b.values[d],
                "same": bool(a.codes[d] == b.codes[d]),
                "contribution": float(parts[d]),
            }
            for d in np.argsort(-np.abs(parts), kind="stable")
        ]


def contributions(table: ModelTable) -> Columns:
    """Return what ``explain_rows`` of a model says of a table, as columns."""
    committee, found = table.model.committee_, []
    is_number = committee.classes is None
    explained = number_contributions if is_number else contribution_columns
    with progress_bar("explaining rows", table.n_rows) as advance:
        for rows in table.portions(ROWS_AT_ONCE):
            found.append(explained(committee, rows))
            advance(rows.n_rows)
    return {
        str(name): np.concatenate([part[name] for part in found]).tolist()
        for name in found[0]
    }


def contribution_facts(table: ModelTable, columns: Columns) -> Facts:
    """Return the mean absolute contribution of each feature, the largest first."""
    committee = table.model.committee_
    names, is_number = committee.feature_names, committee.classes is None
    mean = [float(np.abs(columns[str(name)]).mean()) for name in names]
    order = np.argsort(-np.array(mean), kind="stable")
    return {
        "data": table.where,
        "rows": table.n_rows,
        "contributions_to": "the predicted number"
        if is_number
        else "the probability of the predicted class",
        "mean_absolute_contributions": [
            {"feature": names[d], "contribution": mean[d]} for d in order
        ],
    }


def relevance_facts(model: Any, X: Any) -> list[Facts]:
    """Return features with their relevance, the largest first.

    Parameters
    ----------
    model : CPMLClassifier, CPMLClassifierCV or a distance
        Fitted.
    X : table of any kind
        Rows over which it is taken for a distance alone.
    """
    view = ModelView(model)
    shares, names = view.relevance(X), view.codebook.feature_names
    order = np.argsort(-shares, kind="stable")
    return [{"feature": names[d], "share": float(shares[d])} for d in order]


def row_neighbors(metric: Any, X: Columns, number: int, k: int) -> Facts:
    """Return the rows of a table nearest to one of them, with contributions.

    Parameters
    ----------
    metric : distance
        Not fitted.
    X : dict of list
        The table.
    number : int
        Of the row, from 0.
    k : int
        Neighbours to return, at most as many as there are other rows.
    """
    model, n_rows = NearestRows(metric).fit(X), len(next(iter(X.values())))
    if not 0 <= number < n_rows:
        raise ValueError(
            f"There is no row {number}: rows are numbered from 0 to {n_rows - 1}."
        )
    row = {name: [cells[number]] for name, cells in X.items()}
    k = min(k, n_rows - 1)
    distances, numbers = model.kneighbors(row, k + 1)
    pairs = zip(numbers[0].tolist(), distances[0].tolist(), strict=True)
    near = [(other, distance) for other, distance in pairs if other != number][:k]
    neighbors = []
    for other, distance in near:
        parts = records(model.explain(number, other))
        parts = [{**part, "same": part["a"] == part["b"]} for part in parts]
        neighbors.append({"row": other, "distance": distance, **_parted(parts)})
    return {
        "row": number,
        "cells": {str(name): cells[0] for name, cells in row.items()},
        "predicted": None,
        "explained_by": ModelView(model.metric_).report.title,
        "contributions_to": model.distance_.contributions_to,
        "neighbors": neighbors,
    }


def _parted(parts: list[Facts]) -> Facts:
    """Return the columns in which two rows differ, and the others."""
    return {
        "why": [part for part in parts if not part["same"]],
        "same": [part for part in parts if part["same"]],
    }
