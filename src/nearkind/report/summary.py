"""A model beside a table -> a plain dict of all that a page shows."""

from itertools import zip_longest
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from nearkind.protocols import Codes
from nearkind.report import sentences
from nearkind.report.confusions import confusion_facts
from nearkind.report.members import members
from nearkind.report.memories import places
from nearkind.report.placing import value_places
from nearkind.report.rows import row_facts
from nearkind.report.subject import Subject


def summary(subject: Subject) -> dict[str, Any]:
    """Return the facts of a page: texts, numbers and arrays, nothing else.

    Examples
    --------
    >>> from nearkind.baselines import Hamming
    >>> X = {"coat": ["fur", "down", "fur"]}
    >>> facts = summary(Subject(Hamming().fit(X), X, [1.0], name="pets"))
    >>> facts["title"], facts["rows"]["columns"]
    ('pets on table', [{'values': ['fur', 'down'], 'at': array([0, 1, 0])}])
    """
    voters = members(subject)  # first, for it refuses what cannot be shown
    with threadpool_limits(1, "blas"):  # many small products
        return {**_facts(subject), **voters}


def _facts(subject: Subject) -> dict[str, Any]:
    typical = typical_row(subject)
    n_features = len(typical)
    return {
        "title": f"{subject.name} on {subject.where}",
        "lines": _lines(subject),
        "classes": subject.classes,
        "class_counts": _class_counts(subject),
        "counted": "in the table" if subject.truth is not None else "said by the model",
        "votes": bool(subject.members),
        "relevance": np.asarray(subject.relevance, dtype=float),
        "typical": [int(code[0]) for code in places(typical[None], _book(subject))],
        "value_places": [
            value_places(subject.metric, typical, d) for d in range(n_features)
        ],
        "rows": row_facts(subject),
        "confusions": confusion_facts(subject),
    }


def typical_row(subject: Subject) -> Codes:
    """Return the most frequent code of each column (D,)."""
    columns = subject.codes.T
    return np.array([np.bincount(c + 1).argmax() - 1 for c in columns], dtype=np.int32)


def _book(subject: Subject) -> Any:
    return subject.metric.codebook_


def _class_counts(subject: Subject) -> Any:
    """Count rows by class; the last: of a class that the model does not know."""
    numbers = subject.true_class if subject.truth is not None else subject.said_class
    return np.bincount(numbers[numbers >= 0], minlength=len(subject.classes) + 1)


def _lines(subject: Subject) -> dict[str, Any]:
    pairs = zip_longest(subject.metrics, subject.members)
    return {
        "data": sentences.data_lines(subject) + sentences.accuracy_lines(subject),
        "model": sentences.model_lines(subject),
        "members": [sentences.member_lines(metric, voter) for metric, voter in pairs],
    }
