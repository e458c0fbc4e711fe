"""Whole runs: jobs, resuming, deaths, limits, names."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import nearkind
from helpers.odd_methods import ODD
from nearkind.experiments import Design, Limits, read_rows, run

SMALL = Design(rows=60)
SETS, PAIR = ["monks1", "balance"], ["cpml-s", "euclidean"]
MEASURED = {"fit_seconds", "search_seconds", "seconds", "peak_memory"}
PATIENCE = 60.0


def settled(rows):
    """Return rows without what differs from run to run."""
    nothing = dict.fromkeys(MEASURED)
    return [row._replace(**nothing) for row in rows]


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    path = tmp_path_factory.mktemp("two_jobs") / "results.jsonl"
    limits = Limits(seconds=PATIENCE)
    return path, run(
        SETS, PAIR, 1, path, design=SMALL, limits=limits, jobs=2, verbose=0
    )


def test_a_run_makes_every_row(finished):
    path, rows = finished
    assert [row.key[:3] for row in rows] == [
        (dataset, method, 0)
        for dataset in ("balance", "monks1")  # the smaller one first
        for method in PAIR
    ]
    assert {row.status for row in rows} == {"done"}
    assert sorted(read_rows(path)) == sorted(rows)
    for row in rows:
        assert 0.0 <= row.accuracy <= 1.0
        assert row.peak_memory > 1.0
        assert (row.strength is None) == (row.method == "euclidean")


def test_rows_do_not_depend_on_the_number_of_jobs(finished, tmp_path):
    path = tmp_path / "results.jsonl"
    rows = run(SETS, PAIR, 1, path, design=SMALL, jobs=1, verbose=0)
    assert settled(rows) == settled(finished[1])


def test_a_finished_run_is_not_made_again(finished):
    path, rows = finished
    before = path.read_bytes()
    assert run(SETS, PAIR, 1, path, design=SMALL, verbose=0) == rows
    assert path.read_bytes() == before


def odd(methods, path, **settings):
    options = {"design": SMALL, "table": ODD, "verbose": 0, **settings}
    return run(["monks1"], methods, 1, path, **options)


def test_a_row_that_takes_too_long_is_killed_and_others_go_on(tmp_path):
    limits = Limits(seconds=3.0)
    rows = odd(["sleeping", "plain"], tmp_path / "r.jsonl", limits=limits, jobs=2)
    assert [row.status for row in rows] == ["timed out", "done"]
    assert rows[0].seconds >= 3.0
    assert rows[0].accuracy is None


@pytest.mark.parametrize(
    ("method", "status"),
    [
        ("failing", "failed: ValueError: no rows are good enough"),
        ("dying", "failed: The process was ended by SIGKILL; the system may have"),
        ("leaving", "failed: The process ended with code 3"),
    ],
)
def test_what_fails_is_a_row(method, status, tmp_path):
    bad, good = odd([method, "plain"], tmp_path / "r.jsonl")
    assert bad.status.startswith(status)
    assert bad.seed == good.seed
    assert good.status == "done"


@pytest.mark.skipif(sys.platform != "linux", reason="limits of memory need Linux")
def test_memory_may_be_limited(tmp_path):
    limits = Limits(megabytes=300.0)
    rows = odd(["greedy", "plain"], tmp_path / "r.jsonl", limits=limits)
    assert [row.status for row in rows] == ["out of memory", "done"]


def test_rows_that_failed_are_made_again_only_if_asked(tmp_path):
    path = tmp_path / "r.jsonl"
    table = {"turning": ODD["failing"]}
    [failed] = odd(["turning"], path, table=table)
    mended = {"turning": ODD["plain"]}
    assert odd(["turning"], path, table=mended) == [failed]
    [row] = odd(["turning"], path, table=mended, retry=True)
    assert row.status == "done"
    assert read_rows(path) == [row]
    assert odd(["turning"], path, table=table, retry=True) == [row]


SCRIPT = """
import sys
from helpers.odd_methods import ODD
from nearkind.experiments import Design, run

if __name__ == "__main__":
    run(["monks1"], sys.argv[2:], 4, sys.argv[1], design=Design(rows=60), table=ODD,
        jobs=2)
