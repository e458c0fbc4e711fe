"""What is too large is refused before it is allocated, with advice that applies."""

import tracemalloc

import numpy as np
import pytest

from nearkind import CPML
from nearkind.estimators.limits import COPIES_OF_PHI, check_size
from nearkind.estimators.problem import project
from nearkind.metrics.structures import Diagonal, Full, Single
from nearkind.projections.onehot import OneHot
from nearkind.projections.vdm import VDM

NAMES = ["city", "size"]


@pytest.mark.parametrize("projection", ["vdm", "onehot"])
@pytest.mark.parametrize("structure", ["single", "multi", "diagonal", "full"])
def test_no_more_copies_of_phi_are_held_than_counted(structure, projection):
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 6, (1000, 8)).astype(str), rng.integers(0, 40, 1000)
    model = CPML(structure=structure, projection=projection)
    rows = model.code_rows(X, y).merge_equal()
    tracemalloc.start()
    projected = project(model, rows)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    n_numbers = projected.projection.transform(rows.codes).size
    assert peak / 8 / n_numbers < COPIES_OF_PHI + 0.2


def test_what_fits_is_not_refused():
    check_size(VDM(), Single(), NAMES * 4, [9] * 8, 20_000, 1_000)


def test_values_are_to_blame_where_the_size_depends_on_them():
    words = r"GiB\. Column 'city' has the most values, 9,000.*take projection='vdm'"
    with pytest.raises(ValueError, match=words):
        check_size(OneHot(), Full(), NAMES, [9_000, 9], 500, 2, setting="projection")
    with pytest.raises(ValueError, match="take coding='vdm'"):
        check_size(OneHot(), Full(), NAMES, [9_000, 9], 500, 2)


def test_vdm_is_not_advised_to_vdm():
    with pytest.raises(ValueError, match="merge classes") as refusal:
        check_size(VDM(), Diagonal(), NAMES, [9_000, 9], 100_000, 1_000)
    assert "vdm" not in str(refusal.value)
    assert "city" not in str(refusal.value)


def test_vdm_is_not_advised_where_it_is_larger():
    with pytest.raises(ValueError, match="drop or coarsen it") as refusal:
        check_size(OneHot(), Full(), NAMES, [9_000, 9], 500, 90_000)
    assert "vdm" not in str(refusal.value)
