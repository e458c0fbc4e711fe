"""Tuples of row numbers are read from anything, or refused by position."""

import re

import numpy as np
import pandas as pd
import polars as pl
import pytest

from nearkind.constraints.row_tuples import read_tuples
from nearkind.constraints.stated import PAIRS, QUADRUPLETS, TRIPLETS

ROWS = [(0, 1, 2), (3, 4, 5)]
FRAME = pd.DataFrame(ROWS, columns=list("ijk"), index=[7, 9])


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
        (TRIPLETS, [(0, 1, None)], "holds None, which is no row number"),
        (TRIPLETS, [(0, 1, "2")], "holds '2', which is no row number"),
        (TRIPLETS, [(0, True, 2)], "holds True, which is no row number"),
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
