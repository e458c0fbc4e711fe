"""A page on a regressor."""

import numpy as np
import pandas as pd
import pytest

import nearkind as nk
from helpers.browsing import opened_browser, visited
from nearkind.pages.number_data import number_report
from nearkind.pages.summary import summary

rng = np.random.default_rng(0)
X = {
    "kind": rng.choice(list("abc"), 60).tolist(),
    "size": rng.normal(size=60).round(2).tolist(),
}
Y = np.array([{"a": 0.0, "b": 10.0, "c": 20.0}[kind] for kind in X["kind"]])
Y[0] = 1.0


@pytest.fixture(scope="module")
def model():
    return nk.CPMLRegressor("hamming", n_neighbors=3).fit(pd.DataFrame(X), Y)


def test_errors_and_residuals(model):
    y = [*Y[:-1], None]
    facts = summary(number_report(model, X, "model", "table", y))
    said = dict(facts["lines"]["data"])
    residuals = Y[:-1] - model.predict(pd.DataFrame(X))[:-1]
    rmse = np.sqrt((residuals**2).mean())
    assert said["Root mean squared error"] == f"{rmse:.5g} on 59 rows"
    assert said["Mean absolute error"] == f"{np.abs(residuals).mean():.5g}"
    assert f"{1 - (rmse / Y[:-1].std()) ** 2:.3f}" in said["R²"]
    by_column = {
        each["column"]: each["parts"] for each in facts["numbers"]["residuals"]
    }
    for value, n, mean in by_column["kind"]:
        own = np.array(X["kind"][:-1]) == value
        assert n == own.sum()
        assert mean == pytest.approx(residuals[own].mean())
    assert sum(n for _, n, _ in by_column["size"]) == 59
    assert facts["title"] == "model on table"


def test_without_true_numbers_and_with_text(model):
    facts = summary(number_report(model, X, "model", "table"))
    assert [title for title, _ in facts["lines"]["data"]] == ["Table"]
    assert nk.report(model, X).title == "CPMLRegressor on table"
    with pytest.raises(ValueError, match="must be numbers"):
        nk.report(model, X, list("ab") * 30)


def test_the_page_opens_in_a_browser(model, tmp_path):
    data = number_report(model, X, "model", "table", Y)
    with opened_browser() as browser, visited(browser, tmp_path, data) as visit:
        assert visit.page.locator("#numbers-plot circle").count() == 60
        visit.pick(5)
        wanted = float(model.predict(pd.DataFrame(X))[5])
        assert float(visit.text("#answer .said").split()[1]) == pytest.approx(
            wanted, abs=1e-4
        )
        visit.page.locator("#numbers-plot circle").nth(7).dispatch_event("click")
        assert visit.page.input_value("#row-number") == "7"
