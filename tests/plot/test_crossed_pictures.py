"""Pictures of a model with crosses show a pair as a pair."""

import matplotlib.pyplot as plt
import pytest

import nearkind as nk

pytestmark = pytest.mark.filterwarnings(
    "ignore::sklearn.exceptions.ConvergenceWarning",
)


@pytest.fixture(scope="module")
def monks():
    data = nk.datasets.load("monks1")
    settings = {"crosses": [("a1", "a2"), ("a4", "a3")], "max_iter": 20}
    return nk.CPML(**settings).fit(data.X, data.y), data.X, data.y


@pytest.fixture(autouse=True)
def closed():
    yield
    plt.close("all")


def texts(ax):
    """Return all texts of a picture, labels of its ticks among them."""
    ticks = [*ax.get_xticklabels(), *ax.get_yticklabels()]
    return [text.get_text() for text in [*ticks, *ax.texts]]


def test_pairs_are_named_beside_columns(monks):
    model, X, y = monks
    for ax in (
        nk.plot.relevance(model),
        nk.plot.relevance(model, X, y, n_resamples=3),
        nk.plot.metric(model),
        nk.plot.explanation(model, X.iloc[0], X.iloc[250]),
    ):
        assert "a1 x a2" in texts(ax)
    ax = nk.plot.path(model, X, y)
    assert "a1 x a2" in [text.get_text() for text in ax.get_legend().get_texts()]


def test_pairs_of_values_are_on_a_map_and_in_an_explanation(monks):
    model, X, y = monks
    shown = " ".join(texts(nk.plot.values(model, "a1 x a2")))
    assert "1 x 2" in shown
    wanted = f"{X['a1'][0]} x {X['a2'][0]}"
    ax = nk.plot.explanation(model, X.iloc[0], X.iloc[250])
    assert any(text.startswith(wanted) for text in texts(ax))
    nk.plot.rows(model, X, y)
    nk.plot.spectrum(model)
