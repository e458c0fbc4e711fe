"""``nearkind report``."""

import json
import re

import pytest

import nearkind as nk
from helpers.commands import PETS, complaint, done


def facts_of(path):
    """Return what a page knows, arrays by their place only."""
    found = re.search(r'id="facts">(.*?)</script>', path.read_text(), re.S)
    return json.loads(found[1])


def lines_of(path):
    """Return the sentences of the head of a page."""
    lines = facts_of(path)["lines"]
    return " ".join(f"{a} {b}" for a, b in lines["data"] + lines["model"])


def test_one_page_on_a_model_and_a_table(models, pets, tmp_path):
    out = tmp_path / "r.html"
    assert done("report", models["single"], pets, "-o", out) == f"{out}\n"
    facts = facts_of(out)
    assert facts["title"] == "single.nearkind on pets.csv"
    assert facts["classes"] == ["bird", "cat", "dog"]
    assert [feature["name"] for feature in facts["features"][0]] == [
        "legs", "coat", "weight",
    ]  # fmt: skip
    said = lines_of(out)
    assert "pets.csv, 12 rows, 3 columns" in said
    assert "Accuracy 100.0% on the training rows (12 of 12)" in said
    assert "the true class is column 'kind'" in said
    assert "every row equals a training row" in said


def test_a_table_alone_has_a_page(pets, tmp_path):
    out = tmp_path / "r.html"
    done("report", pets, "-o", out)
    facts = facts_of(out)
    assert facts["title"] == "pets.csv"
    assert {"legs", "coat", "weight", "kind"} < {name for name, *_ in facts["columns"]}
    done("report", pets, "-o", out, "--target", "kind", "--metric", "hamming")
    facts = facts_of(out)
    assert facts["classes"] == ["bird", "cat", "dog"]
    assert facts["members"][0]["distance"]["kind"] == "mismatches"
    said = complaint("report", pets, "-o", pets, code=2)
    assert "commands do not overwrite their inputs" in said


def test_a_regressor_has_a_page(tmp_path):
    table, model = tmp_path / "ages.csv", tmp_path / "m.nearkind"
    table.write_text(
        "coat,age\n" + "".join(f"{'ab'[i % 2]},{i % 2}.5\n" for i in range(20))
    )
    X, y = [["ab"[i % 2]] for i in range(20)], [i % 2 + 0.5 for i in range(20)]
    named = {"coat": [row[0] for row in X]}
    nk.save(nk.CPMLRegressor("hamming").fit(named, y), model)
    out = tmp_path / "r.html"
    done("report", model, table, "-o", out, "--target", "age")
    assert re.search("Root mean squared error .* on 20 rows", lines_of(out))


def test_nothing_is_fetched_and_only_its_own_script_runs(models, pets, tmp_path):
    out = tmp_path / "r.html"
    done("report", models["hamming"], pets, "-o", out)
    text = out.read_text()
    assert "default-src 'none'; script-src 'sha256-" in text
    assert not re.search(r'(src|href)="(?!#)', text)
    assert text.replace("http://www.w3.org/2000/svg", "").count("http") == 1  # -equiv


def test_values_are_no_markup(tmp_path):
    evil = "</script><script>alert(1)</script>"
    text = PETS.replace("bird", evil).replace("coat", "<b>coat&")
    data, model, out = tmp_path / "x&.csv", tmp_path / "m.nearkind", tmp_path / "r.html"
    data.write_text(text)
    done("fit", data, "-t", "kind", "--drop", "name", "-m", "hamming", "-o", model)
    done("report", model, data, "-o", out)
    assert evil in facts_of(out)["classes"]
    assert out.read_text().count("</script>") == 3
    assert "<title>m.nearkind on x&amp;.csv</title>" in out.read_text()


def test_without_classes_nothing_is_said_to_be_right(models, tmp_path):
    out = tmp_path / "r.html"
    rows = b"legs,coat,weight\n4,fur,004\n4,fur,004\n"
    done("report", models["hamming"], "-", "-o", out, stdin=rows)
    assert facts_of(out)["confusions"] is None
    assert "get the class" not in lines_of(out)


def test_a_distance_alone_has_a_page(pets, tmp_path):
    rows = {"legs": ["4", "2", "4"], "coat": ["fur", "down", "curls"]}
    model, out = tmp_path / "alone", tmp_path / "r.html"
    nk.save(nk.baselines.Hamming().fit(rows), model)
    done("report", model, pets, "-t", "kind", "-o", out)
    facts = facts_of(out)
    assert facts["votes"] is False
    assert facts["classes"] == ["bird", "cat", "dog"]  # for the colours of the map


BAD = {
    "no folder": (("pets.csv", "-o", "no/r.html"), "There is no folder"),
    "no column": (
        ("other.csv", "-o", "r.html"),
        "other.csv lacks columns of the model: 'legs'",
    ),
    "no rows": (("empty.csv", "-o", "r.html"), "line 1: expected rows"),
    "no target": (("pets.csv", "-t", "sort", "-o", "r.html"), "no column 'sort'"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input_is_one_sentence(case, models, pets, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "other.csv").write_text("size,kind\n1,dog\n")
    (tmp_path / "empty.csv").write_text("legs,coat,weight\n")
    arguments, sentence = BAD[case]
    assert sentence in complaint("report", models["hamming"], *arguments)
    assert not (tmp_path / "r.html").exists()


def test_the_demo_writes_its_page_here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert "nearkind-demo.html" in done("demo", "monks1")
    assert facts_of(tmp_path / "nearkind-demo.html")["votes"]


def test_the_demo_writes_its_page_where_it_is_told_to(tmp_path):
    out = tmp_path / "demo.html"
    assert f"{out}" in "".join(done("demo", "monks1", "-o", out).split("\n"))
    assert facts_of(out)["title"] == "The demo's CPMLClassifier on monks1"
    assert "86 rows" in lines_of(out)


def test_a_page_ends_in_html(models, pets, tmp_path):
    output = tmp_path / "page.pdf"
    told = complaint("report", models["hamming"], pets, "-o", output, code=2)
    assert "ends in .html; got 'page.pdf'" in told
    assert not output.exists()
