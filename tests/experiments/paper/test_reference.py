"""What the paper prints."""

import pytest

from nearkind.datasets.catalogue import CATALOGUE
from nearkind.experiments.paper import reference


@pytest.mark.parametrize("kind", ["triplets", "classification"])
def test_printed_accuracies_are_whole(kind):
    found = reference.accuracies(kind)
    assert len(found) == 23 * 7
    assert {name for name, _ in found} == set(reference.set_sizes()) <= set(CATALOGUE)
    assert all(0.5 <= figure.mean <= 1.0 for figure in found.values())
    assert all(0.0 <= figure.deviation < 0.2 for figure in found.values())


def test_some_printed_figures():
    assert reference.accuracies("triplets")["led24", "cpml-s"].mean == 0.713
    assert reference.accuracies("classification")["voting", "kdml"].deviation == 0.112
    assert reference.set_sizes()["krkopt"] == (28_056, 6, 17)
    assert reference.noise()[13, 2] == (0.016, 0.092)
    assert len(reference.noise()) == 15
