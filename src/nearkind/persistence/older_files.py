"""Files of versions 0.1 and 0.2: their attributes as forms, reports and committees."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from nearkind import baselines as b
from nearkind.distances import (
    Bits,
    ChiSquareVectors,
    DependentTables,
    FittedDistance,
    KernelLandmarks,
    MeanSimilarity,
    MismatchWeights,
    PairTables,
    RatioSimilarity,
    TreeVectors,
    ValueVectors,
)
from nearkind.encoding.codebook import Codebook
from nearkind.errors import RefusedError
from nearkind.estimators.base import Distance
from nearkind.estimators.classifier import CPMLClassifier, check_settings
from nearkind.estimators.fit_report import fit_report
from nearkind.neighbors import RowGroups, TrainingRows, is_soft
from nearkind.protocols import Array
from nearkind.search.classifier_cv import CPMLClassifierCV
from nearkind.voting import Committee, NearestRule, SoftRule, Voter

RENAMED = {
    "_projection": "projection_",
    "_structure": "structure_",
    "_coding": "coding_",
    "_M": "reduced_metric_",
    "_scale": "objective_scale_",
}
"""Diagnostics that files have under another name."""

Attributes = dict[str, Any]


def renewed(model: object, found: Mapping[str, object]) -> Attributes:
    """Return the attributes of an older file as those of today.

    Parameters
    ----------
    model : estimator
        With the settings of the file, not fitted.
    found : dict
        Its attributes as they were.
    """
    if isinstance(model, CPMLClassifier):
        return _classifier(model, dict(found))
    if isinstance(model, CPMLClassifierCV):
        return _search(dict(found))
    return _distance(model, dict(found))


def _distance(model: Any, left: Attributes) -> Attributes:
    book, output = left.pop("codebook_"), left.pop("output")
    if not isinstance(book, Codebook):
        raise RefusedError("codebook_ is no codebook")
    kind, names = FORMS.get(type(model), (ValueVectors, VECTORS))
    settings = model.get_params(deep=False)
    if kind is MismatchWeights:
        left["weights"] = np.full(len(book.n_values), 1.0 / len(book.n_values))
        del left["_n_features_out"]
    if kind is KernelLandmarks:
        tables = left.pop("_projection").tables
        left["coding"] = [table.reshape(len(table), -1) for table in tables]
        left["components"] = left["components_"]
    parts = (settings[n] if n in SETTINGS else left.pop(n, None) for n in names)
    form = kind(book, *parts)
    form.check()
    named = {RENAMED.get(name, name): value for name, value in left.items()}
    return {"distance_": form, "output": output, "diagnostics": named}


VECTORS = "value_tables_", "feature_relevance_"
SETTINGS = "conversion", "kernel"
"""Fields of forms that were settings of the estimator."""
PAIRS = PairTables, ("pair_tables_",)
MEANS = MeanSimilarity, ("similarity_tables_", "conversion", "_divisor")
RATIOS = RatioSimilarity, ("similarity_tables_", "conversion", "weight_tables_")
DEPENDENT = DependentTables, ("dependence_", "_differing", "_equal", "_pairs")
KERNEL = KernelLandmarks, ("coding", "landmarks_", "kernel", "length_", "components")
FORMS: dict[type, tuple[type[FittedDistance], tuple[str, ...]]] = {
    b.Hamming: (MismatchWeights, ("weights",)),
    **dict.fromkeys(
        (b.Eskin, b.InverseOccurrence, b.OccurrenceFrequency, b.Smirnov, b.Burnaby,
         b.Gambaryan, b.Goodall1, b.Goodall2, b.Goodall3, b.Goodall4), MEANS
    ),
    **dict.fromkeys((b.Lin, b.Lin1, b.Anderberg), RATIOS),
    **dict.fromkeys((b.ValueDifference, b.Association, b.Cheng), PAIRS),
    b.DM3: DEPENDENT,
    b.HDML: (Bits, ("value_tables_",)),
    b.Chi2LMNN: (ChiSquareVectors, ("value_tables_",)),
    b.GBLMNN: (TreeVectors, ("start_tables_", "trees_")),
    b.KernelLMCA: KERNEL,
}  # fmt: skip
"""Form of an estimator, and the attributes that are its fields, in their order.

Of all other estimators it is ``ValueVectors``.
"""


def _classifier(model: CPMLClassifier, left: Attributes) -> Attributes:
    names = "metric_", "classes_", "codes", "weights", "votes", "rows", "starts"
    if not set(names) <= set(left):
        raise RefusedError("CPMLClassifier does not have its attributes")
    metric, classes, codes, weights, shares, rows, starts = map(left.pop, names)
    if not isinstance(metric, Distance) or not hasattr(metric, "distance_"):
        raise RefusedError("metric_ of a classifier is not a fitted distance")
    check_settings(model)
    with np.errstate(invalid="ignore"):  # infinite weights are refused below
        counts = _whole_where_close(shares * weights[:, None])
    groups = RowGroups(rows.astype(np.intp), starts.astype(np.intp))
    report = fit_report(metric)
    kept = TrainingRows(codes, weights, counts, shares, groups)
    rule: NearestRule | SoftRule = NearestRule(model.n_neighbors, model.weights)
    if is_soft(model.weights):
        chosen = left.pop("temperature_", model.temperature)
        rule = SoftRule(float(chosen), model.n_neighbors)
        rule.check()
    voter = Voter(metric.distance_, kept, rule, report, model.index)
    voter.check()
    committee = Committee((voter,), classes)
    committee.check()
    return {"committee_": committee, **left}


def _search(left: Attributes) -> Attributes:
    members = left.pop("members_")
    if not members or not all(type(m) is CPMLClassifier for m in members):
        raise RefusedError("members_ is not a list of one or more CPMLClassifier")
    voters = tuple(member.committee_.voters[0] for member in members)
    classes = left.pop("classes_")
    for member in members:
        if member.classes_.dtype != classes.dtype or (
            member.classes_.tolist() != classes.tolist()
        ):
            raise RefusedError("a member is not fitted, or has other classes")
    calibration = left.pop("calibration_", None)
    conformal = left.pop("conformal_scores_", None)
    committee = Committee(voters, classes, calibration, conformal)
    committee.check()
    return {"committee_": committee, **left}


def _whole_where_close(weights: Array) -> Array:
    """Return weights, rounded to whole numbers where they are close to one."""
    whole = np.rint(weights)
    return np.where(np.abs(weights - whole) <= 1e-9 * np.abs(whole), whole, weights)
