"""The spectrum of a learned metric."""

import nearkind as nk
from helpers.pictures import equal_rows, small, wide


def note(ax):
    return " ".join(text.get_text() for text in ax.texts).replace("\n", " ")


def test_eigenvalues_fall_and_the_rank_is_said():
    model = small().model
    ax = nk.plot.spectrum(model)
    heights = [bar.get_height() for bar in ax.patches]
    assert heights == sorted(model.spectrum_.ravel(), reverse=True)[: len(heights)]
    assert ax.get_title() == f"Rank {model.rank_} of 4"
    share = heights[0] / model.spectrum_.sum()
    assert f"{100 * share:.0f} %" in note(ax)


def test_of_many_eigenvalues_forty_at_most_are_drawn():
    ax = nk.plot.spectrum(wide().model)
    assert 8 <= len(ax.patches) <= 40
    assert "500 eigenvalues in all" in note(ax)


def test_a_zero_metric_is_said():
    model = equal_rows().model
    assert "The metric is zero" in note(nk.plot.spectrum(model))
    assert "All rows are at distance zero" in note(nk.plot.relevance(model))
    assert "All rows are at one point" in note(nk.plot.rows(*equal_rows()))
    assert "zero at every strength" in note(nk.plot.path(*equal_rows(), [0.1]))
