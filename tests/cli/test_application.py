"""The command line as a user meets it, in a process of its own where that matters."""

import gzip
import json
import re
import subprocess
import sys

import pytest

from helpers.commands import run
from nearkind import datasets
from nearkind.cli.application import COMMANDS
from nearkind.encoding.codebook import POLICIES
from nearkind.experiments.design import CONSTRAINTS
from nearkind.experiments.paper.protocol import PROTOCOLS
from nearkind.export.sql_dialects import DIALECTS
from nearkind.export.targets import TARGETS

OFFLINE = {"https_proxy": "http://127.0.0.1:9", "HTTPS_PROXY": "http://127.0.0.1:9"}


@pytest.fixture(autouse=True)
def bare(tmp_path, monkeypatch):
    """No folder of data, an empty cache, no network, and no colours asked for."""
    for variable in ("NEARKIND_DATA", "FORCE_COLOR", "no_proxy", "NO_PROXY"):
        monkeypatch.delenv(variable, raising=False)
    for variable in ("XDG_CACHE_HOME", "LOCALAPPDATA"):
        monkeypatch.setenv(variable, str(tmp_path / "cache"))
    for variable, nowhere in OFFLINE.items():
        monkeypatch.setenv(variable, nowhere)
    monkeypatch.setattr(
        "time.sleep", lambda _: None
    )  # before the network is tried again


def start(*arguments):
    """Run a command in a process of its own."""
    command = [sys.executable, "-m", "nearkind", *arguments]
    return subprocess.run(command, capture_output=True, encoding="utf-8", check=False)


def test_demo_tells_what_was_learned(tmp_path):
    out = start("demo", "monks1", "--output", tmp_path / "page.html")
    assert out.returncode == 0, out.stderr
    for words in (
        "432 rows",
        "relative optimality gap",
        "Hamming",
        "Contribution of each column",
        "squared distance",
    ):
        assert words in out.stdout
    assert "\x1b" not in out.stdout  # no colours, no bars in a pipe
    assert out.stderr == ""


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["demo", "balence"], 1, "Did you mean 'balance'?"),
        (["demo", "mushroom"], 1, "NEARKIND_DATA"),
        (["datasets", "balence"], 1, "Did you mean 'balance'?"),
        (["datasets", "mushroom"], 1, "a folder that holds mushroom.csv.gz"),
        (["datasets", "../x"], 1, "has only letters"),
        (["datasets", "balance", "-o", "nowhere/x.csv"], 1, "no folder 'nowhere'"),
        (["datasets", "balance", "-o", "x.txt"], 2, "must end in"),
        (["datasets", "-o", "x.csv"], 2, "--output requires"),
        (["dance"], 2, "No such command"),
        (["demo", "--fast"], 2, "No such option"),
    ],
)
def test_errors_are_one_sentence_and_a_code(arguments, code, words):
    out = run(*arguments)
    assert out.exit_code == code
    assert words in out.stderr
    assert "Traceback" not in out.stderr
    assert out.stdout == ""


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["datasets", "balence"], 1, "Did you mean 'balance'?"),
        (["dance"], 2, "No such command"),
    ],
)
def test_a_process_ends_with_the_code_of_its_error(arguments, code, words):
    out = start(*arguments)
    assert out.returncode == code
    assert words in out.stderr
    assert "Traceback" not in out.stderr
    assert out.stdout == ""


def test_help_and_version():
    assert "demo" in start("--help").stdout
    assert start("--version").stdout.strip().count(".") == 2


def test_list_in_a_pipe_is_plain_one_line_a_set():
    out = start("datasets")
    assert out.returncode == 0, out.stderr
    head, *lines = out.stdout.splitlines()
    assert head.split()[:5] == ["name", "rows", "features", "classes", "from"]
    assert [line.split()[0] for line in lines] == datasets.names()
    krkopt = next(line for line in lines if line.startswith("krkopt"))
    assert krkopt.split()[:5] == ["krkopt", "28,056", "6", "18", "rule"]
    assert "not here, OpenML 24 " in out.stdout
    assert out.stdout.isascii()


def test_list_on_a_terminal_is_framed():
    out = run("datasets", FORCE_COLOR="1", COLUMNS="120")
    assert "┃" in out.stdout
    assert "tic_tac_toe" in out.stdout


def test_list_for_programs(tmp_path):
    (tmp_path / "pets.csv.gz").write_bytes(gzip.compress(b"a,class\n1,x\n", mtime=0))
    rows = json.loads(run("datasets", "--json", NEARKIND_DATA=str(tmp_path)).stdout)
    by_name = {row["name"]: row for row in rows}
    assert list(by_name) == sorted([*datasets.names(), "pets"])
    assert by_name["pets"]["where"] == "folder"
    assert by_name["pets"]["rows"] is None
    assert by_name["adult"]["where"] == "not here"
    assert by_name["adult"]["openml"] == 1590
    assert by_name["led24"]["where"] == by_name["monks1"]["where"] == "rule"
    assert by_name["balance"]["rows"] == 625


def test_description_in_words_and_as_json():
    out = run("datasets", "credit_risk")
    lines = [line.split() for line in out.stdout.splitlines()]
    assert ["Education", "4", "0"] in lines
    assert ["Middle", "2"] in lines
    assert ["Risk", "rows"] in lines
    assert out.stdout.startswith("credit_risk: 6 rows, 3 features, 3 classes\n")
    for words in ("source", "licence", "citation  Fan and Gaussier (2022)"):
        assert f"\n{words}" in out.stdout
    facts = json.loads(run("datasets", "credit_risk", "--json").stdout)
    assert facts["classes"] == {"Low": 2, "High": 2, "Middle": 2}
    assert facts["columns"][1] == {"name": "Education", "values": 4, "missing": 0}
    assert facts["licence"] == datasets.load("credit_risk").licence


