"""What the paper prints."""

import pytest

from nearkind.datasets.catalogue import CATALOGUE
from nearkind.experiments.paper import printed


@pytest.mark.parametrize("kind", ["triplets", "classification"])
def test_printed_accuracies_are_whole(kind):
    found = printed.accuracies(kind)
    assert len(found) == 23 * 7
    assert {name for name, _ in found} == set(printed.set_sizes()) <= set(CATALOGUE)
    assert all(0.5 <= figure.mean <= 1.0 for figure in found.values())
    assert all(0.0 <= figure.deviation < 0.2 for figure in found.values())


def test_some_printed_figures():
    assert printed.accuracies("triplets")["led24", "cpml-s"].mean == 0.713
    assert printed.accuracies("classification")["voting", "kdml"].deviation == 0.112
    assert printed.set_sizes()["krkopt"] == (28_056, 6, 17)
    assert printed.noise()[13, 2] == (0.016, 0.092)
    assert len(printed.noise()) == 15
