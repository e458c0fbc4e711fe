"""The facts of a page: a model and a table as a plain dict."""

from dataclasses import asdict
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from nearkind.export.portable import places
from nearkind.export.portable_features import as_text
from nearkind.pages import text
from nearkind.pages.data import ReportData
from nearkind.pages.mds import place_values
from nearkind.pages.model_data import member_facts, value_counts
from nearkind.pages.number_data import number_facts, number_lines
from nearkind.pages.overview import column_facts, equal_row_line, oddity_lines
from nearkind.pages.table_data import confusion_facts, held_confusion_facts, row_facts
from nearkind.voting.shapley import coalitions

NOT_LEARNED = (
    "This distance is not learned from labels: the shares do not say which columns "
    "tell classes apart."
)


def summary(data: ReportData) -> dict[str, Any]:
    """Return the facts of a page: texts, numbers and arrays, nothing else.

    Parameters
    ----------
    data : ReportData

    Examples
    --------
    >>> from nearkind.baselines import Hamming
    >>> X = {"coat": ["fur", "down", "fur"]}
    >>> facts = summary(ReportData(Hamming().fit(X), X, [1.0], name="pets"))
    >>> facts["title"], facts["rows"]["columns"]
    ('pets on table', [{'values': ['fur', 'down'], 'at': array([0, 1, 0])}])
    """
    members = member_facts(data)  # first: it refuses what cannot be shown
    with threadpool_limits(1, "blas"):  # many small products
        return {**_facts(data), **members}


def _facts(data: ReportData) -> dict[str, Any]:
    most_frequent = [
        np.bincount(np.maximum(c, -1) + 1).argmax() - 1 for c in data.codes.T
    ]
    typical = np.array(most_frequent, dtype=np.int32)  # (D,)
    shown = data.shown_class  # last, those of classes unknown to the model
    distance, committee = data.view.distance, data.view.committee
    calibration = committee and committee.calibration
    return {
        "title": f"{data.name} on {data.where}" if data.name else data.where,
        "columns": column_facts(data.X),
        "odd_rows": data.odd_rows,
        "lines": _lines(data),
        "classes": data.classes,
        "class_counts": np.bincount(shown[shown >= 0], minlength=len(data.classes) + 1),
        "counted": _counted(data),
        "votes": committee is not None,
        "calibration": calibration and asdict(calibration),
        "class_factors": getattr(committee, "class_factors", None),
        "caution": "" if data.view.report.is_learned or not data.name else NOT_LEARNED,
        "coalitions": committee and _coalitions(committee.feature_names),
        "relevance": np.asarray(data.relevance, dtype=float),
        "typical": places(typical[None], distance.codebook.n_values)[0].tolist(),
        "value_places": [
            place_values(distance, typical, d) for d in range(len(typical))
        ],
        **value_counts(data),
        "rows": (rows := row_facts(data)),
        "numbers": number_facts(data, rows["numbers"]),
        "confusions": confusion_facts(data),
        "held_confusions": held_confusion_facts(data),
        "oddities": [*equal_row_line(data), *oddity_lines(data)],
    }


def _counted(data: ReportData) -> str:
    """Return what the colours of rows are."""
    if data.groups is not None:
        return "Groups by k-medoids clustering"
    if data.numbers is not None:
        return "True values, from low (blue) to high (red)"
    in_table = data.y_true is not None
    return "Classes in the table" if in_table else "Predicted classes"


def _coalitions(names: list[Any]) -> dict[str, Any]:
    """Return the subsets of features that contributions are computed from."""
    kept, weights = coalitions(len(names))
    texts = [as_text(name) for name in names]
    return {"names": texts, "kept": kept.astype(int), "weights": weights.astype("f4")}


def _lines(data: ReportData) -> dict[str, Any]:
    voters = data.view.voters or (None,)
    each = zip(data.view.reports, voters, data.view.weights, strict=True)
    return {
        "data": [
            *text.accuracy_lines(data),
            *number_lines(data),
            *text.data_lines(data),
        ],
        "model": text.model_lines(data),
        "members": [text.member_lines(*member) for member in each],
    }
