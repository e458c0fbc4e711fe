"""The largest numbers as bars, the others as one."""

import numpy as np
import pytest

import nearkind as nk
from helpers.pictures import wide
from nearkind.plot.bars import Bars


def note(ax):
    return " ".join(text.get_text() for text in ax.texts).replace("\n", " ")


def test_of_500_features_the_rest_is_one_bar():
    case = wide()
    ax = nk.plot.relevance(case.model)
    names = [tick.get_text() for tick in ax.get_yticklabels()]
    assert len(names) == len(ax.patches) == 31
    assert names[-1] == "470 others"
    assert sum(bar.get_width() for bar in ax.patches) == pytest.approx(100.0)
    heat = nk.plot.metric(case.model)
    assert len(heat.get_xticks()) == 30
    assert "470 others not shown" in note(heat)


def test_bars_are_sorted_and_keep_their_sum():
    values = np.array([0.1, -3.0, 2.0, 0.2, 0.0])
    bars = Bars.of(values, 3)
    assert bars.shown.tolist() == [2, 3, 1]
    assert bars.lengths.sum() == pytest.approx(values.sum())
    assert bars.names(list("abcde")) == ["c", "d", "b", "2 others"]
