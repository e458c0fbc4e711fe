"""Matrices between features, against a literal reading of every structure."""

import numpy as np
import pytest

import nearkind as nk
from helpers.pictures import small
from nearkind.plot.heat_map import _clustered_features, couplings


def flattened(model):
    """Return M as one matrix on the flattened phi (R C, R C), block by block."""
    R = sum(table.shape[1] for table in model.projection_.tables)
    C = model.projection_.tables[0].shape[2]
    at = model.structure_.blocks(np.arange(R * C).reshape(1, R, C))  # (B, 1, K, W)
    whole = np.zeros((R * C, R * C))
    for M, places in zip(model.metric_, at[:, 0], strict=True):
        for place in places:
            whole[np.ix_(place, place)] = M
    return whole.reshape(R, C, R, C)


def slowly(model):
    tables = model.projection_.tables
    owner = [d for d, table in enumerate(tables) for _ in range(table.shape[1])]
    whole, C = flattened(model), tables[0].shape[2]
    is_signed = len(owner) == len(tables)
    found = np.zeros((len(tables), len(tables)))
    for r, d in enumerate(owner):
        for s, e in enumerate(owner):
            for c in range(C):
                entry = whole[r, c, s, c]
                found[d, e] += (entry if is_signed else entry**2) / C
    return found if is_signed else np.sqrt(found)


@pytest.mark.parametrize("projection", ["vdm", "onehot"])
@pytest.mark.parametrize("structure", ["single", "multi", "diagonal", "full"])
def test_couplings_are_what_loops_say(structure, projection):
    model = small(structure=structure, projection=projection).model
    found, is_signed = couplings(model)
    assert is_signed == (projection == "vdm")
    np.testing.assert_allclose(found, slowly(model), atol=1e-12)


def test_single_is_the_matrix_itself_and_multi_the_mean():
    single, multi = small().model, small(structure="multi").model
    np.testing.assert_allclose(couplings(single)[0], single.metric_[0], atol=1e-12)
    np.testing.assert_allclose(couplings(multi)[0], multi.metric_.mean(axis=0))


def test_features_that_act_together_stand_side_by_side():
    M = np.eye(5)
    M[0, 3] = M[3, 0] = 0.9
    M[1, 4] = M[4, 1] = -0.9
    order = _clustered_features(M, 30).tolist()
    assert sorted(order) == [0, 1, 2, 3, 4]
    assert abs(order.index(0) - order.index(3)) == 1
    assert abs(order.index(1) - order.index(4)) == 1


def test_of_many_features_the_largest_are_kept():
    M = np.diag(np.arange(40.0))
    assert sorted(_clustered_features(M, 30).tolist()) == list(range(10, 40))


def test_colours_of_a_signed_matrix_are_centred_at_zero():
    (image,) = nk.plot.metric(small().model).images
    assert image.norm.vmin == -image.norm.vmax
    (unsigned,) = nk.plot.metric(small(projection="onehot").model).images
    assert unsigned.norm.vmin == 0.0
