"""Laws of every picture, on every kind of model."""

import pickle
import sys
from itertools import product

import numpy as np
import pytest
from matplotlib import pyplot, rcParams
from matplotlib.axes import Axes
from sklearn.exceptions import NotFittedError

import nearkind as nk
from helpers.pictures import CASES, DRAW, fitted, small
from helpers.real_files import real_file

pictures = pytest.mark.parametrize("name", DRAW)


def texts(ax):
    """Return the title and both labels."""
    return ax.get_title(), ax.get_xlabel(), ax.get_ylabel()


def test_one_list_names_them_all():
    assert set(nk.plot.all()) == set(DRAW)
    assert set(nk.plot.all()) == set(nk.plot.__all__) - {"all"}
    assert all(nk.plot.all()[name] is getattr(nk.plot, name) for name in DRAW)


@pytest.mark.parametrize("case", CASES)
@pictures
@pytest.mark.covering(1)
def test_it_is_finished(name, case):
    ax = DRAW[name](CASES[case]())
    assert isinstance(ax, Axes)
    assert all(text.strip() for text in texts(ax))
    ax.figure.canvas.draw()  # a letter without a glyph, a broken formula would warn


@pictures
def test_it_draws_on_the_axes_given(name):
    figure, axes = pyplot.subplots(1, 2)
    ax = DRAW[name](small(), ax=axes[1])
    assert ax is axes[1]
    assert axes[1].has_data()
    assert not axes[0].has_data()
    assert pyplot.get_fignums() == [figure.number]


@pictures
def test_it_changes_no_setting_and_no_model(name):
    case, settings = small(), dict(rcParams)
    before = pickle.dumps(case.model)
    DRAW[name](case)
    assert dict(rcParams) == settings
    assert pickle.dumps(case.model) == before


@pictures
def test_a_classifier_stands_for_its_distance(name):
    case = small()
    voter = nk.CPMLClassifier().fit_over(case.model, case.X, case.y)
    assert texts(DRAW[name](case._replace(model=voter))) == texts(DRAW[name](case))


@pictures
def test_an_unfitted_model_is_refused(name):
    for model in (nk.CPML(), nk.CPMLClassifier(), nk.CPMLClassifierCV()):
        with pytest.raises(NotFittedError):
            DRAW[name](small()._replace(model=model))


@pictures
def test_what_is_no_model_is_refused(name):
    with pytest.raises(TypeError, match=r"Wanted a fitted CPML.*got dict"):
        DRAW[name](small()._replace(model={}))


@pictures
def test_without_matplotlib_one_sentence_says_what_to_install(name, monkeypatch):
    case = small()
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(ImportError, match=r'pip install "nearkind\[plot\]"'):
        DRAW[name](case)


STRUCTURES = ("single", "multi", "diagonal", "full")
PIECES = [
    *product(STRUCTURES, ("vdm", "onehot")),
    ("full", "vdm+onehot"),
    ("single", "cooccurrence"),
]


@pytest.mark.parametrize(("structure", "projection"), PIECES)
@pytest.mark.parametrize("name", ["metric", "spectrum", "relevance"])
@pytest.mark.covering(1)
def test_every_structure_and_projection(name, structure, projection):
    case = small(structure=structure, projection=projection)
    DRAW[name](case).figure.canvas.draw()


@pictures
def test_numbers_on_an_axis(name):
    X = small().X.assign(age=np.linspace(18.0, 80.0, len(small().X)))
    model = nk.CPML(tol=0.1, numeric="scale", n_jobs=1).fit(X, small().y)
    DRAW[name](
        small()._replace(model=model, X=X[["age", *small().X]])
    ).figure.canvas.draw()


@pytest.mark.slow
def test_audiology_with_its_24_classes(monkeypatch):
    monkeypatch.setenv("NEARKIND_DATA", str(real_file("audiology").parent))
    data = nk.datasets.load("audiology")
    case = fitted(data.X, data.y)
    for name in set(DRAW) - {"path"}:
        DRAW[name](case).figure.canvas.draw()
    legend = nk.plot.rows(*case).get_legend()
    assert len(legend.get_texts()) == 8
    assert legend.get_texts()[-1].get_text() == "17 others (40)"
