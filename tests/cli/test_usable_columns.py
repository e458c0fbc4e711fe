"""Columns that are set aside, and values that differ only in case."""

import pytest

import nearkind as nk
from helpers.commands import complaint, done, facts, run

N_ROWS = 60
TEXT = "the customer called twice and asked about case number"


@pytest.fixture
def shop(tmp_path):
    """A table with an identifier, row numbers, free text and two spellings."""
    colours = ["red", "Red", "blue", "red", "blue ", "blue"] * (N_ROWS // 6)
    rows = [
        f"{i},K{i:03},{colour},{i * 37 % 61}.5,{TEXT} {i},{'yes' if i % 2 else 'no'}"
        for i, colour in enumerate(colours)
    ]
    path = tmp_path / "shop.csv"
    path.write_text("\n".join(["row,key,colour,price,note,bought", *rows]) + "\n")
    return path


def told(result):
    assert result.exit_code == 0, result.stderr
    return result.stderr


def test_identifiers_and_free_text_are_left_out_once_and_can_be_kept(shop, tmp_path):
    model = tmp_path / "shop.nearkind"
    fit = ("fit", shop, "-t", "bought", "-m", "hamming", "-o", model)
    said = told(run(*fit))
    assert said.count("'row', 'key', 'note' have a different value") == 1
    assert list(nk.load(model).distance_.categories) == ["colour", "price"]
    assert len(facts("predict", model, shop)["rows"]) == N_ROWS
    kept = told(run(*fit, "--categorical", "note", "--categorical", "row"))
    assert "column 'key' has a different value" in kept
    assert "note" in nk.load(model).distance_.categories
    without = ("fit", shop, "-m", "hamming", "--drop", "bought", "-o", model)
    assert "'row', 'key', 'note' have" in told(run(*without))


def test_a_table_of_identifiers_alone_is_learned_from(tmp_path):
    path = tmp_path / "keys.csv"
    path.write_text("key,y\n" + "".join(f"k{i},{i % 2}\n" for i in range(40)))
    fit = ("fit", path, "-t", "y", "-m", "hamming", "-o", tmp_path / "m.nearkind")
    assert "left out" not in told(run(*fit))


def test_trials_leave_out_what_fit_does(shop):
    result = run("evaluate", shop, "-t", "bought", "-m", "hamming", "-r", 1, "--json")
    assert "'row', 'key', 'note' have" in told(result)
    assert '"features": 2' in result.stdout


def test_spellings_are_shown_and_folded(shop, tmp_path):
    model = tmp_path / "shop.nearkind"
    fit = ("fit", shop, "-t", "bought", "-m", "hamming", "-o", model)
    said = told(run(*fit))
    assert said.count("differ only in case or blanks: 'red' and 'Red' in 'colour'") == 1
    assert "--fold-case" in said
    assert "differ only" not in told(run(*fit, "--fold-case"))
    assert nk.load(model).distance_.categories["colour"] == ["blue", "red"]
    assert "not seen in fit" not in told(run("predict", model, shop))
    stream = (*fit, "-m", "single", "--fold-case", "--stream")
    assert "requires all rows" in complaint(*stream, code=2)


def test_the_option_for_numbers_with_separators_is_named_in_predict(tmp_path):
    path, model = tmp_path / "a.csv", tmp_path / "a.nearkind"
    rows = [f"{i % 50}.{i % 7}|{i % 2}" for i in range(90)]
    path.write_text("\n".join(["size|y", *rows]))
    done("fit", path, "-t", "y", "-m", "hamming", "-o", model)
    path.write_text("size|y\n" + "\n".join(row.replace(".", ",") for row in rows))
    assert "Pass --decimal ," in complaint("predict", model, path)
    assert len(facts("predict", model, path, "--decimal", ",")["rows"]) == 90


@pytest.mark.parametrize(
    "command", ["cluster", "outliers", "report", "neighbors", "impute"]
)
def test_tables_without_labels_leave_out_what_fit_does(shop, tmp_path, command):
    of_command = {
        "report": ("-o", tmp_path / "shop.html"),
        "neighbors": ("--row", 0),
        "cluster": ("-k", 2, "--page", tmp_path / "shop.html"),
    }.get(command, ())
    said = told(run(command, shop, *of_command))
    assert said.count("'row', 'key', 'note' have a different value") == 1


@pytest.mark.parametrize("command", ["cluster", "outliers", "impute"])
def test_free_text_can_be_kept_without_labels(shop, command):
    assert "'row', 'key' have" in told(run(command, shop, "--categorical", "note"))


def test_free_text_alone_is_refused_with_the_options_that_help(tmp_path):
    path = tmp_path / "notes.csv"
    path.write_text("\n".join(["note", *(f"{TEXT} {i}" for i in range(40))]))
    said = complaint("outliers", path)
    assert "Drop it with --drop 'note'; or, if" in said
    assert "declare it categorical, with --categorical 'note'." in said


def test_duplicates_compare_free_text(shop):
    assert facts("duplicates", shop, "--drop", "row", "--drop", "key")["data"]


def test_spellings_that_differ_in_blanks_are_shown_as_they_are(tmp_path):
    path = tmp_path / "towns.csv"
    path.write_text("town,y\n" + "New York,1\nNew  York,0\nBern,1\nBern,0\n" * 5)
    fit = ("fit", path, "-t", "y", "-m", "hamming", "-o", tmp_path / "m.nearkind")
    assert "'New York' and 'New  York'" in told(run(*fit))


def test_numbers_that_were_categories_need_their_decimal_mark_again(tmp_path):
    old, new = tmp_path / "old.csv", tmp_path / "new.csv"
    model = tmp_path / "m.nearkind"
    lines = [f"{i % 4},5;{'yn'[i % 2]}" for i in range(24)]
    old.write_text("\n".join(["price;y", *lines]) + "\n")
    new.write_text("price;x\n1,5;a\n7,5;b\n")
    fit = ("fit", old, "-t", "y", "--decimal", ",", "-m", "hamming", "-o", model)
    told(run(*fit))
    assert "Pass --decimal , to read them" in complaint("predict", model, new)
    assert "7.5" in told(run("predict", model, new, "--decimal", ","))
