"""The largest numbers as bars, the others as one."""

import numpy as np
import pytest

import nearkind as nk
from helpers.pictures import wide
from nearkind.plot import canvas
from nearkind.plot.bars import Bars, leave_room


def note(ax):
    return " ".join(text.get_text() for text in ax.texts).replace("\n", " ")


def test_of_500_features_the_rest_is_one_bar():
    case = wide()
    ax = nk.plot.relevance(case.model)
    names = [tick.get_text() for tick in ax.get_yticklabels()]
    assert len(names) == len(ax.patches) == 31
    assert names[-1] == "470 others"
    assert sum(bar.get_width() for bar in ax.patches) == pytest.approx(100.0)
    screening = nk.plot.metric(case.model)
    assert len(screening.get_xticks()) == 30
    assert "470 others not shown" in note(screening)


def test_bars_are_sorted_and_keep_their_sum():
    values = np.array([0.1, -3.0, 2.0, 0.2, 0.0])
    bars = Bars.of(values, 3)
    assert bars.shown.tolist() == [2, 3, 1]
    assert bars.lengths.sum() == pytest.approx(values.sum())
    assert bars.names(list("abcde")) == ["c", "d", "b", "2 others"]


def drawn(values, width):
    """Draw numbers with long names; return the axes and the texts beyond the bars."""
    bars = Bars.of(np.array(values), 9)
    ax = canvas.axes(None, width, bars.height)
    names = bars.names(["relationship of persons"] * len(values))
    texts = bars.draw(ax, names, [f"{x:.0f} %" for x in bars.lengths], bars.lengths)
    canvas.finish(ax, "title", "note", "label", "feature")
    leave_room(ax, texts)
    canvas.update_layout(ax)
    return ax, [text for text in texts if text in ax.texts]


@pytest.mark.parametrize(
    "values", [[1000, 2, -929], [-3, -3000], [5, 3], [80, -1e-3], [0]]
)
@pytest.mark.parametrize("width", [4.0, 6.6])
def test_texts_stand_between_the_bars_and_the_names(values, width):
    ax, texts = drawn(values, width)
    frame = ax.get_window_extent()
    assert len(texts) == len(values)
    for text, bar in zip(texts, ax.patches, strict=True):
        box, length = text.get_window_extent(), bar.get_window_extent()
        assert frame.x0 <= box.x0 < box.x1 <= frame.x1
        assert box.x1 <= length.x0 or box.x0 >= length.x1


def test_texts_are_left_out_where_they_would_hide_names():
    ax, texts = drawn([1000, 2, -929], 2.2)
    assert not texts
    assert ax.get_xlim()[0] < -929
