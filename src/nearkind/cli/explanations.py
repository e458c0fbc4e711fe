"""Nearest rows of a row, and what each feature contributes to a distance."""

from typing import Any, NamedTuple

import numpy as np

from nearkind import CPML
from nearkind.cli.model_table import ModelTable
from nearkind.model_view import ModelView
from nearkind.neighbors import tie_widths
from nearkind.protocols import Array, Codes

N_PAIRS = 400
"""Pairs of rows over which relevance is estimated."""


def neighbor_facts(
    model: Any, table: ModelTable, number: int, k: int
) -> dict[str, Any]:
    """Return the k nearest training rows of a row of a table, with contributions.

    Parameters
    ----------
    model : CPMLClassifier or CPMLClassifierCV
        Fitted; of several members the first finds neighbours.
    table : ModelTable
    number : int
        Number of the row, from 0.
    k : int
    """
    view, row = ModelView(model), table.row(number)
    here = CodedRow.from_table(view, row)
    distances, numbers = view.members[0].kneighbors(row, k)
    found = zip(numbers[0].tolist(), distances[0].tolist(), strict=True)
    return {
        "row": number,
        "cells": {str(name): cells[0] for name, cells in row.items()},
        "predicted": model.predict(row).tolist()[0],
        "contributions_to": contributions_to(view.distance),
        "neighbors": [
            _neighbor(view, here, view.training_rows.unique_of(n), n, d)
            for n, d in found
        ],
    }


def explanation_facts(model: Any, table: ModelTable, a: int, b: int) -> dict[str, Any]:
    """Return what each feature contributes to the distance between two rows.

    Parameters
    ----------
    model : CPMLClassifier, CPMLClassifierCV or a distance
        Fitted.
    table : ModelTable
    a, b : int
        Numbers of the rows, from 0.
    """
    view, row_a, row_b = ModelView(model), table.row(a), table.row(b)
    sides = CodedRow.from_table(view, row_a), CodedRow.from_table(view, row_b)
    vectors = [view.distance.represent(side.codes[None]) for side in sides]
    facts = {
        "rows": [a, b],
        "distance": float(view.distance.compare(*vectors)[0, 0]),
        "contributions_to": contributions_to(view.distance),
        "contributions": _contribution_facts(view, *sides),
        "predicted": None,
        "other_class": None,
    }
    if view.classifies:
        predicted = [model.predict(row).tolist()[0] for row in (row_a, row_b)]
        facts["predicted"] = predicted
        facts["other_class"] = _nearest_of_other_class(view, sides[0], predicted[0])
    return facts


class CodedRow(NamedTuple):
    """One row: its codes, and its values."""

    codes: Codes  # (D,)
    values: list[Any]

    @classmethod
    def from_table(cls, view: ModelView, row: dict[Any, list[Any]]) -> "CodedRow":
        """Return the row of a table of one row, with its values there."""
        return cls(view.codebook.encode(row)[0], view.codebook.cells_of(row))

    @classmethod
    def from_codes(cls, view: ModelView, codes: Codes) -> "CodedRow":
        """Return the row of some codes; the value of an unseen one is None."""
        book = view.codebook
        values = [None if c < 0 else book.values(d)[c] for d, c in enumerate(codes)]
        return cls(codes, values)


def _nearest_of_other_class(
    view: ModelView, here: CodedRow, label: Any
) -> dict[str, Any] | None:
    """Return the nearest training row of another class; of tied rows the first.

    The class of a unique row is the one with the largest share. None if all are of this
    class.
    """
    rows, distance = view.training_rows, view.distance
    represented = distance.represent(here.codes[None]), distance.represent(rows.codes)
    d = distance.compare(*represented)[0]
    is_same = rows.shares.argmax(axis=1) == rows.classes.tolist().index(label)
    if is_same.all():
        return None
    nearest = d[~is_same].min() + tie_widths(d[None])[0]
    tied = np.flatnonzero(~is_same & (d <= nearest))
    first_rows = rows.groups.rows[rows.groups.starts[tied]]
    unique = int(tied[first_rows.argmin()])
    return _neighbor(view, here, unique, int(first_rows.min()), float(d[unique]))


