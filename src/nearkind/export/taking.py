"""From a fitted model to what is exported of it, or why it cannot be."""

from collections.abc import Callable, Sequence
from typing import Any

from nearkind.encoding import Bins, Coordinate, Levels
from nearkind.encoding.codebook import Codebook
from nearkind.estimators.base import TableEstimator
from nearkind.estimators.classifier import CPMLClassifier
from nearkind.estimators.search.classifier_cv import CPMLClassifierCV
from nearkind.export.portable import Feature, Listed, Portable, Ranged, Vote
from nearkind.export.values import as_text, check_doubles, exported
from nearkind.neighbors import VOTE_WEIGHTS
from nearkind.protocols import Array


def portable(model: Any) -> Portable:
    """Return what is exported of a fitted model, or say why it cannot be."""
    _check_fitted(model)
    voter = _only_member(model) if isinstance(model, CPMLClassifierCV) else model
    metric = voter.metric_ if isinstance(voter, CPMLClassifier) else voter
    _check_vectors(metric)
    vote = vote_of(voter) if isinstance(voter, CPMLClassifier) else None
    return Portable(features_of(metric.codebook_, metric.value_tables_.vectors), vote)


def _check_fitted(model: Any) -> None:
    owner = type(model).__name__
    if not isinstance(model, TableEstimator):
        raise TypeError(
            f"A {owner} cannot be exported. Pass a fitted CPML, CPMLClassifier or "
            "CPMLClassifierCV, taken out of whatever holds it."
        )
    if not hasattr(model, "codebook_"):
        raise ValueError(f"This {owner} is not fitted; call fit before export.")


def _only_member(model: CPMLClassifierCV) -> CPMLClassifier:
    if len(model.members_) > 1:
        raise ValueError(
            f"This CPMLClassifierCV votes with {len(model.members_)} distances "
            "together, and an export holds one. Export the first, model.members_[0] "
            "(--member 1), or fit with max_members=1."
        )
    return model.members_[0]


def _check_vectors(metric: Any) -> None:
    if not hasattr(metric, "value_tables_"):
        raise ValueError(
            f"{type(metric).__name__} gives values no vectors whose Euclidean distance "
            "is its own, and an export is made of those. Fit CPML instead, or a "
            "baseline with value_vectors_, such as Euclidean, NCA or LMNN."
        )


def vote_of(model: CPMLClassifier) -> Vote:
    """Return the rows that vote, and how; or say why they cannot be exported."""
    if callable(model.weights) or model.weights not in VOTE_WEIGHTS:
        raise ValueError(
            "The weights of this CPMLClassifier are a function, which cannot be "
            'exported. Call set_params(weights="uniform") or "distance" first.'
        )
    rows = model.training_rows_
    return Vote(
        labels=[exported(label, "y") for label in model.classes_.tolist()],
        n_neighbors=min(float(model.n_neighbors), float(rows.weights.sum())),
        weights=model.weights,
        vectors=model.metric_.represent(rows.codes),
        counts=rows.weights,
        shares=rows.shares,
        numbers=rows.groups.rows[rows.groups.starts[:-1]],
    )


def features_of(book: Codebook, tables: Sequence[Array]) -> list[Feature]:
    """Return the features of a codebook with the vectors of their values (s + 1, q)."""
    names = [as_text(name) for name in book.names_]
    twice = {name for name in names if names.count(name) > 1}
    if twice:
        raise ValueError(
            f"Two columns are called {min(twice)!r} as text; rename one and fit again."
        )
    columns = zip(names, book.features_, tables, strict=True)
    return [KINDS[type(f)](name, f, table) for name, f, table in columns]


def _listed(name: str, feature: Levels, vectors: Array) -> Feature:
    values = [exported(value, name) for value in feature.code_of]
    check_doubles(values, name)
    return Listed(name, values, _place(feature.missing_code, vectors), vectors)


def _ranged(name: str, feature: Any, vectors: Array) -> Feature:
    missing = _place(feature.missing_code, vectors)
    return Ranged(name, feature.edges.tolist(), missing, vectors)


def _place(code: int, vectors: Array) -> int:
    return code if code >= 0 else len(vectors) - 1


KINDS: dict[type, Callable[[str, Any, Array], Feature]] = {
    Levels: _listed,
    Bins: _ranged,
    Coordinate: _ranged,
}
