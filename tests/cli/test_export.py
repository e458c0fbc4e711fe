"""``nearkind export``, as a command of its own."""

import json

import pytest
import typer
from typer.testing import CliRunner

import nearkind as nk
from nearkind.cli.export import export
from nearkind.cli.option_groups import grouped

ROWS, LABELS = [["a"], ["b"], ["a"], ["b"]], ["n", "y", "n", "y"]


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Return a function that runs the command in a folder with a saved model."""
    monkeypatch.chdir(tmp_path)
    app = typer.Typer()
    app.command()(grouped(export))
    model = nk.CPMLClassifier(nk.baselines.Euclidean(), n_neighbors=1)
    nk.save(model.fit(ROWS, LABELS), "model.nearkind")
    return lambda *arguments: CliRunner().invoke(app, ["model.nearkind", *arguments])


@pytest.mark.parametrize(
    ("to", "files"),
    [
        ("json", ["model.json"]),
        ("csv", ["model.csv", "model.rows.csv"]),
        ("sql", ["model.sql"]),
        ("onnx", ["model.onnx"]),
    ],
)
def test_files_are_named_after_the_model(run, to, files, tmp_path):
    out = run("--to", to)
    assert out.exit_code == 0, out.output
    assert out.stdout.split() == files
    made = {path.name for path in tmp_path.iterdir()}
    assert made == {*files, "model.nearkind"}


def test_options_reach_their_target(run, tmp_path):
    out = run(
        "--to", "sql", "-o", "x.sql", "--dialect", "pgvector", "--table", "t",
        "--key", "k",
    )  # fmt: skip
    assert out.exit_code == 0, out.output
    script = (tmp_path / "x.sql").read_text()
    assert "CREATE EXTENSION" in script
    assert 't."k" AS key FROM "t" t' in script
    assert 'CREATE VIEW "model_classes"' in script
    assert script.splitlines()[1] == '-- Then query the view "model_classes".'
    assert out.stderr == "x.sql: query the view model_classes\n"
    assert run("-o", "x.sql", "--name", 'a"b').exit_code == 0
    assert 'CREATE VIEW "a""b_classes"' in (tmp_path / "x.sql").read_text()


@pytest.mark.parametrize(
    ("place", "files"),
    [
        ("x.json", ["x.json"]),
        ("x.onnx", ["x.onnx"]),
        ("x", ["x/model.csv", "x/model.rows.csv"]),
    ],
)
def test_the_ending_says_what_to_write(run, place, files, tmp_path):
    out = run("-o", place)
    assert out.exit_code == 0, out.output
    assert out.stdout.split() == files
    assert all((tmp_path / file).exists() for file in files)


def test_a_member_is_picked_by_number(run, tmp_path):
    assert run("--to", "json", "--member", "1").exit_code == 0
    assert json.loads((tmp_path / "model.json").read_text())["classes"]
    out = run("--to", "json", "--member", "2")
    assert "There is no member 2: the model has 1" in str(out.exception)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--to", "jsn"], "'jsn' is not one of 'json'"),
        (["--to", "json", "-o", "model.nearkind"], "the file of MODEL"),
        ([], "--to"),
        (["-o", "model.txt"], "none of json"),
    ],
)
def test_bad_usage(run, arguments, words):
    out = run(*arguments)
    assert out.exit_code == 2
    assert words in out.output
