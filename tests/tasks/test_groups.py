"""What groups are like: shares and lifts, their tree, and whether they come again."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy.cluster.hierarchy import fcluster, is_valid_linkage

import nearkind as nk

SHOPS = pd.DataFrame(
    {
        "kind": ["tea"] * 6 + ["beer"] * 4,
        "town": ["Rome", "Oslo"] * 5,
        "rent": [1, 2, 3, 4, 5, 6, 70, 80, 90, None],
    }
)


def test_shares_and_lifts_are_those_of_counting():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.integers(0, 3, (60, 4)).astype(str), columns=list("abcd"))
    weights = rng.integers(1, 4, 60)
    model = nk.KMedoids("gower", 3, random_state=0).fit(X, sample_weight=weights)
    for group in model.groups_:
        inside = model.labels_ == group.number
        assert group.size == model.cluster_sizes_[group.number] == weights[inside].sum()
        assert group.representative == model.medoid_indices_[group.number]
        assert [value.column for value in group.typical] == list("abcd")
        for value in (*group.typical, *group.apart):
            has = (X[value.column] == value.value).to_numpy()
            share = weights[inside & has].sum() / weights[inside].sum()
            overall = weights[has].sum() / weights.sum()
            assert value.share == pytest.approx(share)
            assert value.lift == pytest.approx(share / overall)
        for value in group.typical:
            counts = (
                X[inside].groupby(value.column).apply(lambda r: weights[r.index].sum())
            )
            assert value.share == pytest.approx(counts.max() / weights[inside].sum())


def test_numbers_come_as_quarters_and_missing_cells_by_name():
    X = pd.DataFrame({"kind": ["a"] * 40 + ["b"] * 40, "n": [*range(40)] + [None] * 40})
    groups = nk.KMedoids("hamming", 2, random_state=0).fit(X).groups_
    told = {value.in_words() for group in groups for value in group.apart}
    assert "n: missing (100%, lift 2.0)" in told
    ranges = {value.value for g in groups for value in g.apart if value.column == "n"}
    assert ranges <= {"0 to 9", "10 to 19", "20 to 29", "30 to 39", None}


def test_the_row_at_the_border_has_the_smallest_gap():
    model = nk.KMedoids("gower", 2, random_state=0).fit(SHOPS)
    d = np.sort(model.transform(SHOPS), axis=1)
    for group in model.groups_:
        gap = np.where(model.labels_ == group.number, d[:, 1] - d[:, 0], np.inf)
        assert gap[group.borderline] == pytest.approx(gap.min())
    (one,) = nk.KMedoids("gower", 1).fit(SHOPS).groups_
    assert d.shape == (10, 2)
    assert one.share == 1.0
    assert one.apart == []


@pytest.mark.parametrize("kind", [pd.DataFrame, pl.from_pandas])
def test_groups_come_in_the_users_kind_of_table(kind):
    told = nk.KMedoids("gower", 2, random_state=0).fit(kind(SHOPS)).describe()
    assert type(told).__module__.split(".")[0] in ("pandas", "polars")
    assert type(told) is type(kind(SHOPS))
    assert list(told["size"]) == [4.0, 6.0]
    assert "kind: tea (100%, lift 1.7)" in told["sets_apart"][1]
    assert told["typical"][0].startswith("kind: beer (100%)")


def test_the_tree_is_that_of_scipy():
    model = nk.KMedoids("gower", 3, random_state=0).fit(SHOPS)
    tree = model.linkage(SHOPS, "complete")
    assert is_valid_linkage(tree)
    d = model.distance_.pairwise_distances(SHOPS)
    assert tree[-1, 2] == pytest.approx(d.max())
    assert set(fcluster(tree, 2, "maxclust")) == {1, 2}
    assert model.linkage().shape == (2, 4)
    with pytest.raises(ValueError, match="'single', 'complete'"):
        model.linkage(method="ward")
    with pytest.raises(ValueError, match="2 to max_rows"):
        model.linkage(SHOPS[:1])


def test_clear_groups_are_stable():
    X = pd.concat([SHOPS[["kind"]]] * 3)
    model = nk.KMedoids("hamming", [2, 3]).fit(X.assign(town=SHOPS["town"]))
    found = model.stability(X.assign(town=SHOPS["town"]), 4)
    assert set(found) == set(model.silhouettes_)
    assert all(-1.0 <= share <= 1.0 for share in found.values())
    two = nk.KMedoids("hamming", 2).fit(X)
    assert two.stability(X, 3) == {2: 1.0}
    with pytest.raises(ValueError, match="n_resamples"):
        two.stability(X, 0)
