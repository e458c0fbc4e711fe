"""Doubtful labels: judged by others, the same in any order, and found where flipped."""

import numpy as np
import pytest

import nearkind as nk
from nearkind.tasks import doubtful_labels as module
from nearkind.tasks.audited_rows import AuditedRows
from nearkind.tasks.doubtful_labels import contradicted, doubtful_labels, judge


@pytest.fixture(scope="module")
def flipped():
    """Return a table that follows a rule, with ten wrong labels, and their rows."""
    data = nk.datasets.load("monks1", as_frame=False)
    y, wrong = data.y.copy(), np.random.default_rng(0).choice(432, 10, replace=False)
    y[wrong] = np.where(y[wrong] == "0", "1", "0")
    return data.X, y, set(wrong.tolist())


def found(X, y, metric="hamming", **settings):
    rows = AuditedRows.of(X, y)
    return doubtful_labels(rows, judge(rows, metric, **settings))


def test_wrong_labels_are_found(flipped):
    X, y, wrong = flipped
    listed = found(X, y, None)
    assert {each.row for each in listed} == wrong
    for each in listed:
        assert each.suggested != each.label == y[each.row]
        assert each.sure >= 0.8
        assert each.probability < 0.2
        assert len(each.neighbors) == 5
        assert {y[row] for row in each.neighbors} == {each.suggested}
    assert [each.sure for each in listed] == sorted(
        (each.sure for each in listed), reverse=True
    )


def test_the_order_of_rows_does_not_matter(flipped):
    X, y, _ = flipped
    order = np.random.default_rng(1).permutation(len(y))
    rows, turned = AuditedRows.of(X, y), AuditedRows.of(X[order], y[order])
    given = judge(rows, "hamming").proba
    np.testing.assert_allclose(judge(turned, "hamming").proba, given[order])


def test_equal_rows_of_one_label_are_judged_alike():
    X, y = [["a"], ["a"], ["b"], ["a"]] * 10, [0, 1, 1, 0] * 10
    proba = judge(AuditedRows.of(X, y), "hamming").proba
    assert len(np.unique(proba.round(12), axis=0)) == 3


def test_a_row_does_not_speak_for_itself():
    """Rows unlike all others have labels that nobody else can know."""
    rng = np.random.default_rng(0)
    X = [[f"a{i}", f"b{i}"] for i in range(120)]
    y = rng.integers(0, 2, 120)
    for metric in ("hamming", "euclidean"):
        proba = judge(AuditedRows.of(X, y), metric).proba
        assert abs(proba[np.arange(120), y].mean() - 0.5) < 0.06


def test_the_same_seed_gives_the_same(flipped):
    X, y, _ = flipped
    assert found(X, y, random_state=3) == found(X, y, random_state=3)


def test_rows_beyond_those_that_teach_are_judged_too(flipped, monkeypatch):
    X, y, wrong = flipped
    monkeypatch.setattr(module, "MOST_TAUGHT", 300)
    rows = AuditedRows.of(X, y)
    judgement = judge(rows, None)
    assert len(judgement.taught) <= 302
    listed = doubtful_labels(rows, judgement)
    assert len(wrong & {each.row for each in listed}) >= 8
    for each in listed:
        assert set(each.neighbors) <= set(judgement.taught.tolist())


def test_doubt_is_as_the_rule_says():
    rng = np.random.default_rng(0)
    proba = rng.dirichlet(np.ones(3) * 0.4, 200)
    y = rng.integers(0, 3, 200)
    rows, suggested, sure = contradicted(proba, y)
    typical = [min(proba[y == c, c].mean(), 0.9) for c in range(3)]
    wanted = []
    for i in range(200):
        other = max((c for c in range(3) if c != y[i]), key=lambda c: proba[i, c])
        share = proba[i, other] / (proba[i, other] + proba[i, y[i]])
        assert suggested[i] == other
        if proba[i, other] >= typical[other] and share >= 0.8:
            wanted.append((-share, i))
    assert rows.tolist() == [i for _, i in sorted(wanted)]
    np.testing.assert_allclose(-sure[rows], [share for share, _ in sorted(wanted)])


def test_a_sure_contradiction_need_not_be_as_sure_as_is_usual():
    proba = np.array([[0.99, 0.01]] * 9 + [[0.01, 0.99]] * 9 + [[0.08, 0.92]])
    y = np.repeat([0, 1, 0], [9, 9, 1])
    assert contradicted(proba, y)[0].tolist() == [18]
