"""The objective over the iterations."""

import numpy as np

import nearkind as nk
from helpers.pictures import small


def note(ax):
    return " ".join(text.get_text() for text in ax.texts).replace("\n", " ")


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
