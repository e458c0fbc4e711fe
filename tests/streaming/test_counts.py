"""Counts from batches are those of the whole table, in any cut and order."""

import tracemalloc

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers.batch_tables import (
    assert_same,
    counted,
    cuts,
    in_batches,
    learned,
    summarized,
    tables,
)
from nearkind.estimators.batches import BatchSummarizer
from nearkind.streaming import (
    Batch,
    TableCounts,
    column_counts,
    merge_summaries,
    value_counts,
)

pytestmark = pytest.mark.filterwarnings("ignore::nearkind.errors.MixedValuesWarning")
POLICIES = ["auto", "category", "bin", "scale"]


def has_true_and_one(columns):
    """1 and True are equal: which comes first decides what both are called."""
    cells = columns.get("mixed", [])
    return any(cell is True for cell in cells)


@pytest.mark.parametrize("numeric", POLICIES)
@given(data=st.data())
def test_any_cut_equals_the_whole(numeric, data):
    columns, y = data.draw(tables())
    parts = in_batches(columns, y, data.draw(cuts(len(y))))
    assert_same(
        counted(summarized(parts, numeric), numeric), learned(columns, y, numeric)
    )


@given(data=st.data())
def test_any_order_and_grouping_is_the_same(data):
    columns, y = data.draw(tables().filter(lambda t: not has_true_and_one(t[0])))
    parts = in_batches(columns, y, data.draw(cuts(len(y))))
    shuffled = data.draw(st.permutations(parts))
    read, at = (
        BatchSummarizer("Nobody", "auto", 0, 9),
        data.draw(st.integers(0, len(parts))),
    )
    halves = [merge_summaries(map(read, h), 9) for h in (shuffled[:at], shuffled[at:])]
    both = merge_summaries(halves, 9)
    assert_same(counted(both), learned(columns, y))
    straight = summarized(parts, size=9).sample
    assert both.sample.priorities.tolist() == straight.priorities.tolist()
    assert both.sample.labels.tolist() == straight.labels.tolist()


def test_columns_are_found_by_name_and_stand_as_in_the_first_batch():
    first = Batch(0, {"a": [1, 2], "b": ["x", "y"]}, ["n", "m"])
    second = Batch(1, {"b": ["z"], "a": [3]}, ["n"])
    for parts in ([first, second], [second, first]):
        summary = summarized(parts)
        assert counted(summary)[0].names_ == ["a", "b"]
        assert counted(summary)[0].values(1) == ["x", "y", "z"]
        assert sorted(summary.sample.table["a"]) == [1, 2, 3]


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table])
def test_every_library_counts_alike(make):
    columns = {
        "w": ["u", "v", "u", None],
        "n": [1, 2, None, 1],
        "f": [0.5, 1.5, 2.5, None],
    }
    y = ["a", "b", "a", "b"]
    parts = [Batch(i, make(columns), y) for i in range(2)]
    twice = {name: cells * 2 for name, cells in columns.items()}
    assert_same(counted(summarized(parts)), learned(twice, y * 2))


def test_batches_of_other_types_meet_in_the_end():
    numbers = list(range(30))
    parts = [
        Batch(0, {"x": np.arange(30.0)}, ["a", "b"] * 15),
        Batch(1, {"x": ["w"]}, ["a"]),
    ]
    found = counted(summarized(parts))
    assert_same(found, learned({"x": [*numbers, "w"]}, ["a", "b"] * 15 + ["a"]))


def test_declared_categories_stay_levels():
    kinds = pd.DataFrame({"x": pd.Categorical(range(30))})
    parts = [Batch(0, kinds, ["a", "b"] * 15), Batch(1, kinds[:3], ["a", "b", "a"])]
    assert len(counted(summarized(parts))[0].values(0)) == 30


@pytest.mark.parametrize(
    ("other", "words"),
    [
        ({"a": [1]}, "Batch 1 lacks column 'b', which batch 0 has."),
        (
            {"a": [1], "b": [1], "c": [2]},
            "Batch 1 has column 'c', which batch 0 lacks.",
        ),
        ([[1, 2]], "one has names of columns, the other none"),
    ],
)
def test_other_columns_are_refused(other, words):
    parts = [Batch(0, {"a": [1], "b": [2]}, ["x"]), Batch(1, other, ["y"])]
    with pytest.raises(ValueError, match=words):
        summarized(parts)


def test_other_widths_and_labels_are_refused():
    with pytest.raises(ValueError, match="Batch 1 has 1 columns, batch 0 2"):
        summarized([Batch(0, [[1, 2]], ["x"]), Batch(1, [[1]], ["x"])])
    with pytest.raises(TypeError, match="Batch 1 has the label 3, batch 0 'x'"):
        summarized([Batch(0, [[1]], ["x"]), Batch(1, [[1]], [3])])
    with pytest.raises(ValueError, match=r"Batch 4: X has 1 rows, y has 2 labels"):
        summarized([Batch(4, [[1]], ["x", "y"])])
    with pytest.raises(ValueError, match=r"Batch 4: .*missing values: 1 of 2"):
        summarized([Batch(4, [[1], [2]], ["x", None])])


def test_empty_batches_count_nothing():
    empty = Batch(0, pd.DataFrame({"a": []}), [])
    summary = summarized([empty, Batch(1, {"a": ["u", "v"]}, ["x", "y"]), empty])
    assert (summary.counts.n_rows, summary.n_batches) == (2, 3)
    assert TableCounts().n_rows == 0


def test_an_endless_column_is_refused(monkeypatch):
    monkeypatch.setattr(column_counts, "MAX_VALUES", 50)
    parts = [
        Batch(i, {"id": [f"{i}-{j}" for j in range(20)]}, ["x"] * 20) for i in range(3)
    ]
    with pytest.raises(
        ValueError, match="Column 'id' has more than 50 different values"
    ):
        summarized(parts)


def test_missing_cells_can_be_refused():
    from nearkind.encoding.codebook import Codebook

    summary = summarized([Batch(0, {"a": [None, "u", None]}, ["x", "y", "x"])])
    with pytest.raises(
        ValueError, match="Column 'a' has 2 missing values; missing='error'"
    ):
        summary.counts.fit_codebook(Codebook(missing="error"))


def test_memory_does_not_grow_with_rows(monkeypatch):
    monkeypatch.setattr(value_counts, "BUFFER_SIZE", 2_000)

    def rows(n_batches):
        for number in range(n_batches):
            rng = np.random.default_rng(number)
            X = {"w": rng.integers(50, size=4000), "x": rng.normal(size=4000).round(2)}
            yield Batch(number, X, rng.integers(2, size=4000))

    def peak(n_batches):
        tracemalloc.start()
        summarized(rows(n_batches), size=500)
        _, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        return most

    peak(2)
    assert peak(40) < 1.3 * peak(10)
