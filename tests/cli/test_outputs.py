"""What commands may write over: their own kind of file, and never their input."""

import gzip
import os
import shutil

import pytest

from helpers.commands import complaint, done, run
from nearkind import datasets
from nearkind.cli import outputs

FIT = ("-t", "kind", "--drop", "name", "-m", "hamming")
WRITING = [
    "fit", "predict", "transform", "report", "export", "datasets", "demo", "reproduce",
]  # fmt: skip


@pytest.fixture
def model(models, tmp_path):
    """A model in the folder of the table."""
    return shutil.copy(models["single"], tmp_path / "pets.nearkind")


@pytest.fixture
def commands(pets, model):
    """Words of each command that writes, its output left out, and an ending for it."""
    return {
        "fit": (("fit", pets, *FIT), ".nearkind"),
        "predict": (("predict", model, pets), ".csv"),
        "transform": (("transform", model, pets), ".csv"),
        "report": (("report", model, pets), ".html"),
        "to json": (("export", model), ".json"),
        "to sql": (("export", model), ".sql"),
        "to csv": (("export", model), ".csv"),
    }


NAMES = ["fit", "predict", "transform", "report", "to json", "to sql", "to csv"]


@pytest.mark.parametrize("link", [os.symlink, os.link])
@pytest.mark.parametrize("name", NAMES)
def test_no_command_replaces_its_input(commands, pets, model, tmp_path, name, link):
    words, ending = commands[name]
    inputs = {word: word.read_bytes() for word in (pets, model) if word in words}
    for number, (path, before) in enumerate(inputs.items()):
        other = tmp_path / f"other{number}{ending}"
        link(path, other)
        for force in ((), ("--force",)):
            told = complaint(*words, "-o", other, *force, code=2)
            assert "commands do not overwrite their inputs" in told
        assert path.read_bytes() == before
        assert os.path.samefile(path, other)


@pytest.mark.parametrize("name", ["fit", "predict"])
def test_an_input_named_itself_is_kept(commands, pets, name):
    before = pets.read_bytes()
    told = complaint(*commands[name][0], "-o", pets, "--force", code=2)
    assert "is the file of DATA" in told
    assert pets.read_bytes() == before


def test_a_member_of_an_export_to_a_folder_is_not_the_model(model, tmp_path):
    folder = tmp_path / "tables"
    done("export", model, "-o", folder)
    inside = shutil.copy(model, folder / "model.rows.csv")
    told = complaint("export", inside, "-o", folder, "--force", code=2)
    assert "is the file of MODEL" in told
    assert inside.read_bytes() == model.read_bytes()
    assert "is not a model as CSV" in complaint("export", model, "-o", folder, code=2)


def test_a_set_is_not_written_over_its_own_file(tmp_path, monkeypatch):
    monkeypatch.setenv("NEARKIND_DATA", str(tmp_path))
    path = tmp_path / "pets.csv.gz"
    path.write_bytes(gzip.compress(b"a,class\n1,x\n2,y\n"))
    told = complaint("datasets", "pets", "-o", path, "--force", code=2)
    assert "is the file of NAME" in told
    assert "pets" in datasets.names()


def test_standard_input_is_an_input(pets, monkeypatch):
    with pets.open() as file:
        monkeypatch.setattr("sys.stdin", file)
        with pytest.raises(Exception, match="commands do not overwrite"):
            outputs.keep_inputs(pets, {"DATA": "-"})
    outputs.keep_inputs(pets, {"DATA": "-"})  # closed


@pytest.mark.parametrize("name", NAMES)
def test_a_file_of_another_kind_is_replaced_only_if_forced(commands, tmp_path, name):
    words, ending = commands[name]
    path = tmp_path / f"there{ending}"
    path.write_bytes(b"%PDF-1.4 what somebody wrote\0")
    told = complaint(*words, "-o", path, code=2)
    assert "exists and is not" in told
    assert "--force" in told
    assert path.read_bytes().startswith(b"%PDF")
    done(*words, "-o", path, "--force")
    assert not path.read_bytes().startswith(b"%PDF")
    before = path.read_bytes()
    done(*words, "-o", path)  # one of its kind
    assert path.read_bytes()[:9] == before[:9]
    path.write_bytes(b"")  # nothing to lose
    done(*words, "-o", path)


@pytest.mark.parametrize("ending", [".tsv", ".jsonl", ".parquet", ".csv.gz"])
def test_tables_of_each_format_are_replaced(commands, tmp_path, ending):
    if ending == ".parquet":
        pytest.importorskip("pyarrow")
    path = tmp_path / f"out{ending}"
    done(*commands["predict"][0], "-o", path)
    done(*commands["predict"][0], "-o", path)
    wrong = tmp_path / ("out.csv" if ending == ".parquet" else "out.parquet")
    path.rename(wrong)
    assert "is not a table" in complaint(*commands["predict"][0], "-o", wrong, code=2)


@pytest.mark.parametrize(
    ("name", "ending"), [("fit", ".nearkind"), ("report", ".html"), ("demo", ".html")]
)
def test_endings_are_asked_for(commands, tmp_path, name, ending):
    words = ("demo", "monks1") if name == "demo" else commands[name][0]
    path = tmp_path / "notes.txt"
    path.write_text("mine")
    told = complaint(*words, "-o", path, code=2)
    assert f"ends in {ending}" in told
    assert "--force" in told
    assert path.read_text() == "mine"
    if name == "fit":
        done(*words, "-o", path, "--force")
        assert path.read_bytes().startswith(b"\x89nearkind")


def test_devices_are_written_into(commands):
    done(*commands["fit"][0], "-o", os.devnull)


def test_results_of_others_are_kept(tmp_path):
    (tmp_path / "sets.md").write_text("my sets\n")
    (tmp_path / "rows.jsonl").write_text("1\n")
    for name in ("rows.jsonl", "sets.md"):
        told = complaint("reproduce", "sets", "-o", tmp_path, code=2)
        assert f"{name}'exists" in told.replace(" ", "")  # a long path is broken
        if name == "rows.jsonl":
            (tmp_path / name).unlink()
    done("reproduce", "sets", "-o", tmp_path, "--force")
    done("reproduce", "sets", "-o", tmp_path)


@pytest.mark.parametrize("command", WRITING)
def test_force_is_in_the_help(command):
    assert "--force" in run(command, "--help", COLUMNS="200").stdout
