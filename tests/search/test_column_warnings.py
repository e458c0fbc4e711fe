"""Warnings of columns: once per fit of a search, whichever candidate wins."""

import warnings

import numpy as np
import pytest

import nearkind as nk
from helpers.commands import run
from helpers.racers import few
from nearkind.baselines import Euclidean, Hamming
from nearkind.errors import (
    MixedValuesWarning,
    NearlyUniqueWarning,
    TimeBudgetWarning,
    UnseenValueWarning,
)

N = 150
COLOURS = np.random.default_rng(0).choice(["red", "green", "blue"], N)
LABELS = np.where(COLOURS == "red", "yes", "no")
ROWS = [{"id": f"p{i}", "colour": colour} for i, colour in enumerate(COLOURS)]
SETTINGS = {
    "values": {"candidates": [Hamming()]},
    "histograms": {"candidates": [Euclidean()]},
    "coded as read": {"candidates": [Hamming(numeric="category")]},
    "coded as read, in the search too": {"numeric": "category", "candidates": None},
    "all": {"candidates": None},
    "time is up": {"candidates": None, "time_budget": 0.001},
    "time is left": {"candidates": None, "time_budget": 60.0},
}


def columns_warned_of(model, rows, labels):
    """Fit, and return the first word or two of each warning of a column."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        warnings.simplefilter("ignore", TimeBudgetWarning)
        warnings.simplefilter("ignore", UnseenValueWarning)
        model.fit(rows, labels)
    assert {w.category for w in caught} <= {NearlyUniqueWarning, MixedValuesWarning}
    return [str(w.message).partition(" has ")[0] for w in caught]


@pytest.mark.parametrize("settings", SETTINGS.values(), ids=SETTINGS)
def test_an_identifier_is_warned_of_once_per_fit(settings):
    model = few(**settings)
    for _ in range(2):
        assert columns_warned_of(model, ROWS, LABELS) == ["Column 'id'"]


@pytest.mark.usefixtures("optimized")  # without early elimination there is one
def test_several_members_warn_once():
    rng = np.random.default_rng(2)
    codes = rng.integers(0, 3, (N, 4))
    rule = (codes[:, 0] + codes[:, 1] * (codes[:, 2] > 0)) % 3
    labels = np.where(rng.random(N) < 0.3, rng.integers(0, 3, N), rule)
    names = [f"p{i}" for i in range(N)]
    model = nk.CPMLClassifierCV()
    found = columns_warned_of(model, np.column_stack([names, codes]), labels)
    assert len(model.members_) > 1
    assert len(found) == 1


def test_each_identifier_is_warned_of():
    rows = [{**row, "code": f"c{i}"} for i, row in enumerate(ROWS)]
    found = columns_warned_of(few(), rows, LABELS)
    assert found == ["Column 'id'", "Column 'code'"]


def test_numbers_that_become_ranges_are_no_identifiers():
    """Even though candidates may read every number as a value."""
    rows = [{"size": 0.5 * i, "colour": c} for i, c in enumerate(COLOURS)]
    assert columns_warned_of(nk.CPMLClassifierCV(), rows, LABELS) == []


def test_a_regressor_warns_of_identifiers_once_and_of_numbers_never():
    rows = [{**row, "size": 0.5 * i} for i, row in enumerate(ROWS)]
    y = [float(row["colour"] == "red") + 0.001 * i for i, row in enumerate(rows)]
    model = nk.CPMLRegressorCV(["euclidean", "hamming"], cv=2)
    assert columns_warned_of(model, rows, y) == ["Column 'id'"]


@pytest.mark.parametrize("candidates", [[Hamming()], [Hamming(), Euclidean()], None])
def test_numbers_among_words_are_warned_of_once(candidates):
    sizes = ["unknown" if i % 3 == 0 else i % 50 for i in range(N)]
    rows = [{"size": size, "colour": c} for size, c in zip(sizes, COLOURS, strict=True)]
    with pytest.warns(MixedValuesWarning, match="Column 'size' holds") as caught:
        few(candidates=candidates).fit(rows, LABELS)
    assert len(caught) == 1


@pytest.mark.parametrize("options", [[], ["--time-budget", "0.001"], ["--members", 1]])
def test_the_command_line_warns_once(tmp_path, options):
    path = tmp_path / "parts.csv"
    lines = [
        f"p{i},{c},{y}" for i, (c, y) in enumerate(zip(COLOURS, LABELS, strict=True))
    ]
    path.write_text("\n".join(["id,colour,sold", *lines]) + "\n")
    result = run("fit", path, "-t", "sold", "-o", tmp_path / "m.nearkind", *options)
    assert result.exit_code == 0
    assert result.stderr.count("column 'id' has a different value in nearly") == 1
