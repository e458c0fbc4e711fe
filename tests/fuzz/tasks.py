"""Rows without labels, numbers as targets and a person's answers, on drawn tables."""

import json
from contextlib import suppress
from functools import cache
from typing import Any

import numpy as np
from hypothesis import strategies as st
from scipy.optimize import linear_sum_assignment

import nearkind as nk
from fuzz.options import SELDOM, distances, settings_of
from fuzz.properties import RefusedError, built, in_a_sentence, same_cells
from fuzz.tables import CELLS, FLOATS, GAPS, cases, labels
from helpers.model_files import loaded, saved
from nearkind.tables import is_missing, read_table

WITHOUT_LABELS = ["gower", "gower", "gower", "unbiased", "ocl", "hamming", "lin", "iof"]
NUMBERS = [CELLS["tenths"], CELLS["small"], st.floats(-1e3, 1e3), st.just(1.0)]
ODD_NUMBERS = [FLOATS, CELLS["tenths"] | GAPS, CELLS["odd"], CELLS["whole"]]
CALIPERS = st.sampled_from([None] * 4 + [0, 0.3, {"a": 1}, {None: 0.5}, -1, "x", {}])
CHOICE = st.sampled_from(["first", "second", "first", "second", "neither", "unsure"])
CHOICES = st.lists(CHOICE, min_size=1, max_size=8)


@st.composite
def unlabelled(draw):
    """An unfitted distance that needs no labels."""
    kind = nk.baselines.all()[draw(st.sampled_from(WITHOUT_LABELS))]
    return kind(**draw(settings_of(kind)))


@st.composite
def tasks(draw):
    """A table, and an estimator of rows without labels."""
    kinds = [nk.NearestRows, nk.NeighborImputer, nk.KMedoids, nk.NearestOutliers]
    kind = draw(st.sampled_from(kinds))
    return draw(cases()), kind(draw(unlabelled()), **draw(settings_of(kind)))


@st.composite
def pairings(draw):
    """A table, how many of its rows are those of A, and settings of match."""
    case = draw(cases())
    settings: dict[str, Any] = {"caliper": draw(CALIPERS)}
    if draw(SELDOM):
        settings["exact"] = draw(st.sampled_from([["a"], ["none"], "b"]))
    if draw(SELDOM):
        settings |= {"one_to_one": False, "n_neighbors": draw(st.integers(0, 3))}
    return case, draw(unlabelled()), draw(st.integers(1, case.n_rows)), settings


@st.composite
def regressions(draw):
    """A table with numbers for labels, and an estimator of numbers."""
    case, sound = draw(cases()), not draw(SELDOM)
    case = case._replace(weights=case.weights if draw(SELDOM) else None)
    numbers = draw(st.sampled_from(NUMBERS if sound else ODD_NUMBERS))
    y = draw(st.lists(numbers, min_size=case.n_rows, max_size=case.n_rows))
    y = draw(labels(case.n_rows)) if draw(SELDOM) else y
    kind = draw(st.sampled_from([nk.CPMLRegressor] * 3 + [nk.CPMLRegressorCV]))
    metric, settings = draw(distances(sound)), draw(settings_of(kind, sound))
    if kind is nk.CPMLRegressorCV:
        metric, settings = [metric], {"cv": 2, **settings}
    return case._replace(labels=y), kind(metric, **settings)


def cells_of(table):
    """Return the cells of each column of a table of any kind."""
    table = read_table(table)
    return [table.column(d).cells() for d in range(len(table.names))]


def done_or_refused(check):
    """Return a property: a sentence that refuses, or a check that passes."""

    def answered_or_refused(case, *given):
        table = built(case.table)
        if table is None:
            return "not built"
        try:
            check(case, table, *given)
        except RefusedError:
            return "refused"
        return "answered"

    return answered_or_refused


@done_or_refused
def task_or_refuse(case, table, task):
    """What a task finds is what all distances say, also after it was saved."""
    in_a_sentence(task.fit, table)
    D = in_a_sentence(task.metric_.pairwise_distances, table)
    check, ask = TASKS[type(task)]
    check(task, table, D)
    again = loaded(in_a_sentence(saved, task))
    found, wanted = in_a_sentence(ask, again, table), in_a_sentence(ask, task, table)
    assert same_cells(found, wanted)


def nearest_rows(model, table, D):
    """The k nearest rows are those of a sorted line of all distances."""
    k = min(model.n_neighbors, len(D))
    found, numbers = in_a_sentence(model.kneighbors, table, k)
    tie = 1e-6 * (1.0 + np.max(D, where=np.isfinite(D), initial=0.0))
    np.testing.assert_allclose(found, np.sort(D, axis=1)[:, :k], rtol=1e-6, atol=tie)
    listed = np.take_along_axis(D, numbers, axis=1)
    np.testing.assert_allclose(found, listed, rtol=1e-6, atol=tie)
    distances, rows = in_a_sentence(model.radius_neighbors, table)
    for line, near, here in zip(D, distances, rows, strict=True):
        assert (np.diff(near) >= 0.0).all()
        assert set(np.flatnonzero(line <= model.radius - tie)) <= set(here.tolist())
        assert set(here.tolist()) <= set(np.flatnonzero(line <= model.radius + tie))
    if len(D) > 1:
        assert len(in_a_sentence(model.neighbors, table, 1)["row"]) == len(D)
        in_a_sentence(model.explain, 0, 1)


