"""Stated constraints: how tuples are read, several kinds at once, conflicts."""

import itertools
import re
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import nearkind as nk
from helpers import oracles
from helpers.strategies import distances
from nearkind.constraints.comparisons import (
    PAIRS,
    QUADRUPLETS,
    TRIPLETS,
    read_stated,
    read_tuples,
    stated_constraints,
)
from nearkind.losses.hinge import Hinge

ROWS = [(0, 1, 2), (3, 4, 5)]
FRAME = pd.DataFrame(ROWS, columns=list("ijk"), index=[7, 9])
N_ROWS = 5
PLACES = np.array([0, 1, 2, 3, 0])  # rows 0 and 4 are equal
ROW = st.integers(0, N_ROWS - 1)
DRAWN = {
    "triplets": st.tuples(ROW, ROW, ROW).filter(lambda t: t[1] != t[2]),
    "pairs": st.tuples(ROW, ROW, st.sampled_from([-1, 1])),
    "quadruplets": st.tuples(ROW, ROW, ROW, ROW).filter(
        lambda t: set(t[:2]) != set(t[2:])
    ),
}


def bound(stated, places=PLACES, margin=1.0):
    tables = read_stated(stated, N_ROWS)
    return stated_constraints(tables, np.arange(N_ROWS), places, margin)


def terms(kind, tuple_, margin):
    """Return one constraint as the oracles have it: offset, (i, j, sign) each."""
    if kind == "pairs":
        i, j, side = tuple_
        return 1.0 - side * margin, [(i, j, float(side))]
    i, j, *far = tuple_
    k, m = (i, *far) if kind == "triplets" else far
    return margin, [(i, j, 1.0), (k, m, -1.0)]