"""


def started(path, *methods, sleepers):
    """Start a run in a process group of its own, as a terminal does.

    Ctrl-C ends it even if these tests run in the background, where it is ignored.
    """
    script = path.with_suffix(".py")
    script.write_text(SCRIPT)
    folders = Path(__file__).parents[1], Path(nearkind.__file__).parents[1]
    here = {
        "PYTHONPATH": os.pathsep.join(map(str, folders)),
        "SLEEPERS": str(sleepers),
    }
    return subprocess.Popen(
        [sys.executable, str(script), str(path), *methods],
        env={**os.environ, **here},
        start_new_session=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        stderr=subprocess.PIPE,
        text=True,
    )


def wait_for(what):
    end = time.monotonic() + PATIENCE
    while not what():
        assert time.monotonic() < end, "it did not come"
        time.sleep(0.02)


def is_alive(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().split()[2] not in "ZX"
    except OSError:
        return False


def n_lines(path):
    return path.read_bytes().count(b"\n") if path.exists() else 0


@pytest.mark.skipif(not Path("/proc").exists(), reason="looks for processes in /proc")
@pytest.mark.parametrize(
    "blow", [pytest.param(signal.SIGKILL, marks=pytest.mark.slow), signal.SIGINT]
)
def test_a_run_that_is_ended_keeps_its_rows_and_leaves_nobody(blow, tmp_path):
    path, sleepers = tmp_path / "r.jsonl", tmp_path / "sleepers"
    sleepers.mkdir()
    methods = ["dozing", "sleeping"]
    with started(path, *methods, sleepers=sleepers) as process:
        wait_for(lambda: len(list(sleepers.iterdir())) == 4)  # two at work, two done
        if blow is signal.SIGKILL:
            process.kill()
        else:
            os.killpg(process.pid, blow)
        said = process.communicate(timeout=PATIENCE)[1]
    assert process.returncode != 0
    pids = [int(place.name) for place in sleepers.iterdir()]
    wait_for(lambda: not any(map(is_alive, pids)))
    kept = path.read_bytes()
    assert kept.endswith(b"\n")
    assert n_lines(path) == 2
    assert "monks1  dozing  #0" in said
    assert blow is signal.SIGKILL or said.count("Traceback") == 1  # the script's own

    rows = run(["monks1"], ["dozing"], 4, path, design=SMALL, table=ODD, verbose=0)
    assert {row.status for row in rows} == {"done"}
    assert path.read_bytes().startswith(kept)
    assert n_lines(path) == len(rows)  # none was made twice


@pytest.mark.parametrize(
    ("sets", "methods", "words"),
    [
        (["monks7"], ["lmnn"], "no data set 'monks7'. Did you mean 'monks"),
        (["monks1"], ["cpml_s"], "no method 'cpml_s'. Did you mean 'cpml-s'"),
        (["monks1"], ["xyzzy"], "no method 'xyzzy'. Choose from 'cpml-s', 'cpml-m'"),
    ],
)
def test_unknown_names_are_refused_before_anything_runs(sets, methods, words, tmp_path):
    path = tmp_path / "r.jsonl"
    with pytest.raises(ValueError, match=words):
        run(sets, methods, 1, path, verbose=0)
    assert not path.exists()


@pytest.mark.parametrize(
    ("repetitions", "settings", "words"),
    [
        (0, {}, "'repetitions' parameter of run must be a whole number >= 1; got 0"),
        (1, {"jobs": 0}, "'jobs' .* must be a whole number >= 1; got 0"),
        (1, {"limits": Limits(0.0)}, "'seconds' .* None or a number > 0; got 0.0"),
        (1, {"limits": Limits(megabytes=-1)}, "'megabytes' .* got -1"),
        (1, {"limits": Limits(n_threads=0)}, "'n_threads' .* >= 1; got 0"),
    ],
)
def test_wrong_numbers_are_refused(repetitions, settings, words, tmp_path):
    with pytest.raises(ValueError, match=words):
        run(["monks1"], ["plain"], repetitions, tmp_path / "r", table=ODD, **settings)
