"""Values that are nearly the same, by text or by what a model makes of them."""

from itertools import combinations

import numpy as np
import pytest
from scipy.stats import chi2_contingency

import nearkind as nk
from nearkind.tasks.audited_rows import AuditedRows
from nearkind.tasks.synonyms import (
    is_one_letter_off,
    one_left_out,
    p_value_of_equality,
    spelled,
    synonyms,
)


def pairs(values, y=None, distance=None):
    y = np.zeros(len(values), int) if y is None else y
    found = synonyms(AuditedRows.of({"a": values}, y), distance)
    return [(each.value, each.like, each.reason) for each in found]


def edits(a, b):
    """Return the fewest letters to put in, take out, replace or exchange."""
    d = np.zeros((len(a) + 1, len(b) + 1), int)
    d[:, 0], d[0] = range(len(a) + 1), range(len(b) + 1)
    for i in range(1, len(a) + 1):
        for j in range(1, len(b) + 1):
            is_other = a[i - 1] != b[j - 1]
            d[i, j] = min(d[i - 1, j] + 1, d[i, j - 1] + 1, d[i - 1, j - 1] + is_other)
            if i > 1 and j > 1 and a[i - 1] == b[j - 2] and a[i - 2] == b[j - 1]:
                d[i, j] = min(d[i, j], d[i - 2, j - 2] + 1)
    return d[-1, -1]


def test_one_letter_off_is_one_edit():
    rng = np.random.default_rng(0)
    words = {"".join(rng.choice(list("ab"), rng.integers(1, 6))) for _ in range(60)}
    for a, b in combinations(sorted(words), 2):
        assert is_one_letter_off(a, b) == is_one_letter_off(b, a) == (edits(a, b) == 1)
        if edits(a, b) == 1:
            assert one_left_out(a) & one_left_out(b)


def test_capitals_blanks_hyphens_and_accents():
    common = ["Self-employed"] * 5 + ["Café"] * 3
    rare = ["self employed", " SELF_EMPLOYED ", "cafe"]
    found = pairs(common + rare)
    assert {value for value, _, _ in found} == set(rare)
    assert {like for _, like, _ in found} == {"Self-employed", "Café"}
    assert {reason for _, _, reason in found} == {"spelling"}


@pytest.mark.parametrize("values", [["-5", "5"], ["<=50K", ">50K"], ["?", "-"],
                                    ["1-5", "15"], ["a+", "a-"]])  # fmt: skip
def test_what_is_not_the_same(values):
    assert pairs(values * 20) == []
    assert spelled(values[0]) != spelled(values[1])


def test_a_rare_text_one_letter_off_is_a_typing_error():
    assert pairs(["married"] * 40 + ["maried"] * 2) == [("maried", "married", "typo")]
    assert pairs(["married"] * 40 + ["maried"] * 20) == []  # not rare
    assert pairs(["grade1"] * 40 + ["grade2"] * 2) == []  # digits mean something
    assert pairs(["high"] * 40 + ["nigh"] * 2) == []  # short


def test_a_rare_text_of_other_classes_is_none():
    values = ["complete"] * 100 + ["completed"] * 8
    assert pairs(values, np.repeat([0, 1], [100, 8])) == []


def test_the_test_of_equality_is_pearsons():
    for seed in range(5):
        a, b = np.random.default_rng(seed).integers(1, 30, (2, 4)).astype(float)
        wanted = chi2_contingency([a, b], correction=False).pvalue
        assert p_value_of_equality(a, b) == pytest.approx(wanted)
    assert p_value_of_equality(np.zeros(3), np.ones(3)) == 1.0


def test_values_that_a_model_does_not_tell_apart():
    rng = np.random.default_rng(0)
    values = rng.choice(["oak", "elm", "rat"], 1500)
    y = np.where(values == "rat", "animal", "tree")
    y = np.where(rng.random(1500) < 0.1, "animal", y)
    learned = nk.CPML().fit({"a": values}, y).distance_
    tables = nk.baselines.all()["vdm"]().fit({"a": values}, y).distance_
    assert pairs(values, y, tables) == []  # there are no vectors
    (found,) = pairs(values, y, learned)
    assert {*found} == {"oak", "elm", "model"}
    assert pairs(values[:60], y[:60], learned) == []  # too few rows to say so