def imputer(model, table, _):
    """Known cells stay; others get a value of their column, if it has any."""
    before, after = cells_of(table), cells_of(in_a_sentence(model.transform, table))
    n_filled = 0
    for old, new in zip(before, after, strict=False):
        known = [x for x in old if not is_missing(x)]
        for a, b in zip(old, new, strict=True):
            if not is_missing(a):
                assert a == b, (a, b)
            elif known:
                n_filled += 1
                assert b in known, (b, known)
            else:
                assert is_missing(b)
    certainty = np.asarray(in_a_sentence(model.certainty, table)["certainty"])
    assert len(certainty) == n_filled
    assert ((certainty >= 0.0) & (certainty <= 1.0)).all()


def medoids(model, table, D):
    """Each row is in the group of a nearest medoid; groups are described."""
    to_medoids = D[:, model.medoid_indices_]
    own = to_medoids[np.arange(len(D)), model.labels_]
    tie = 1e-6 * (1.0 + np.max(D, where=np.isfinite(D), initial=0.0))
    assert (own <= to_medoids.min(axis=1) + tie).all()
    if np.isfinite(own).all():
        np.testing.assert_allclose(model.inertia_, own.sum(), rtol=1e-6, atol=tie)
    sizes = np.asarray(in_a_sentence(model.describe)["size"])
    assert sizes.sum() == len(D)
    assert len(sizes) == model.n_clusters_


def outliers(model, table, D):
    """Scores are numbers, and the marks are those of the offset."""
    scores = in_a_sentence(model.score_samples, table)
    assert scores.shape == (len(D),)
    assert not np.isnan(scores).any()
    assert set(in_a_sentence(model.predict, table)) <= {-1, 1}


TASKS = {
    nk.NearestRows: (nearest_rows, lambda model, X: model.kneighbors(X, 1)),
    nk.NeighborImputer: (imputer, lambda model, X: cells_of(model.transform(X))),
    nk.KMedoids: (medoids, lambda model, X: model.predict(X)),
    nk.NearestOutliers: (outliers, lambda model, X: model.score_samples(X)),
}


@done_or_refused
def match_or_refuse(case, table, metric, n_of_a, settings):
    """Pairs are as many and as near as an assignment over all pairs allows."""
    A = built(case.table, range(n_of_a))
    B = built(case.table, range(case.n_rows - n_of_a, case.n_rows))
    if A is None or B is None:
        return
    pairs = in_a_sentence(nk.match, A, B, metric, **settings)
    a, b, d = (np.asarray(pairs[name]) for name in ("a", "b", "distance"))
    assert len(pairs["reason"]) == len(a)
    if not settings.get("one_to_one", True) or not len(a):
        return
    assert len(set(a.tolist())) == len(set(b.tolist())) == len(a)
    cells = cells_of(A), cells_of(B)
    whole = {n: [*x, *y] for n, x, y in zip("abcdefgh", *cells, strict=False)}
    is_declared = case.container == "pandas categorical"
    plain = [*case.names] == [*whole] and set(settings) == {"caliper"}
    if is_declared or not plain or isinstance(settings["caliper"], dict):
        return
    D = metric.fit(whole).pairwise_distances(whole)[:n_of_a, n_of_a:]
    np.testing.assert_allclose(D[a, b], d, atol=1e-6)
    most = np.inf if settings["caliper"] is None else settings["caliper"]
    allowed = np.isfinite(D) & (most + 1e-7 >= D)
    cost = np.where(allowed, D, 1e3 * (1.0 + D[allowed].max(initial=0.0)))
    rows, columns = linear_sum_assignment(cost)
    chosen = allowed[rows, columns]
    assert len(a) == chosen.sum()
    assert d.sum() <= cost[rows, columns][chosen].sum() + 1e-6 * (1 + len(a))


@done_or_refused
def number_or_refuse(case, table, model):
    """Numbers are finite and between the ends of their intervals; files keep them."""
    weights = {} if case.weights is None else {"sample_weight": case.weights}
    in_a_sentence(model.fit, table, case.labels, **weights)
    numbers = in_a_sentence(model.predict, table)
    assert numbers.shape == (case.n_rows,)
    assert np.isfinite(numbers).all(), "a number that is not finite"
    again = loaded(in_a_sentence(saved, model))
    np.testing.assert_array_equal(in_a_sentence(again.predict, table), numbers)
    with suppress(RefusedError):  # of few rows there are no intervals
        low, high = in_a_sentence(model.predict_interval, table).T
        assert (low <= high).all()
        quantiles = in_a_sentence(model.predict_quantiles, table, [0.1, 0.5, 0.9])
        assert (np.diff(quantiles) >= 0.0).all()


@done_or_refused
def ask_or_refuse(case, table, kind, choices):
    """Questions differ from each other, answers are kept as JSON, and a CPML learns."""
    asked = in_a_sentence(nk.Questions, table, kind=kind)
    for choice in choices:
        question = in_a_sentence(asked.ask)
        if question is None:
            break
        assert len({*question.rows}) == len(question.rows)
        asked.answer(question, choice)
    progress = in_a_sentence(asked.progress)
    assert 0.5 <= progress.certainty <= 1.0
    state = json.loads(json.dumps(asked.state))
    other = nk.Questions(table, kind=kind).merge(state)
    assert other.answers == asked.answers
    assert np.isfinite(
        in_a_sentence(in_a_sentence(other.fit).pairwise_distances, table)
    ).all()


@done_or_refused
def page_or_refuse(_case, table):
    """A page on a table alone can be written, and cells are no part of its script."""
    html = in_a_sentence(nk.report, table).html
    html.encode("utf-8")
    assert html.count("<script") == n_scripts()


@cache
def n_scripts():
    """Return how many scripts a page has."""
    return nk.report({"a": ["x", "y"]}).html.count("<script")
