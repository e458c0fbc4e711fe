"""Items of the paper by name."""

import pytest

from nearkind.experiments.items import ITEMS, items_named


def test_items_are_found_by_name():
    assert list(items_named([])) == list(ITEMS)
    with pytest.raises(ValueError, match=r"no item 'nois' here\. Did you mean 'noise'"):
        items_named(["nois"])