def test_description_counts_missing_values_and_takes_names_literally(tmp_path):
    text = "[bold]a,class\n1,[red]x\n,[red]x\n2,[/]\n"
    (tmp_path / "pets.csv.gz").write_bytes(gzip.compress(text.encode()))
    out = run("datasets", "pets", NEARKIND_DATA=str(tmp_path))
    lines = [line.split() for line in out.stdout.splitlines()]
    assert ["[bold]a", "2", "1"] in lines
    assert ["[red]x", "2"] in lines
    assert ["[/]", "1"] in lines


@pytest.mark.parametrize("ending", [".csv", ".csv.gz"])
def test_a_set_is_written_out_and_can_be_loaded_again(ending, tmp_path):
    path = tmp_path / f"mine{ending}"
    out = run("datasets", "monks1", "-o", str(path))
    assert out.exit_code == 0, out.stderr
    assert out.stdout.startswith(f"{path}: 432 rows, 6 features")
    data = path.read_bytes()
    text = gzip.decompress(data) if ending.endswith("gz") else data
    (tmp_path / "back.csv.gz").write_bytes(gzip.compress(text))
    facts = run("datasets", "back", "--json", NEARKIND_DATA=str(tmp_path)).stdout
    assert json.loads(facts)["classes"] == {"1": 216, "0": 216}
    assert {p.name for p in tmp_path.iterdir()} == {path.name, "back.csv.gz"}


def test_a_changed_file_is_told_in_one_sentence(tmp_path):
    (tmp_path / "zoo.csv.gz").write_bytes(gzip.compress(b"a,class\n1,x\n", mtime=0))
    out = run("datasets", "zoo", NEARKIND_DATA=str(tmp_path))
    assert out.exit_code == 0
    assert out.stderr.startswith("nearkind: zoo.csv.gz is not the copy")
    assert out.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "zoo.csv.gz, line 1: expected a header, but the file is empty"),
        (gzip.compress(b"a,b\n1,2\n", mtime=0), "named 'class', got 'b'"),
        (gzip.compress(b"a,class\n1,2\n", mtime=0)[:-9], "zoo.csv.gz is damaged after"),
    ],
)
def test_a_bad_file_is_named_in_one_sentence(data, words, tmp_path):
    (tmp_path / "zoo.csv.gz").write_bytes(data)
    out = run("datasets", "zoo", NEARKIND_DATA=str(tmp_path))
    assert out.exit_code == 1
    assert words in out.stderr
    assert out.stderr.count("\n") == 1


def test_reproduce_lists_its_items_and_makes_one(tmp_path):
    out = run("reproduce", "--list")
    assert out.exit_code == 0, out.stderr
    assert re.search(r"classification +(seconds|\d+ \w+) +accuracy on", out.stdout)
    out = run("reproduce", "sets", "-o", str(tmp_path / "made"))
    assert out.exit_code == 0, out.stderr
    assert (tmp_path / "made" / "sets.md").exists()


def test_reproduce_asks_before_it_takes_days(tmp_path):
    made = tmp_path / "made"
    out = run("reproduce", "--protocol", "paper", "-o", str(made))
    assert out.exit_code == 1
    assert "days on two cores. Pass --yes to start it" in out.stderr
    assert not made.exists()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--strengths", "1,x"], "--strengths must be 'shares', 'paper' or numbers"),
        (["--strengths", "0"], "'strengths' parameter of Design must be"),
        (["--k", "some"], "'n_neighbors' parameter of Design must be"),
        (["--p", "0.5"], "'p' parameter of Design must be a number >= 1"),
    ],
)
def test_reproduce_refuses_wrong_settings(options, words):
    out = run("reproduce", "sets", *options)
    assert out.exit_code == 1
    assert words in out.stderr
    assert out.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("option", "word"), [("--protocol", "papr"), ("--constraints", "neighbors")]
)
def test_reproduce_lists_the_words_that_an_option_takes(option, word):
    out = run("reproduce", "sets", option, word)
    assert out.exit_code == 2
    assert f"'{word}' is not one of" in out.stderr


def test_reproduce_suggests_names():
    out = run("reproduce", "triplet")
    assert out.exit_code == 1
    assert "Did you mean 'triplets'" in out.stderr
    assert "Traceback" not in out.stderr


@pytest.mark.parametrize("words", ["", "Unable to allocate 9 PiB"])
def test_too_little_memory_says_what_to_do(monkeypatch, words):
    def fail(*_):
        raise MemoryError(words)

    monkeypatch.setattr("nearkind.datasets.sources.obtain", fail)
    out = run("datasets", "balance")
    assert out.exit_code == 1
    assert out.stderr.startswith("nearkind: Not enough memory")
    assert words in out.stderr
    assert "fewer rows" in out.stderr


def test_a_full_disk_says_which_file():
    out = run("fit", "monks1", "-m", "hamming", "-o", "/dev/full")
    assert out.exit_code == 1
    assert "'/dev/full': No space left" in out.stderr
    assert "None" not in out.stderr


@pytest.mark.parametrize("command", [None, *COMMANDS])
def test_help_shows_no_type_beside_a_flag(command):
    words = [] if command is None else [command.__name__]
    assert "bool" not in run(*words, "--help", COLUMNS="200").stdout.lower()


def test_help_shows_the_words_that_an_option_takes():
    allowed = {
        "fit": POLICIES.values(),
        "export": (DIALECTS, TARGETS),
        "reproduce": (PROTOCOLS, CONSTRAINTS),
    }
    for command, groups in allowed.items():
        shown = run(command, "--help", COLUMNS="200").stdout
        for words in groups:
            assert "|".join(words) in shown, words
