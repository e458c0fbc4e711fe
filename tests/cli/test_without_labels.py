"""Commands on tables without labels: groups, outliers, gaps, pairs, neighbours."""

import csv

import numpy as np
import pandas as pd
import pytest

from helpers.commands import PETS, complaint, done, facts


@pytest.fixture
def pets(tmp_path):
    path = tmp_path / "pets.csv"
    path.write_text(PETS)
    return path


def table(path):
    """Return the rows of a file as dicts."""
    with path.open() as file:
        return list(csv.DictReader(file))


def test_groups_are_described_and_written(pets, tmp_path):
    out = tmp_path / "groups.csv"
    said = done("cluster", pets, "--drop", "name", "-k", "3", "-o", out, "--keep")
    assert "pets.csv: 12 rows in 3 groups" in said
    assert "set apart by legs: 2 (100%, lift 3.0)" in said
    assert "represented by row" in said
    rows = table(out)
    assert list(rows[0]) == ["legs", "coat", "weight", "kind", "group", "distance"]
    assert len({(row["kind"], row["group"]) for row in rows}) == 3
    page = tmp_path / "groups.html"
    done("cluster", pets, "--drop", "name", "-k", "3", "--page", page)
    assert "group 2" in page.read_text()
    found = facts("cluster", pets, "--drop", "name", "--weights", "kind=100")
    assert found["n_clusters"] == 3
    assert set(found["silhouettes"]) >= {"2", "3"}
    assert sum(group["size"] for group in found["groups"]) == 12


def test_outliers_have_reasons(pets, tmp_path):
    pets.write_text(PETS + "Sss,0,scales,900,snake\n")
    out = tmp_path / "scores.csv"
    given = ("outliers", pets, "--drop", "name", "-k", "3")
    said = done(*given, "--share", "0.08", "-o", out)
    assert "13 rows, 1 outlier" in said
    assert "kind: snake (usually bird)" in said
    assert [row["outlier"] for row in table(out)].count("True") == 1
    (odd,) = facts(*given, "--share", "0.08")["outliers"]
    assert odd["row"] == 12
    assert odd["why"][0]["contribution"] > 0.0


def test_missing_cells_are_filled_and_others_stay_as_they_are(pets, tmp_path):
    pets.write_text(PETS.replace("Max,4,curls,011,dog", "Max,4,curls,,dog"))
    assert "Tweety,2,down,001,bird" in done("impute", pets)
    out = tmp_path / "whole.csv"
    said = done("impute", pets, "-o", out, "-k", "3")
    assert "2 missing cells filled" in said
    before, after = table(pets), table(out)
    assert all(
        a == b for x, y in zip(before, after, strict=True)
        for a, b in zip(x.values(), y.values(), strict=True) if a
    )  # fmt: skip
    filled = facts("impute", pets)["filled"]
    assert [(each["row"], each["column"]) for each in filled] == [
        (11, "coat"), (10, "weight"),
    ]  # fmt: skip
    assert 0.0 <= filled[0]["certainty"] <= 1.0


def test_a_missing_date_is_that_of_the_nearest_row(tmp_path):
    path = tmp_path / "pets.csv"
    path.write_text(
        "kind,born,weight\ndog,2020-01-03,30\ndog,2020-01-03,31\ndog,,29\n"
        "cat,2021-05-07,4\ncat,,4\ncat,2021-05-09,5\n"
    )
    filled = facts("impute", path, "-k", "2")["filled"]
    assert [(each["row"], each["value"], each["certainty"]) for each in filled] == [
        (2, "2020-01-03", 1.0), (4, "2021-05-07", 0.5),
    ]  # fmt: skip
    assert "dog,2020-01-03,29" in done("impute", path)
    assert "dog,,29" in done("impute", path, "--drop", "born")


def test_rows_of_two_tables_are_paired(pets, tmp_path):
    other = tmp_path / "other.csv"
    other.write_text("kind,legs,name\nbird,2,Pip\ndog,4,Rexx\n")
    given = ("match", pets, other, "--column", "name", "--column", "legs")
    assert done(*given, "--caliper", "0.1") == "a,b,distance,reason\n2,0,0.0,equal\n"
    pairs = facts(*given, "--exact", "kind", "--caliper", "legs=0", "-k", "1")["pairs"]
    assert {(pair["a"], pair["b"]) for pair in pairs} >= {(0, 1), (2, 0), (3, 0)}
    assert complaint("match", pets, other).count("--column") == 1
    assert "such as age=2" in complaint(*given, "--caliper", "x", code=2)


def test_neighbors_need_no_model(pets):
    said = done("neighbors", pets, "--row", "0", "-k", "2", "--drop", "name")
    assert "row 4, distance 0.25" in said
    assert "classified" not in said
    found = facts("neighbors", pets, "--row", "0", "-k", "99")
    assert len(found["neighbors"]) == 11
    assert "numbered from 0 to 11" in complaint("neighbors", pets, "--row", "12")


@pytest.mark.parametrize("command", ["cluster", "outliers", "impute"])
def test_bad_options_are_one_sentence(command, pets):
    for given, words in [
        (("--metric", "goower"), "Did you mean 'gower'"),
        (("--metric", "vdm"), "learns from labels"),
        (("--weights", "legs"), "such as size=2; got 'legs'"),
        (("--ordered", "coat"), "such as size=S,M,L; got 'coat'"),
        (("-o", pets), "commands do not overwrite their inputs"),
    ]:
        assert words in complaint(command, pets, *given, code=2)
    assert "'leggs'" in complaint(command, pets, "--weights", "leggs=2")
    assert "or auto" in complaint("cluster", pets, "-k", "few", code=2)


def test_an_outlier_may_have_no_unusual_value(tmp_path):
    path = tmp_path / "odd.csv"
    path.write_text("\n".join(["a,b,c", "n,n,n", *["y,n,n", "n,y,n", "n,n,y"] * 5]))
    given = "outliers", path, "-k", "3", "--share", "0.05"
    (odd,) = facts(*given)["outliers"]
    assert (odd["row"], odd["why"]) == (0, [])
    assert "no unusual value" in done(*given)


def test_infinite_numbers_of_a_typed_file_are_put_into_bins(tmp_path):
    path, wide = tmp_path / "rows.parquet", tmp_path / "wide.parquet"
    rows = pd.DataFrame({"a": [*"xyzx"] * 5, "n": [np.inf, *np.arange(19.0)]})
    rows.to_parquet(path)
    assert "Pass --numeric bin" in complaint("outliers", path)
    assert "outliers" in done("outliers", path, "--numeric", "bin")
    rows.assign(lists=[[1]] * 20).to_parquet(wide)
    assert facts("match", wide, path, "--column", "a")["pairs"]
