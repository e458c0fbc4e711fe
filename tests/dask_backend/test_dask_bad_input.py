"""Tables of dask that cannot be learned from, each refused with one sentence."""

import dask
import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest

import nearkind as nk
import nearkind.dask
from helpers.dask_tables import SETTINGS, cut, partitions, rows, split

TABLE = rows(300)
X, Y = split(dd.from_pandas(TABLE, npartitions=3))


@pytest.fixture(autouse=True)
def _here():
    with dask.config.set(scheduler="synchronous"):
        yield


def in_parts(*changes):
    """Return the table in three partitions, each changed."""
    parts = partitions(TABLE, 3)
    return cut(change(part) for change, part in zip(changes, parts, strict=True))


def same(part):
    return part


CASES = {
    "other partitions": (
        X,
        Y.repartition(npartitions=2),
        "X has 3 partitions, y has 2",
    ),
    "other divisions": (
        X,
        Y.repartition(divisions=[0, 50, 200, 299]),
        "X is divided at 0, 100, 200, 299, y at 0, 50, 200, 299. Take both from one",
    ),
    "other lengths": (
        X.clear_divisions(),
        split(in_parts(same, lambda part: part[1:], same))[1],
        "Partition 1: X has 100 rows, y has 99 labels",
    ),
    "other lengths of arrays": (
        da.ones((4, 1), chunks=2),
        da.from_array(np.array(list("ababa")), chunks=((2, 3),)),
        "Partition 1: X has 2 rows, y has 3 labels",
    ),
    "a column less": (
        in_parts(same, same, lambda part: part.drop(columns="x")),
        "label",
        "Partition 2 lacks column 'x', which partition 0 has",
    ),
    "dates in a column": (
        in_parts(same, lambda part: part.assign(word=pd.Timestamp("2024-01-01")), same),
        "label",
        "Partition 1: Column 'word'",
    ),
    "no column of labels": (
        in_parts(same, same, lambda part: part.drop(columns="label")),
        "label",
        "Partition 2 lacks column 'label', which holds the labels",
    ),
    "a quoted name": (
        in_parts(same, lambda part: part.assign(**{"batch 7": 0}), same),
        "label",
        "Partition 1 has column 'batch 7', which partition 0 lacks",
    ),
    "a label that is missing": (
        in_parts(same, same, lambda part: part.assign(label=None)),
        "label",
        "Partition 2: Input y contains NaN",
    ),
    "labels of two types": (
        in_parts(same, lambda part: part.assign(label=1), same),
        "label",
        "Partition 1 has the label 1, partition 0 '0'",
    ),
    "labels that are here": (X, TABLE["label"], "got a pandas Series"),
    "no labels": (X, None, "got a builtins NoneType"),
    "a name of no column": (X, "lable", "y='lable' names no column of X"),
    "a column": (
        X["word"],
        Y,
        "A dask table is a DataFrame or a 2-d Array; got a dask",
    ),
    "a task": (dask.delayed(TABLE), Y, "got a dask Delayed"),
    "labels of a task": (X, dask.delayed(TABLE["label"]), "got a dask Delayed"),
}


@pytest.mark.parametrize(("table", "y", "words"), CASES.values(), ids=CASES)
def test_refused(table, y, words):
    with pytest.raises((ValueError, TypeError)) as caught:
        nk.CPML().fit(table, y)
    assert words in str(caught.value)


def test_one_class_teaches_nothing():
    table = dd.from_pandas(TABLE.assign(label="a"), npartitions=2)
    with pytest.raises(ValueError, match="hold only 'a'"):
        nk.CPML().fit(*split(table))


def test_weights_are_not_taken():
    with pytest.raises(ValueError, match="sample_weight is not supported for dask"):
        nk.CPML().fit(X, Y, sample_weight=np.ones(300))


def test_a_step_takes_some_partitions():
    with pytest.raises(ValueError, match="'partitions_a_step' parameter of nearkind"):
        nearkind.dask.fit(nk.CPML(), X, Y, partitions_a_step=0)


def test_distances_that_need_the_whole_table():
    model = nk.CPMLClassifier(nk.baselines.Hamming())
    with pytest.raises(TypeError, match="Hamming requires the whole table"):
        model.fit(X, Y)


def test_a_table_that_is_gone_when_it_is_read_again():
    reads = []

    def once(number):
        reads.append(number)
        return TABLE.assign(few=number) if len(reads) <= 2 else TABLE[:0]

    table = dd.from_map(once, range(2), meta=TABLE[:0])
    with pytest.raises(ValueError, match="Partitions 0 to 1 had rows when they were"):
        nearkind.dask.fit(nk.CPML(**SETTINGS), table, "label", n_remembered=60)


def test_what_a_source_says_stays_as_it_is():
    def unreadable(number):
        return b"\xff".decode()

    table = dd.from_map(unreadable, range(2), meta=TABLE[:0])
    with pytest.raises(UnicodeDecodeError, match="invalid start byte"):
        nk.CPML().fit(table, "label")
