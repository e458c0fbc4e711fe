"""Which classes are taken for which, counted over all rows."""

from typing import Any

import numpy as np

from nearkind.report.subject import Subject

MOST_CLASSES = 40
"""In the table; of more, the most frequent."""


def confusion_facts(subject: Subject) -> dict[str, Any] | None:
    """Return classes to show, the most frequent first, and counts (true, said).

    None where the table says no classes, or the model.
    """
    true, said = subject.true_class, subject.said_class
    known = true >= 0
    if subject.said is None or not known.any():
        return None
    n_classes = len(subject.classes)
    both = true[known] * n_classes + said[known]
    counts = np.bincount(both, minlength=n_classes * (n_classes + 1))
    table = counts.reshape(n_classes + 1, n_classes)  # the last row: of unknown classes
    often = table[:-1].sum(axis=1) + table.sum(axis=0)
    shown = np.argsort(-often, kind="stable")[:MOST_CLASSES]
    rows = np.append(shown, n_classes) if table[-1].any() else shown
    return {
        "classes": shown,
        "true": rows,
        "counts": table[np.ix_(rows, shown)],
        "n_left_out": n_classes - len(shown),
        "n_right": int(np.trace(table[:-1])),
        "n_known": int(known.sum()),
    }
