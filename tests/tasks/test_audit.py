"""``nearkind.audit``: all parts together, for tables of any kind, also bad ones."""

import json

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import nearkind as nk
from nearkind.tasks import duplicates
from nearkind.tasks.audit import RECORDS


def people(n_rows=120):
    """Return a table in which much is odd, and its labels."""
    rng = np.random.default_rng(0)
    y = rng.choice(["no", "yes"], n_rows)
    X = {
        "key": [f"k{i}" for i in range(n_rows)],
        "job": np.where(y == "yes", "baker", "miner").astype(object),
        "town": rng.choice(["Rome", "Oslo"], n_rows).astype(object),
        "unit": ["kg"] * n_rows,
        "age": rng.integers(20, 30, n_rows),
    }
    X["town"][5] = "oslo "
    y[[3, 4]] = np.where(y[[3, 4]] == "no", "yes", "no")  # two wrong labels
    return X, y


@pytest.fixture(scope="module")
def audit():
    return nk.audit(*people(), metric="hamming")


def test_what_is_found(audit):
    assert (audit.n_rows, audit.n_columns, audit.n_classes) == (120, 5, 2)
    assert {3, 4} <= {each.row for each in audit.doubtful_labels}
    assert [(each.column, each.what) for each in audit.odd_columns] == [
        ("key", "identifier"),
        ("job", "leak"),
        ("unit", "constant"),
    ]
    (alike,) = audit.synonyms
    assert (alike.value, alike.like, alike.n_rows) == ("oslo ", "Oslo", 1)
    assert audit.near_rows[0].distance == 0.25
    assert audit.n_repeated > 0  # but for the key
    assert audit.notes == ["Left out as identifiers: 'key'."]


def test_it_is_told_in_words(audit):
    said = repr(audit)
    for words in (
        "Audit of 120 rows, 5 columns, 2 classes",
        "row 3 has ",
        "column 'job' leaks the label: it alone predicts",
        "values of 'town': 'oslo ' (1) may mean 'Oslo' (",
        "spelled alike",
        "    and 7 more",
        "note: Left out",
    ):
        assert words in said


def test_equal_rows_and_their_labels_are_listed():
    found = nk.audit([["a"]] * 6 + [["b"]] * 2, [*"xxxxyz", *"xy"], metric="hamming")
    assert "rows 0, 1, 2, 3, 4, ... are equal and have 'x' (4), 'y' (1)" in repr(found)


def test_it_is_json(audit):
    facts = json.loads(json.dumps(audit.to_dict()))
    assert facts["doubtful_labels"][0]["row"] == audit.doubtful_labels[0].row
    assert set(RECORDS) <= set(facts)
    assert "library" not in facts


@pytest.mark.parametrize(
    ("make", "kind"),
    [
        (pd.DataFrame, pd.DataFrame),
        (pl.DataFrame, pl.DataFrame),
        (pa.table, pa.Table),
        (dict, pd.DataFrame),
        (lambda X: pd.DataFrame(X).to_dict("records"), pd.DataFrame),
    ],
)
def test_frames_are_of_the_library_of_the_table(make, kind, audit):
    X, y = people()
    X = {name: list(cells) for name, cells in X.items()}
    found = nk.audit(make(X), pd.Series(y), metric="hamming")
    assert found.to_dict() == audit.to_dict()
    for part in RECORDS:
        assert isinstance(found.frame(part), kind)
        assert len(found.frame(part)) == len(getattr(found, part))


def test_another_part_is_refused(audit):
    with pytest.raises(ValueError, match=r"'doubtful_labels', .*; got 'labels'"):
        audit.frame("labels")


def test_rows_without_a_label_are_listed_and_left_out():
    X, y = people()
    y = y.astype(object)
    y[[7, 9]] = None
    found = nk.audit(X, y, metric="hamming")
    assert found.unlabelled == [7, 9]
    assert not {7, 9} & {each.row for each in found.doubtful_labels}


def test_rows_are_called_by_their_numbers(audit):
    found = nk.audit(*people(), metric="hamming", row_numbers=np.arange(120) + 1000)
    rows = [each.row - 1000 for each in found.doubtful_labels]
    assert rows == [each.row for each in audit.doubtful_labels]
    near = [number - 1000 for number in found.near_rows[0].rows]
    assert near == audit.near_rows[0].rows


def test_the_order_of_columns_and_rows_does_not_matter(audit):
    X, y = people()
    order = np.random.default_rng(0).permutation(120)
    turned = {name: np.asarray(X[name], object)[order] for name in reversed(X)}
    found = nk.audit(turned, y[order], metric="hamming", row_numbers=order)
    doubts = [
        {(each.row, each.suggested) for each in a.doubtful_labels}
        for a in (found, audit)
    ]
    assert doubts[0] == doubts[1]
    assert found.ceiling == audit.ceiling
    assert found.n_repeated == audit.n_repeated
    assert set(found.odd_columns) == set(audit.odd_columns)
    assert set(found.synonyms) == set(audit.synonyms)


def test_what_is_drawn_is_said(monkeypatch):
    monkeypatch.setattr("nearkind.tasks.audit.MOST_COMPARED", 10)
    monkeypatch.setattr(duplicates, "MOST_COMPARED", 10)
    found = nk.audit(*people(), metric="hamming")
    assert "Near rows were searched in a sample of 10 of" in found.notes[-1]


