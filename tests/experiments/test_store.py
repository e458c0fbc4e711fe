"""The results file: incomplete lines, locks, full disks."""

import errno
import gzip
import os
import resource
import subprocess
import sys

import pytest

from nearkind.experiments import Row, read_rows
from nearkind.experiments.store import open_store

ROWS = [Row("zoo", "lmnn", r, "shares, k=1", seed=r, accuracy=r / 7) for r in range(3)]


@pytest.fixture
def path(tmp_path):
    place = tmp_path / "results.jsonl"
    with open_store(place) as store:
        for row in ROWS:
            store.append(row)
    return place


def test_rows_come_back_in_order(path):
    assert read_rows(path) == ROWS
    assert path.read_text().count("\n") == 3
    with open_store(path) as store:
        assert list(store.rows.values()) == ROWS


def test_the_last_row_of_a_key_counts(path):
    again = ROWS[1]._replace(accuracy=0.9)
    with open_store(path) as store:
        store.append(again)
        assert store.rows[again.key] == again
    assert read_rows(path) == [ROWS[0], again, ROWS[2]]


def test_several_files_are_read_packed_or_not_and_the_last_row_counts(path, tmp_path):
    packed = tmp_path / "results.jsonl.gz"
    again = ROWS[1]._replace(accuracy=0.9)
    packed.write_bytes(gzip.compress(again.line().encode()))
    assert read_rows(path, packed) == [ROWS[0], again, ROWS[2]]
    assert read_rows(packed) == [again]


@pytest.mark.parametrize("n_left", [1, 20, -1])
def test_an_incomplete_line_is_left_out_and_written_over(path, n_left):
    whole = path.read_bytes()
    path.write_bytes(whole + ROWS[0].line().encode()[:n_left])
    with pytest.warns(UserWarning, match="ends in an incomplete line of"):
        assert read_rows(path) == ROWS
    new = ROWS[0]._replace(repetition=9)
    with pytest.warns(UserWarning, match="incomplete"), open_store(path) as store:
        store.append(new)
    assert path.read_bytes() == whole + new.line().encode()
    assert read_rows(path) == [*ROWS, new]


def test_a_last_line_of_rubbish_is_incomplete_too(path):
    path.write_bytes(path.read_bytes() + b"\0" * 40 + b"\n")
    with pytest.warns(UserWarning, match="incomplete line of 41 bytes"):
        assert read_rows(path) == ROWS


def test_a_damaged_line_before_the_last_is_refused_and_nothing_is_lost(path):
    lines = path.read_text().splitlines(keepends=True)
    path.write_text("".join([lines[0], lines[1][:30] + "\n", lines[2]]))
    before = path.read_bytes()
    with pytest.raises(ValueError, match=r"results.jsonl, line 2"):
        read_rows(path)
    with pytest.raises(ValueError, match="line 2"), open_store(path):
        pass
    assert path.read_bytes() == before


def test_a_second_run_is_refused(path):
    hold = (
        "import sys; from nearkind.experiments.store import open_store\n"
        "with open_store(sys.argv[1]): print('held', flush=True); sys.stdin.read()"
    )
    command = [sys.executable, "-c", hold, str(path)]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen(command, **pipes) as other:
        assert other.stdout.readline() == b"held\n"
        with (
            pytest.raises(
                OSError, match=r"Another run is writing results.jsonl\. Wait"
            ),
            open_store(path),
        ):
            pass
        assert read_rows(path) == ROWS  # reading is free
        other.kill()
    with open_store(path) as store:  # death gives the lock back
        assert len(store.rows) == 3


def test_a_full_disk_leaves_whole_lines(path):
    before = path.read_bytes()
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    new = ROWS[0]._replace(repetition=9)
    with open_store(path) as store:
        resource.setrlimit(resource.RLIMIT_FSIZE, (len(before) + 30, hard))
        try:
            with pytest.raises(OSError, match=r"Cannot write .* All rows before this"):
                store.append(new)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        assert path.read_bytes() == before
        store.append(new)
    assert read_rows(path) == [*ROWS, new]


def test_an_error_of_the_disk_is_one_sentence(path, monkeypatch):
    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    with open_store(path) as store:
        monkeypatch.setattr(os, "fsync", full)
        with pytest.raises(OSError, match=r"No space left on device\. All rows"):
            store.append(ROWS[0]._replace(repetition=9))
    assert read_rows(path) == ROWS


def test_a_place_that_cannot_be_written_is_named(tmp_path):
    with (
        pytest.raises(
            OSError, match=r"Cannot write .*nowhere.*Name a file in a folder"
        ),
        open_store(tmp_path / "nowhere" / "results.jsonl"),
    ):
        pass
    with pytest.raises(IsADirectoryError, match="Cannot write"), open_store(tmp_path):
        pass
    with pytest.raises(FileNotFoundError, match="Run the experiments first"):
        read_rows(tmp_path / "none.jsonl")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anything")
def test_a_file_that_may_only_be_read_is_named(path):
    path.chmod(0o444)
    with pytest.raises(PermissionError, match="Cannot write"), open_store(path):
        pass