@pytest.mark.filterwarnings("ignore::UserWarning")
@given(data=st.data(), d2=distances(N_ROWS), margin=st.sampled_from([0.7, 1.0, 2.0]))
def test_mean_losses_of_all_kinds_are_added(data, d2, margin):
    kinds = data.draw(st.sets(st.sampled_from(sorted(DRAWN)), min_size=1))
    stated = {k: data.draw(st.lists(DRAWN[k], min_size=1, max_size=4)) for k in kinds}
    held = bound(stated, margin=margin)
    value = held.value(d2[held.edges.left, held.edges.right], Hinge())
    expected = sum(
        oracles.mean_loss([terms(kind, t, margin) for t in rows], d2)[0]
        for kind, rows in stated.items()
    )
    np.testing.assert_allclose(value, expected, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(held.shares.sum(), len(kinds))


@pytest.mark.parametrize(
    ("stated", "words"),
    [
        ({"triplets": [(0, 1, 2), (0, 3, 3)]}, "triplets[1] = (0, 3, 3) compares"),
        ({"triplets": [(0, 3, 3)]}, "rows 0 and 3 with itself"),
        ({"quadruplets": [(0, 1, 0, 1)]}, "quadruplets[0] = (0, 1, 0, 1) compares"),
        ({"quadruplets": [(0, 1, 1, 0)]}, "rows 0 and 1 with itself"),
        ({"pairs": [(0, 1, 1), (0, 1, 0)]}, "pairs[1] = (0, 1, 0) has side 0"),
        ({"pairs": [(0, 1, 5)]}, "must be +1 if the rows are alike, -1 if not"),
    ],
)
def test_what_says_nothing_is_refused_by_position(stated, words):
    with pytest.raises(ValueError, match=re.escape(words)):
        read_stated(stated, N_ROWS)


@pytest.mark.parametrize(
    ("stated", "words"),
    [
        ({"triplets": [(1, 2, 3), (0, 1, 4)]}, "triplets[1] = (0, 1, 4)"),
        ({"triplets": [(0, 1, 0)]}, "1 of 1 triplets"),  # nearer than to itself
        ({"triplets": [(1, 0, 4)]}, "1 of 1 triplets"),  # two equal rows
        ({"quadruplets": [(1, 2, 0, 4), (1, 2, 3, 0)]}, "1 of 2 quadruplets"),
        ({"quadruplets": [(1, 0, 4, 1)]}, "1 of 1 quadruplets"),
        ({"pairs": [(0, 4, -1), (2, 2, -1), (0, 4, 1)]}, "2 of 3 pairs"),
    ],
)
def test_rows_that_are_equal_cannot_be_apart(stated, words):
    with pytest.warns(UserWarning, match=re.escape(words)) as caught:
        bound(stated)
    (said,) = caught
    assert "cannot be met by any distance" in str(said.message)


@pytest.mark.parametrize(
    ("stated", "words"),
    [
        (
            {"triplets": [(0, 1, 2), (3, 1, 2), (0, 2, 1)]},
            "2 of 3 triplets contradict others, such as triplets[0] = (0, 1, 2) and "
            "triplets[2] = (0, 2, 1). Both count",
        ),
        ({"triplets": [(0, 1, 2), (4, 2, 1)]}, "2 of 2 triplets"),  # by an equal row
        ({"pairs": [(0, 1, 1), (1, 0, -1)]}, "pairs[0] = (0, 1, 1) and pairs[1] = "),
        ({"pairs": [(0, 1, 1), (1, 4, -1), (0, 1, 1)]}, "3 of 3 pairs"),
        ({"quadruplets": [(0, 1, 2, 3), (3, 2, 1, 0)]}, "2 of 2 quadruplets"),
    ],
)
def test_contradictions_are_told_with_an_example(stated, words):
    with pytest.warns(UserWarning, match=re.escape(words)) as caught:
        bound(stated)
    assert len(caught) == 1


@pytest.mark.parametrize(
    "stated",
    [
        {"triplets": [(0, 1, 2), (0, 1, 2), (1, 0, 2), (2, 0, 1), (1, 1, 2)]},
        {"pairs": [(0, 1, 1), (1, 0, 1), (1, 2, -1), (0, 4, 1)]},
        {"quadruplets": [(0, 1, 2, 3), (1, 0, 3, 2), (0, 4, 2, 3)]},
        {"triplets": [(0, 1, 2)], "pairs": [(0, 2, 1)]},
    ],
)
def test_what_can_be_met_is_taken_without_a_word(stated):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        bound(stated)


@given(rows=st.lists(DRAWN["triplets"], min_size=1, max_size=12))
def test_conflicts_are_those_that_loops_find(rows):
    at = PLACES.tolist()
    places = [tuple(at[row] for row in t) for t in rows]
    hopeless = [i == k or j == k for i, j, k in places]
    live = list(itertools.compress(places, [not h for h in hopeless]))
    opposed = sum((i, k, j) in live for i, j, k in live)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        bound({"triplets": rows})
    said = [str(w.message).split(" triplets ")[0] for w in caught]
    counts = [n for n in (sum(hopeless), opposed) if n]
    assert said == [f"{n} of {len(rows)}" for n in counts]


@pytest.mark.parametrize(
    "stated",
    [
        ROWS,
        [np.array(row) for row in ROWS],
        (row for row in ROWS),
        set(ROWS),
        np.array(ROWS),
        np.array(ROWS, dtype=np.uint8),
        np.array(ROWS, dtype=float),
        np.array(ROWS, dtype=object),
        FRAME,
        FRAME.astype("Int64"),
        pl.DataFrame(FRAME),
        [[np.int32(0), 1.0, 2], [3, 4, 5]],
    ],
    ids=lambda stated: type(stated).__name__,
)
def test_any_table_or_iterable_of_tuples_is_taken(stated):
    table = read_tuples(TRIPLETS, stated, n_rows=6)
    assert table.dtype == np.intp
    assert sorted(map(tuple, table.tolist())) == ROWS


@pytest.mark.parametrize(
    ("form", "stated", "words"),
    [
        (TRIPLETS, [(0, 1, 2), (3, 4, 99)], "triplets[1] = (3, 4, 99) names row 99"),
        (TRIPLETS, [(0, 1, -2)], "triplets[0] = (0, 1, -2) names row -2"),
        (TRIPLETS, [(0, 1, 6)], "rows go from 0 to 5"),
        (TRIPLETS, [(0, 1, 10**30)], "names row 1000000000000000000000000000000"),
        (TRIPLETS, np.array([[0, 1, 2**63]], dtype=np.uint64), "9223372036854775808"),
        (TRIPLETS, [(0, 1, 2), (0, 1.5, 2)], "triplets[1] = (0, 1.5, 2) holds 1.5"),
        (TRIPLETS, np.array([[0, 1, np.nan]]), "holds np.float64(nan)"),
        (TRIPLETS, [(0, 1, None)], "holds None, which is not a row number"),
        (TRIPLETS, [(0, 1, "2")], "holds '2', which is not a row number"),
        (TRIPLETS, [(0, 1, "2")], "number; row numbers are integers from 0 to 5."),
        (TRIPLETS, [(0, True, 2)], "holds True, which is not a row number"),
        (TRIPLETS, np.ones((2, 3), dtype=bool), "holds np.True_"),
        (TRIPLETS, [(0, 1, 2), (0, 1)], "triplets[1] is (0, 1)"),
        (TRIPLETS, np.zeros((4, 2), dtype=int), "got 2 columns"),
        (TRIPLETS, FRAME[["i", "j"]], "got 2 columns"),
        (TRIPLETS, [0, 1, 2], "triplets[0] is 0"),
        (TRIPLETS, ["abc"], "triplets[0] is 'abc'"),
        (TRIPLETS, np.arange(3), "triplets[0] is np.int64(0)"),
        (TRIPLETS, 5, "(i, j, k): i is nearer to j than to k; got int"),
        (TRIPLETS, [], "got none. Leave it out"),
        (TRIPLETS, np.zeros((0, 3), dtype=int), "got none. Leave it out"),
        (TRIPLETS, FRAME[:0], "got none. Leave it out"),
        (PAIRS, [(0, 1)], "tuples (i, j, side): side +1 if alike, -1 if not"),
        (PAIRS, [(0, -1, 1)], "pairs[0] = (0, -1, 1) names row -1"),
        (QUADRUPLETS, [(0, 1, 2)], "tuples (i, j, k, l)"),
    ],
)
def test_what_is_no_row_number_is_refused_by_position(form, stated, words):
    with pytest.raises(ValueError, match=re.escape(words)):
        read_tuples(form, stated, n_rows=6)


def test_the_first_and_the_last_row_are_there():
    assert read_tuples(TRIPLETS, [(0, 5, 5)], n_rows=6).tolist() == [[0, 5, 5]]
    assert read_tuples(PAIRS, [(5, 0, -9)], n_rows=6).tolist() == [[5, 0, -9]]
    assert (TRIPLETS.width, PAIRS.width, QUADRUPLETS.width) == (3, 3, 4)


def test_what_is_none_is_not_stated():
    tables = read_stated({"triplets": None, "pairs": [(0, 1, 1)]}, N_ROWS)
    assert list(tables) == ["pairs"]


@pytest.mark.filterwarnings("ignore:The learned metric is zero")
def test_the_warning_is_of_the_line_that_calls_fit():
    model = nk.CPML(projection="onehot", tol=0.1)
    with pytest.warns(UserWarning, match="1 of 2 triplets cannot be met") as caught:
        model.fit_constraints([["a"], ["b"], ["a"]], triplets=[(0, 1, 2), (0, 2, 1)])
    assert caught[0].filename == __file__
