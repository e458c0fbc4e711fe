"""What a page says is odd in its table."""

import numpy as np
import pandas as pd

import nearkind as nk
from helpers.browsing import report_data
from nearkind.baselines import Hamming
from nearkind.pages.overview import oddity_lines
from nearkind.pages.page import page
from nearkind.pages.summary import summary


def table(n_rows=80):
    y = np.tile(["no", "yes"], n_rows // 2)
    X = pd.DataFrame(
        {
            "copy": np.where(y == "no", "a", "b"),
            "unit": "kg",
            "town": ["Rome", "Rome", "Oslo", "Oslo"] * (n_rows // 4),
        },
        dtype=object,
    )
    X.loc[0, "town"] = "<b>rome</b>"
    X.loc[1, "town"] = "<B>rome</B>"
    y[:2] = "yes", "no"
    return X, y


def test_columns_values_and_equal_rows_are_told():
    X, y = table()
    X.loc[4, "town"] = "rome"
    data = report_data(nk.CPMLClassifier(Hamming(), n_neighbors=1).fit(X, y), X, y)
    told = dict(oddity_lines(data))
    assert "Leaks the label: it alone predicts 9" in told["Column 'copy'"]
    assert told["Column 'unit'"] == "Has one value."
    assert told["Values of 'town'"].endswith(": spelled alike.")
    assert "Equal rows of different classes" not in told
    y[2] = "yes"
    told = dict(oddity_lines(report_data(data.model, X, y)))
    assert (
        "No model can have an accuracy above" in told["Equal rows of different classes"]
    )
    assert "Are equal and have 'no' (19), 'yes' (1)." in told.values()


def test_without_classes_columns_and_values_are_told():
    X, _ = table()
    data = report_data(Hamming().fit(X), X)
    titles = {title for title, _ in oddity_lines(data)}
    assert titles == {"Column 'unit'", "Values of 'town'"}


def test_a_classifier_without_classes_in_the_table():
    X, y = table()
    data = report_data(nk.CPMLClassifier("hamming").fit(X, y), X)
    assert {title for title, _ in oddity_lines(data)} == {
        "Column 'unit'",
        "Values of 'town'",
    }


def test_a_plain_table_has_nothing_odd():
    X, y = [["a", "x"], ["b", "y"], ["a", "y"], ["b", "x"]] * 6, [0, 0, 1, 1] * 6
    X = pd.DataFrame(X, columns=["one", "two"], dtype=object)
    assert oddity_lines(report_data(nk.CPMLClassifier("hamming").fit(X, y), X, y)) == []


def test_markup_in_the_table_stays_text():
    X, y = table()
    facts = summary(report_data(nk.CPMLClassifier("hamming").fit(X, y), X, y))
    assert any("<b>rome</b>" in text for _, text in facts["oddities"])
    assert "<b>rome" not in page(facts)
