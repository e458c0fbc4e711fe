"""Pictures of a fit: eigenvalues, objective, strengths, and two rows."""

import numpy as np
import pytest

import nearkind as nk
from helpers.pictures import equal_rows, one_feature, small, wide
from nearkind.plot.bars import Bars
from nearkind.plot.candidates import best_by_strength


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
    assert "nothing to share" in note(nk.plot.relevance(model))
    assert "All rows are at one place" in note(nk.plot.rows(*equal_rows()))
    assert "zero at every strength" in note(nk.plot.path(*equal_rows(), [0.1]))


def test_the_objective_and_the_band_below_it():
    model = small(tol=1e-4).model
    ax = nk.plot.convergence(model)
    line, bound = ax.lines
    assert line.get_ydata().tolist() == [record.value for record in model.history_]
    gaps = line.get_ydata() - bound.get_ydata()
    np.testing.assert_allclose(gaps, [record.gap for record in model.history_])
    assert model.stop_reason_ in note(ax)
    assert ax.get_title() == f"Stopped after {model.n_iter_} iterations"


def test_without_a_proof_there_is_no_band():
    ax = nk.plot.convergence(small(constraints="neighbors").model)
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["objective"]
    assert "No gap is proven" in note(ax)


def test_an_objective_that_falls_far_is_on_a_logarithmic_scale():
    case = small()
    model = nk.CPML(tol=0.1).fit(case.X, case.y)
    first, last = model.history_[0], model.history_[-1]
    model.history_ = [first._replace(value=1e3, gap=1e3), last]
    assert nk.plot.convergence(model).get_yscale() == "log"


def test_an_objective_that_was_never_finite_is_said():
    case = small()
    model = nk.CPML(tol=0.1).fit(case.X, case.y)
    model.history_ = [model.history_[0]._replace(value=np.inf, gap=np.inf)]
    assert "No finite objective was recorded" in note(nk.plot.convergence(model))


def test_a_path_has_a_point_for_each_share_in_rising_order():
    case = small()
    ax = nk.plot.path(*case, strengths=[0.5, 0.01, 0.1])
    for line in ax.lines[:4]:
        assert line.get_xdata().tolist() == [0.01, 0.1, 0.5]
    total = sum(line.get_ydata() for line in ax.lines[:4])
    np.testing.assert_allclose(total, 100.0)
    assert len(ax.texts) == 3 + 1  # a rank each, and the note


def test_a_point_of_the_path_is_the_fit_at_that_strength():
    case = small()
    ax = nk.plot.path(*case, strengths=[0.2])
    alone = nk.CPML(tol=0.1, max_iter=20, strength="20%").fit(case.X, case.y)
    found = {line.get_ydata()[0] for line in ax.lines[:4]}
    np.testing.assert_allclose(
        sorted(found), sorted(100.0 * alone.feature_relevance_), rtol=0.2, atol=2.0
    )


def test_of_many_features_seven_have_a_colour_on_the_path():
    ax = nk.plot.path(*wide(), strengths=[0.3])
    names = [text.get_text() for text in ax.get_legend().get_texts()]
    assert len(names) == 8
    assert names[-1] == "493 others"


def test_a_search_is_drawn_from_what_it_tried():
    case = small()
    candidates = [nk.baselines.Hamming(), nk.CPML(tol=0.1, max_iter=5)]
    search = nk.CPMLClassifierCV(candidates, n_neighbors=3, cv=2).fit(case.X, case.y)
    ax = nk.plot.path(search)
    assert ax.get_title() == "What the search tried"
    assert len(ax.lines) == len(set(search.cv_results_["candidate"])) == 2
    highest = max(line.get_ydata().max() for line in ax.lines)
    assert highest == pytest.approx(100.0 * search.cv_results_["accuracy"].max())


def test_the_best_vote_at_each_strength():
    results = {
        "candidate": ["a", "a", "a", "b"],
        "strength": ["1%", "1%", "10%", None],
        "accuracy": [0.5, 0.75, 0.25, 1.0],
    }
    found = best_by_strength(results)
    assert found == {"b": {None: 100.0}, "a": {0.01: 75.0, 0.1: 25.0}}
    assert list(found) == ["b", "a"]


def test_contributions_add_up_to_the_title():
    case = small()
    a, b = case.X.iloc[[0]], case.X.iloc[[1]]
    ax = nk.plot.explanation(case.model, a, b)
    total = case.model.pairwise_distances(a, b, squared=True)[0, 0]
    assert sum(bar.get_width() for bar in ax.patches) == pytest.approx(total)
    assert ax.get_title() == f"Squared distance {total:.3g}"


def test_values_of_both_rows_are_written():
    X = one_feature().X
    first, second = X.iloc[[0]], X[X["shape"] != X["shape"].iloc[0]].iloc[[0]]
    ax = nk.plot.explanation(one_feature().model, first, second)
    both = f"{first['shape'].iloc[0]} \N{RIGHTWARDS ARROW} {second['shape'].iloc[0]}"
    assert both in [text.get_text() for text in ax.texts]


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


def test_colours_of_a_signed_matrix_are_centred_at_zero():
    (image,) = nk.plot.metric(small().model).images
    assert image.norm.vmin == -image.norm.vmax
    (unsigned,) = nk.plot.metric(small(projection="onehot").model).images
    assert unsigned.norm.vmin == 0.0