def _neighbor(
    view: ModelView, here: CodedRow, unique: int, number: int, distance: float
) -> dict[str, Any]:
    """Return a training row: number, distance, classes, and what differs."""
    rows = view.training_rows
    there = CodedRow.from_codes(view, rows.codes[unique])
    shares = zip(rows.classes.tolist(), rows.shares[unique].tolist(), strict=True)
    positive = [(label, share) for label, share in shares if share > 0.0]
    classes = dict(sorted(positive, key=lambda pair: -pair[1]))
    parts = _contribution_facts(view, here, there)
    return {
        "row": number,
        "distance": distance,
        "class": next(iter(classes)),
        "classes": classes,
        "why": [part for part in parts if not part["same"]],
    }


def _contribution_facts(
    view: ModelView, a: CodedRow, b: CodedRow
) -> list[dict[str, Any]]:
    """Return the contribution of each feature, the largest first."""
    parts = contributions(view.distance, a.codes, b.codes)
    names = view.codebook.feature_names
    return [
        {
            "feature": names[d],
            "a": a.values[d],
            "b": b.values[d],
            "same": bool(a.codes[d] == b.codes[d]),
            "contribution": float(parts[d]),
        }
        for d in np.argsort(-parts, kind="stable")
    ]


def contributions_to(distance: Any) -> str:
    """Return what the contributions of features add up to."""
    return "squared distance" if distance.has_vectors else "distance"


def contributions(distance: Any, a: Codes, b: Codes) -> Array:
    """Return the contribution (D,) of each feature to the distance between two rows.

    Where a row is a sum of vectors, contributions add up to the squared distance. For
    other distances a contribution is how much smaller the distance is if b has the
    value of a; these add up to the distance where it is a sum over features.

    Parameters
    ----------
    distance : distance
        Fitted.
    a, b : ndarray of int of shape (D,)
        Codes.
    """
    if distance.has_vectors:
        return distance.value_tables_.contributions(a, b)
    n_features = len(a)
    rows = np.tile(b, (n_features + 1, 1))
    each = np.arange(n_features)
    rows[each + 1, each] = a
    d = distance.compare(distance.represent(a[None]), distance.represent(rows))[0]
    with np.errstate(invalid="ignore"):  # infinity less infinity
        return np.nan_to_num(d[0] - d[1:], nan=0.0)


def relevance(model: Any, X: Any, seed: int = 0) -> Array:
    """Return each feature's share (D,) of the distance between two rows.

    Parameters
    ----------
    model : CPMLClassifier, CPMLClassifierCV or a distance
        Fitted.
    X : table of any kind
        Rows over which it is estimated if the model does not state it.
    seed : int, default=0
        Seed of the pairs of rows.
    """
    view = ModelView(model)
    if isinstance(view.distance, CPML):
        return view.distance.feature_relevance_
    codes = view.codebook.encode(X)
    pairs = np.random.default_rng(seed).integers(len(codes), size=(N_PAIRS, 2))
    total = sum(contributions(view.distance, codes[i], codes[j]) for i, j in pairs)
    finite = np.nan_to_num(total, nan=0.0, posinf=0.0, neginf=0.0)
    return finite / finite.sum() if finite.sum() > 0.0 else np.zeros(codes.shape[1])


def relevance_facts(model: Any, X: Any, seed: int = 0) -> list[dict[str, Any]]:
    """Return features with their relevance, the largest first."""
    shares, names = relevance(model, X, seed), ModelView(model).codebook.feature_names
    order = np.argsort(-shares, kind="stable")
    return [{"feature": names[d], "share": float(shares[d])} for d in order]
