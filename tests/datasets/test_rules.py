"""Sets that a rule defines equal the published files, cell for cell."""

from itertools import permutations

import pytest

from nearkind import datasets
from nearkind.datasets import files
from nearkind.datasets.catalogue import CATALOGUE
from nearkind.datasets.rules import RULES

PUBLISHED = sorted(set(RULES) - {"credit_risk"})


@pytest.mark.parametrize("name", PUBLISHED)
def test_rule_equals_the_published_file(name, real_file):
    published, computed = files.read(real_file(name)), RULES[name]()
    assert computed.feature_names == published.feature_names
    assert computed.target == published.target
    assert computed.X.tolist() == published.X.tolist()
    assert computed.y.tolist() == published.y.tolist()


@pytest.mark.parametrize("name", sorted(RULES))
def test_rule_has_the_size_in_the_catalogue(name):
    table, entry = RULES[name](), CATALOGUE[name]
    assert table.X.shape == (entry.n_samples, entry.n_features)
    assert table.y.shape == (entry.n_samples,)
    assert len(set(table.y)) == entry.n_classes
    assert all(type(value) is str for row in table.X for value in row)


@pytest.mark.parametrize("name", PUBLISHED)
def test_no_row_occurs_twice(name):
    X = RULES[name]().X
    assert len(set(map(tuple, X))) == len(X)


def test_credit_risk_is_the_table_of_the_paper():
    table = RULES["credit_risk"]()
    assert table.feature_names == ["Occupation", "Education", "Marital"]
    assert table.target == "Risk"
    assert table.y.tolist() == ["Low", "Low", "High", "Middle", "Middle", "High"]
    assert table.X[3].tolist() == ["Plumber", "High school", "Single"]
    assert table.X[1].tolist() == table.X[4].tolist()


def test_balance_swaps_its_classes_when_the_sides_are_swapped():
    table = RULES["balance"]()
    label = dict(zip(map(tuple, table.X), table.y, strict=True))
    swapped = {"L": "R", "R": "L", "B": "B"}
    assert all(label[r[2:] + r[:2]] == swapped[c] for r, c in label.items())


@pytest.mark.parametrize(("name", "ones"), [("monks1", 216), ("monks2", 142)])
def test_monks_class_sizes(name, ones):
    assert (RULES[name]().y == "1").sum() == ones


@pytest.mark.parametrize(
    ("name", "noise"), [("monks1", 0), ("monks2", 0), ("monks3", 6)]
)
def test_only_the_training_sample_of_monks3_has_wrong_labels(name, noise, real_file):
    sample, table = files.read(real_file(f"{name}_train")), RULES[name]()
    label = dict(zip(map(tuple, table.X), table.y, strict=True))
    wrong = [label[tuple(x)] != c for x, c in zip(sample.X, sample.y, strict=True)]
    assert sum(wrong) == noise


def test_tic_tac_toe_holds_the_ends_of_all_games():
    # Oracle: play every game, instead of judging every board.
    ends, seen, open_games = set(), set(), [("b",) * 9]
    while open_games:
        board = open_games.pop()
        player = "xo"[board.count("b") % 2 == 0]
        for square in (i for i in range(9) if board[i] == "b"):
            after = (*board[:square], player, *board[square + 1 :])
            if after in seen:
                continue
            seen.add(after)
            if _won(after) or "b" not in after:
                ends.add((*after, "positive" if _won(after) == "x" else "negative"))
            else:
                open_games.append(after)
    table = RULES["tic_tac_toe"]()
    assert {(*row, c) for row, c in zip(table.X, table.y, strict=True)} == ends


def _won(board):
    # Three squares are in a row if their numbers in the magic square add up to 15.
    magic = [2, 7, 6, 9, 5, 1, 4, 3, 8]
    for player in "xo":
        held = [m for m, value in zip(magic, board, strict=True) if value == player]
        if any(sum(three) == 15 for three in permutations(held, 3)):
            return player
    return None


def test_rules_are_computed_even_where_a_file_is(tmp_path, monkeypatch):
    (tmp_path / "monks1.csv.gz").write_bytes(b"not even gzip")
    monkeypatch.setenv("NEARKIND_DATA", str(tmp_path))
    assert datasets.load("monks1").X.shape == (432, 6)
