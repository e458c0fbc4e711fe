"""Tables that users get back are pandas frames, where there is pandas."""

import sys

import pandas as pd

from helpers.table_cells import cells
from nearkind.tables import frame


def test_frame(monkeypatch):
    made = frame({"a": [1, 2]}, index=["x", "y"])
    pd.testing.assert_frame_equal(made, pd.DataFrame({"a": [1, 2]}, index=["x", "y"]))
    monkeypatch.setitem(sys.modules, "pandas", None)
    assert frame({"a": [1, 2]}, index=["x", "y"]) == {"a": [1, 2]}
    assert cells([[None], ["a"]]) == [None, "a"]
