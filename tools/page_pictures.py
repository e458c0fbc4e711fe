"""Screenshots of the report page: of a classifier, of a regressor, of a table alone.

    NEARKIND_DATA=folder python -m tools.page_pictures

Models are fitted to rows of adult; the page shows rows that were held out.
"""

import os
import tempfile
from pathlib import Path

import pandas as pd
from playwright.sync_api import sync_playwright

import nearkind as nk

FOLDER = Path(__file__).parents[1] / "docs" / "pictures"
CHROMIUM = os.environ.get("CHROMIUM", "/usr/bin/chromium")
WIDTH, HEIGHT = 1120, 1400
HIDDEN = {
    "page": ["columns", "relevance", "values"],
    "page-number": ["columns", "relevance", "values", "rows"],
    "page-table": ["columns", "relevance", "values"],
}


def people():
    """Return the adult table with numbers as numbers, and its classes."""
    data = nk.datasets.load("adult")
    X = data.X.drop(columns="fnlwgt")
    numbers = ["age", "education-num", "capital-gain", "capital-loss", "hours-per-week"]
    X[numbers] = X[numbers].apply(pd.to_numeric)
    return X, data.y


def reports():
    """Return the pages by the name of their picture."""
    X, y = people()
    rows = X.sample(1_300, random_state=0).index
    train, test = rows[:1_000], rows[1_000:]
    found = {}
    model = nk.CPMLClassifierCV(["discriminant"]).fit(X.loc[train], y[train])
    found["page"] = nk.report(model, X.loc[test], y[test], name="adult")
    age, others = X["age"].astype(float), X.drop(columns="age")
    model = nk.CPMLRegressor().fit(others.loc[train], age[train])
    found["page-number"] = nk.report(model, others.loc[test], age[test], name="adult")
    found["page-table"] = nk.report(X.loc[test], name="adult")
    return found


def main():
    """Write the pictures."""
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM)
        for name, page in reports().items():
            path = Path(folder) / f"{name}.html"
            page.save(path)
            view = {"width": WIDTH, "height": HEIGHT}
            tab = browser.new_page(viewport=view, color_scheme="light")
            tab.goto(path.as_uri())
            hidden = ", ".join(f"#{each}" for each in HIDDEN[name])
            tab.evaluate(
                "(hidden) => document.querySelectorAll(hidden)"
                ".forEach((each) => each.remove())",
                hidden,
            )
            while "Computing" in tab.inner_text("#contributions"):
                tab.wait_for_timeout(500)
            tab.screenshot(path=FOLDER / f"{name}.png")


if __name__ == "__main__":
    main()
