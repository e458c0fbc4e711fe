"""What a notebook shows of a fitted model."""

import pytest
from sklearn import config_context

import nearkind as nk
from helpers.committees import with_members
from helpers.estimator_tables import labelled_table
from helpers.racers import few

X, y = labelled_table(60)
QUICK = nk.CPML(tol=0.05, max_iter=30)
pytestmark = pytest.mark.filterwarnings("ignore::nearkind.errors.NearlyUniqueWarning")


def shown(model):
    html = model._repr_html_()
    assert model._repr_mimebundle_()["text/html"].count("<tr>") == html.count("<tr>")
    return html


def test_before_fit_there_is_the_box_alone():
    for model in (QUICK, nk.CPMLClassifier(), nk.CPMLClassifierCV()):
        assert "Share of each column" not in shown(model)
        assert "sk-" in shown(model)


def test_a_distance_shows_its_columns():
    html = shown(nk.CPML(tol=0.05).fit(X, y))
    assert "Share of each column in the distance between two rows" in html
    for name in X.columns:
        assert f">{name}</th>" in html
    assert "Share" not in shown(nk.baselines.Hamming().fit(X))


def test_a_search_shows_accuracy_and_members():
    members = [nk.CPMLClassifier(m).fit(X, y) for m in ("hamming", QUICK)]
    model = with_members(few(n_jobs=1).fit(X, y), members)
    html = shown(model)
    assert f"cross-validated accuracy {model.held_accuracy_:.1%}" in html
    assert "votes by Hamming()" in html
    assert "the best learned one of 2 distances" in html


def test_columns_of_the_table_and_of_transform_are_not_confused():
    html = shown(nk.CPMLClassifier(QUICK).fit(X, y))
    assert "<p>fitted to 4 columns of 60 rows</p>" in html
    n_outputs = nk.CPMLClassifier(QUICK).fit(X, y).transform(X).shape[1]
    assert f"<div>{n_outputs} features</div>" not in html


def test_names_are_no_markup_and_many_are_cut():
    wide = X.assign(**{f"<b>{i}</b>": X["noise"] for i in range(10)})
    html = shown(nk.CPMLClassifier("hamming").fit(wide, y))
    assert "<b>1</b>" not in html
    assert "<p>and 4 more</p>" in html
    assert "not learned" in html


def test_plain_text_on_request():
    model = nk.CPMLClassifier("hamming").fit(X, y)
    with config_context(display="text"):
        assert "text/html" not in model._repr_mimebundle_()
