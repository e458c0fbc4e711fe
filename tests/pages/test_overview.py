"""A page on a table without labels."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

import nearkind as nk
from helpers.browsing import opened_browser, visited
from nearkind.pages.overview import column_facts, overview
from nearkind.pages.summary import summary


def shops(n_rows=60):
    rng = np.random.default_rng(0)
    kind = rng.integers(0, 2, n_rows)
    city = np.where(kind, "NY", "LA").astype(object)
    city[3] = "N.Y."
    size = 10.0 * kind + rng.normal(size=n_rows).round(3)
    table = pd.DataFrame({"city": city, "size": size, "open": kind == 1})
    table.loc[5, "size"], table.loc[6, "city"] = None, None
    table.loc[7, "size"] = 500.0
    table.loc[8] = table.loc[9]
    return table


def cells(table):
    return {
        name: [None if pd.isna(x) else x for x in table[name]] for name in table.columns
    }


def test_columns_groups_outliers_and_problems_are_told():
    X = cells(shops())
    data = overview(X, "shops.csv")
    facts = summary(data)
    assert facts["title"] == "shops.csv"
    assert facts["counted"] == "Groups by k-medoids clustering"
    assert facts["class_counts"].sum() == 60
    by_name = {name: rest for name, *rest in facts["columns"]}
    assert by_name["size"][1] == by_name["city"][1] == "1 (1.7%)"
    assert by_name["size"][2].endswith(f"median {np.median(shops()['size'].dropna())}")
    rows = dict(facts["odd_rows"])
    assert rows["Row 7"].startswith("size: 500 (usually ")
    said = " ".join(f"{title} {text}" for title, text in facts["oddities"])
    assert "equal to an earlier row" in said
    assert "'N.Y.'" in said
    assert facts["members"][0]["distance"]["kind"] == "mixed"


def test_labels_colour_the_map_where_they_are_given():
    X = cells(shops())
    facts = summary(overview({"size": X["size"]}, "shops", X["city"]))
    assert facts["classes"] == ["LA", "N.Y.", "NY"]
    assert facts["counted"] == "Classes in the table"


@pytest.mark.parametrize(
    "table",
    [
        [["a"]],
        [["a", 1.0], [None, None]],
        pl.DataFrame({"only": [1.5, 2.5, None] * 4}),
        {"ends": [np.inf, 1.0, -np.inf] * 4, "word": list("abcdefghijkl")},
        {"constant": ["x"] * 9, "empty": [None] * 9, "word": list("abcdefghi")},
    ],
    ids=["cell", "gaps", "numbers", "infinite", "empty column"],
)
def test_small_and_odd_tables_have_their_page(table):
    page = nk.report(pl.DataFrame(table) if isinstance(table, dict) else table)
    assert page.title == "table"


def test_as_many_labels_as_rows():
    with pytest.raises(ValueError, match="one label per row"):
        nk.report([["a"], ["b"]], y=["x"])


def test_columns_without_values():
    assert column_facts({"a": [None, None]}) == [["a", "0", "2 (100.0%)", "no values"]]


def test_neighbours_in_a_browser_are_those_of_python(tmp_path):
    X = cells(shops())
    data = overview(X, "shops")
    distance = data.view.distance
    with opened_browser() as browser, visited(browser, tmp_path, data) as visit:
        for number, changed in ((2, None), (5, 3.25), (6, -7.0), (9, 1e4)):
            visit.pick(number)
            row = {name: column[number] for name, column in X.items()}
            if changed is not None:
                visit.set(1, changed)
                bounds = [x for x in X["size"] if x is not None]
                row["size"] = min(max(changed, min(bounds)), max(bounds))
            wanted = np.sort(distance.pairwise_distances([row], X)[0])
            lines = visit.neighbours()
            found = np.sort(np.repeat([d for *_, d in lines], [n for _, n, _ in lines]))
            np.testing.assert_allclose(found, wanted[: len(found)], atol=1e-8)
        visit.page.get_by_role("button", name="Row 7", exact=True).first.click()
        assert visit.page.input_value("#row-number") == "7"
        assert visit.page.locator("#contributions").inner_text() == ""
