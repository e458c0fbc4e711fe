"""A distance of one class and one line in the registry does all that others do."""

import duckdb
import numpy as np
import pytest
from sklearn.base import BaseEstimator

import nearkind as nk
from nearkind import baselines
from nearkind.distances import PairTables
from nearkind.distances.pair_tables import overlap
from nearkind.estimators.base import SeparableDistance, code_rows
from nearkind.validation.parameters import estimator_class, number

ROWS = [["red", "s"], ["red", "m"], ["blue", "s"], ["blue", "m"]] * 6
LABELS = ["no", "no", "yes", "yes"] * 6


@estimator_class()
class Doubled(SeparableDistance, BaseEstimator):
    """d = factor for every feature in which two rows differ."""

    factor: float = 2.0

    def fit(self, X, y=None, sample_weight=None):
        """Learn the values of each column."""
        factor = number(self, "factor", "a number > 0", 0.0, open_low=True)
        rows = code_rows(self, X, sample_weight=sample_weight)
        tables = [factor * overlap(size + 1) for size in rows.codebook.n_values]
        self.distance_ = PairTables(rows.codebook, tables)
        return self


@pytest.fixture
def classifier(monkeypatch):
    monkeypatch.setitem(baselines.KINDS, "doubled", Doubled)
    return nk.CPMLClassifier("doubled", n_neighbors=3).fit(ROWS, LABELS)


def test_it_answers(classifier):
    d = classifier.metric_.pairwise_distances([["red", "s"]], [["red", "m"]])
    assert d.tolist() == [[2.0]]
    assert classifier.score(ROWS, LABELS) == 1.0


def test_it_saves(classifier, tmp_path):
    for model in (classifier, classifier.metric_):
        nk.save(model, tmp_path / "a.nearkind")
        again = nk.load(tmp_path / "a.nearkind")
        assert type(again) is type(model)
        both = [m.distance_.pairwise_distances(ROWS) for m in (model, again)]
        np.testing.assert_array_equal(*both)


def test_it_exports(classifier, tmp_path):
    nk.export.write(classifier, tmp_path / "a.sql", "sql")
    connection = duckdb.connect()
    connection.execute("CREATE TABLE rows (x0 VARCHAR, x1 VARCHAR)")
    connection.executemany("INSERT INTO rows VALUES (?, ?)", ROWS[:4])
    script = (tmp_path / "a.sql").read_text()
    assert "CREATE" in script
    connection.close()


def test_it_explains(classifier):
    parts = classifier.explain(["red", "s"], ["blue", "s"])
    assert list(parts["feature"]) == ["x0", "x1"]
    assert list(parts["contribution"]) == [2.0, 0.0]
    assert classifier.explain(["red", "s"]).predicted == "no"


def test_it_draws(classifier):
    page = nk.report(classifier, ROWS, LABELS)
    assert "Doubled" in page.html
    ax = nk.plot.relevance(classifier)
    assert len(ax.patches) >= 2
