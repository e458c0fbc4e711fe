"""The voters of a model: what each knows of a column, who votes, by which distance."""

from collections.abc import Callable
from typing import Any

import numpy as np

from nearkind.encoding.codebook import Codebook
from nearkind.export.portable import Feature, Listed, Ranged
from nearkind.export.taking import features_of
from nearkind.export.values import as_text
from nearkind.report.distances import tables_of
from nearkind.report.memories import of_table, of_voter
from nearkind.report.rows import cell_fact
from nearkind.report.subject import Subject


class Shared:
    """A list in which what is the same is held once."""

    def __init__(self) -> None:
        self.items: list[Any] = []
        self._place: dict[Any, int] = {}

    def place(self, key: Any, item: Any) -> int:
        """Return where the item of a key stands, adding it if there is none."""
        if key not in self._place:
            self._place[key] = len(self.items)
            self.items.append(item)
        return self._place[key]


def members(subject: Subject) -> dict[str, Any]:
    """Return the members, with columns and memories, which they mostly share."""
    features, memories, found = Shared(), Shared(), []
    remembered = [of_voter(voter) for voter in subject.members]
    remembered = remembered or [of_table(subject.codes)]
    for metric, memory in zip(subject.metrics, remembered, strict=True):
        known = feature_facts(metric.codebook_)
        found.append(
            {
                "features": features.place(repr(known), known),
                "memory": memories.place(memory.key, memory.facts(metric.codebook_)),
                "distance": tables_of(metric, memory.codes),
                "k": memory.k,
                "weights": memory.weights,
            }
        )
    return {"members": found, "features": features.items, "memories": memories.items}


def feature_facts(book: Codebook) -> list[dict[str, Any]]:
    """Return what is known of each column, vectors of values aside."""
    empty = [np.zeros((size + 1, 0)) for size in book.n_values]
    return [
        {
            **KINDS[type(feature)](feature, book.values(d)),
            "name": feature.name,
            "missing": feature.missing,
            "n_places": len(feature.vectors),
            "takes_missing": book.missing != "error",
            "takes_unseen": book.unseen != "error",
        }
        for d, feature in enumerate(features_of(book, empty))
    ]


def _listed(feature: Listed, shown: list[Any]) -> dict[str, Any]:
    return {"kind": "listed", "values": [cell_fact(value) for value in feature.values]}


def _ranged(feature: Ranged, shown: list[Any]) -> dict[str, Any]:
    """Ranges of numbers by their edges, and what to call each."""
    names = [as_text(value) for value in shown if value is not None]
    return {"kind": "ranged", "edges": feature.edges, "values": names}


KINDS: dict[type[Feature], Callable[[Any, list[Any]], dict[str, Any]]] = {
    Listed: _listed,
    Ranged: _ranged,
}
