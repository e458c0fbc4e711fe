"""Sources of batches."""

import pytest

from nearkind.streaming import check_source, read_batches


def test_lists_and_functions_can_be_read_again():
    batches = [("X", "y"), ["X", "y"]]
    for source in (batches, lambda: iter(batches)):
        check_source(source)
        for _ in range(2):
            assert [batch.number for batch in read_batches(source)] == [0, 1]


@pytest.mark.parametrize("source", [iter([]), (b for b in []), map(abs, [1])])
def test_what_can_be_read_once_is_refused(source):
    with pytest.raises(TypeError, match="read only once"):
        check_source(source)


@pytest.mark.parametrize("source", ["big.parquet", 3, None])
def test_what_is_no_source_is_refused(source):
    with pytest.raises(TypeError, match="Batches are a list"):
        check_source(source)


def test_what_is_no_batch_is_refused():
    with pytest.raises(TypeError, match=r"Batch 1 must be a pair \(X, y\)"):
        list(read_batches([("X", "y"), "X"]))