class TestBadTables:
    def test_one_class(self):
        found = nk.audit(people()[0], ["one"] * 120)
        assert found.doubtful_labels == []
        assert found.ceiling == 1.0
        assert "this requires two classes with two rows each" in found.notes[-1]

    def test_a_class_of_one_row(self):
        X, y = people()
        y[0] = "odd"
        found = nk.audit(X, y, metric="hamming")
        assert "were not checked: 'odd'" in found.notes[1]
        assert 0 not in {each.row for each in found.doubtful_labels}

    def test_every_row_a_class_of_its_own(self):
        found = nk.audit([["a"], ["b"], ["a"]], ["x", "y", "z"])
        assert found.doubtful_labels == []
        assert found.ceiling == pytest.approx(2 / 3)

    def test_rows_that_are_all_equal(self):
        found = nk.audit([["a", "b"]] * 20, ["x", "y"] * 10)
        assert found.ceiling == 0.5
        assert found.n_repeated == 19
        assert found.near_rows == []
        assert "every column is constant or an identifier" in found.notes[-1]

    def test_identifiers_only(self):
        found = nk.audit([[f"k{i}"] for i in range(40)], ["x", "y"] * 20)
        assert [each.what for each in found.odd_columns] == ["identifier"]
        assert found.doubtful_labels == []
        assert "every column is constant or an identifier" in found.notes[-1]

    def test_free_text_is_left_out_as_it_names_rows(self):
        X, y = people()
        X["story"] = [f"once upon a time there was a person number {i}" for i in y]
        X["story"] = [f"{text} of {i}" for i, text in enumerate(X["story"])]
        found = nk.audit(X, y, metric="hamming")
        assert "'key', 'story'" in found.notes[0]

    def test_a_measurement(self):
        with pytest.raises(ValueError, match="regression"):
            nk.audit(people()[0], np.linspace(0.0, 1.0, 120), task="class")

    def test_cells_that_cannot_be_hashed(self):
        with pytest.raises(TypeError, match=r"Column 'x0', row 0 holds a list"):
            nk.audit([[["a"]], ["b"]], ["x", "y"])

    @pytest.mark.parametrize("name", ["n_pairs", "n_neighbors"])
    def test_wrong_numbers(self, name):
        with pytest.raises(ValueError, match=f"'{name}' parameter of audit"):
            nk.audit(*people(), **{name: 0})


def test_a_notebook_shows_the_findings_as_lists():
    X = [["<b>", "x"], ["<b>", "x"], ["a", "y"], ["c", "y"]] * 3
    html = nk.audit(X, ["p", "q", "p", "q"] * 3)._repr_html_()
    assert html.startswith("<p>Audit of 12 rows, 2 columns, 2 classes</p>")
    assert "<p>contradictions: 1; maximum accuracy 75.0%</p><ul><li>" in html
    assert "<b>" not in html


def prices(n_rows=90):
    """Return a table whose columns explain a price, but for rows 7 and 40."""
    rng = np.random.default_rng(1)
    X = {"make": rng.choice(list("abc"), n_rows), "unit": ["kg"] * n_rows}
    X["size"] = rng.choice(["S", "M", "L"], n_rows)
    y = 10.0 * (X["make"] == "a") + 3.0 * (X["size"] == "L") + rng.normal(size=n_rows)
    y[[7, 40]] += [40.0, -40.0]
    return X, y


def test_doubtful_numbers():
    X, y = prices()
    y[11] = np.nan
    found = nk.audit(X, y, "euclidean", n_pairs=3)
    assert {each.row for each in found.doubtful_numbers} == {7, 40}
    again = nk.audit(X, y, "euclidean", n_pairs=3)
    assert again.doubtful_numbers == found.doubtful_numbers
    one = found.doubtful_numbers[0]
    assert not one.low <= one.number <= one.high
    assert one.low <= one.predicted <= one.high
    assert len(one.neighbors) == 5
    assert one.row not in one.neighbors
    assert (found.n_classes, found.unlabelled) == (0, [11])
    assert [each.column for each in found.odd_columns] == ["unit"]
    assert found.contradictions == found.doubtful_labels == []
    said = repr(found)
    assert "3 columns, a number\ndoubtful numbers: 2\n    row " in said
    assert "contradictions" not in said
    json.dumps(found.to_dict())
    assert list(found.frame("doubtful_numbers")["row"]) == [
        each.row for each in found.doubtful_numbers
    ]


def test_no_number_is_doubted_from_few_rows():
    X = {name: cells[:10] for name, cells in prices()[0].items()}
    assert nk.audit(X, np.arange(10) / 4).doubtful_numbers == []


@pytest.mark.parametrize(
    ("y", "task", "words"),
    [
        (["a", "b", "c"], "number", "y holds values that are none"),
        ([1.5, 2.0], "number", "X has 3 rows, y has 2 numbers"),
        ([1.5, 2.0, 3.0], "numbers", "task must be 'auto', 'class' or 'number'"),
        ([1.5, 1.5, 1.5], "auto", "y holds only one number"),
    ],
)
def test_targets_that_are_refused(y, task, words):
    with pytest.raises(ValueError, match=words):
        nk.audit([["a"], ["b"], ["a"]], y, task=task)
