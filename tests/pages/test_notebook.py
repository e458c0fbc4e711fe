"""A page as an object: in a notebook, and saved."""

from html.parser import HTMLParser

import polars as pl
import pytest

import nearkind as nk
from helpers.estimator_tables import labelled_table

X, y = labelled_table(40)


class Frames(HTMLParser):
    """Collects what frames hold."""

    def __init__(self):
        super().__init__()
        self.held = []

    def handle_starttag(self, tag, attrs):
        if tag == "iframe":
            self.held.append(dict(attrs))


@pytest.fixture(scope="module")
def model():
    return nk.CPMLClassifier("hamming").fit(X, y)


def test_it_shows_itself_and_is_saved(model, tmp_path):
    page = nk.report(model, X, y, name="<food>")
    assert repr(page) == "Report(title='CPMLClassifier on <food>')"
    reader = Frames()
    reader.feed(page._repr_html_())
    [frame] = reader.held
    assert frame["srcdoc"] == page.html
    assert frame["title"] == page.title
    page.save(tmp_path / "page.html")
    assert (tmp_path / "page.html").read_text("utf-8") == page.html
    assert "which is not learned" in page.html


def test_tables_of_every_kind_give_one_page(model):
    wanted = nk.report(model, X, y).html
    assert nk.report(model, pl.from_pandas(X), y).html == wanted
    shuffled = X[X.columns[::-1]]
    assert nk.report(model, shuffled, y.tolist()).html == wanted


def test_without_labels_and_of_a_distance_alone(model):
    assert "they are of" not in nk.report(model, X).html
    alone = nk.baselines.Hamming().fit(X)
    assert nk.report(alone, X, y).title == "Hamming on table"


def test_what_is_refused(model):
    with pytest.raises(ValueError, match="y has 3 labels, but X has 40 rows"):
        nk.report(model, X, y[:3])
    with pytest.raises(TypeError, match="Wanted a fitted CPML"):
        nk.report("model", X)
