"""A file is written whole or not at all."""

import builtins
import errno
import gzip
import os
import stat
import threading

import pytest

from nearkind.io import check_writable, write_columns, write_text
from nearkind.io.atomic_write import atomic_write, text_writer

COLUMNS = {"size": [1, None], "colour": ["red", "blue"]}


def write_half(path, error=KeyboardInterrupt):
    with atomic_write(path) as file:
        file.write(b"half")
        raise error


@pytest.mark.parametrize("error", [KeyboardInterrupt, ValueError, SystemExit])
def test_an_error_leaves_what_was_there(tmp_path, error):
    path = tmp_path / "a.csv"
    write_text("before", path)
    with pytest.raises(error):
        write_half(path, error)
    assert path.read_text() == "before"
    assert list(tmp_path.iterdir()) == [path]


def test_what_was_there_is_seen_until_the_end(tmp_path):
    path = tmp_path / "a.csv"
    write_text("before", path)
    with atomic_write(path) as file:
        file.write(b"after")
        file.flush()
        assert path.read_text() == "before"
    assert path.read_text() == "after"
    assert list(tmp_path.iterdir()) == [path]


def test_two_writers_do_not_meet(tmp_path):
    path = tmp_path / "a.csv"
    with atomic_write(path) as one, atomic_write(path) as other:
        one.write(b"one")
        other.write(b"other")
    assert path.read_text() == "one"  # the outer block ends last
    assert list(tmp_path.iterdir()) == [path]


def test_the_mode_of_a_file_is_kept(tmp_path):
    path = tmp_path / "a.csv"
    write_text("before", path)
    umask = os.umask(0)
    os.umask(umask)
    assert stat.S_IMODE(path.stat().st_mode) == 0o666 & ~umask
    path.chmod(0o640)
    write_text("after", path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


def test_a_link_stays_a_link(tmp_path):
    (tmp_path / "folder").mkdir()
    target, link = tmp_path / "folder" / "a.csv", tmp_path / "link.csv"
    link.symlink_to(target)
    write_text("text", link)
    assert link.is_symlink()
    assert target.read_text() == "text"
    assert list(target.parent.iterdir()) == [target]


def test_a_pipe_is_written_into(tmp_path):
    path, found = tmp_path / "pipe", []
    os.mkfifo(path)
    reader = threading.Thread(target=lambda: found.append(path.read_text()))
    check_writable(path)
    reader.start()
    write_text("text", path)
    reader.join()
    assert found == ["text"]
    assert stat.S_ISFIFO(path.stat().st_mode)


def test_a_device_stays_a_device():
    write_text("text", os.devnull)
    assert stat.S_ISCHR(os.stat(os.devnull).st_mode)


def test_a_path_without_a_folder_and_a_long_name(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    name = "é" * 120  # 240 bytes of the 255 that a name may have
    write_text("text", name)
    assert (tmp_path / name).read_text() == "text"


def test_places_that_cannot_be_written(tmp_path):
    for nowhere in (tmp_path / "nowhere" / "a.csv", tmp_path / "file" / "a.csv"):
        (tmp_path / "file").write_text("")
        with pytest.raises(FileNotFoundError, match="There is no folder"):
            write_columns(COLUMNS, nowhere)
        with pytest.raises(FileNotFoundError, match="There is no folder"):
            check_writable(nowhere)
    with pytest.raises(OSError, match="is a folder; name a file"):
        check_writable(tmp_path)
    (tmp_path / "a.csv").mkdir()
    with pytest.raises(OSError, match="is a folder; name a file"):
        write_columns(COLUMNS, tmp_path / "a.csv")
    check_writable(tmp_path / "b.csv")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.csv", "file"]


def test_a_folder_that_may_not_be_written(tmp_path, monkeypatch):
    def refuse(*_):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(builtins, "open", refuse)  # root may write anywhere
    with pytest.raises(PermissionError, match=r"^Cannot write '.*a\.csv': Permission"):
        write_columns(COLUMNS, tmp_path / "a.csv")


def test_text_is_packed_without_name_and_time(tmp_path):
    path = tmp_path / "a.gz"
    with atomic_write(path) as file, text_writer(file, packed=True) as write:
        for _ in range(1000):
            write("größe\n")
    packed = path.read_bytes()
    assert gzip.decompress(packed).decode() == "größe\n" * 1000
    assert packed[3:8] == bytes(5)  # no flags, so no name; time 0


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no full disk")
def test_a_full_disk_is_named():
    with pytest.raises(OSError, match=r"Cannot write '/dev/full': No space .* free"):
        write_text("much", "/dev/full")


def test_a_disk_that_fills_up_is_named_and_nothing_is_left(tmp_path):
    path = tmp_path / "a.csv"
    full = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    with pytest.raises(OSError, match=r"Cannot write .*a\.csv'.*another disk"):
        write_half(path, full)
    assert not list(tmp_path.iterdir())


def test_errors_of_other_files_stay_as_they_are(tmp_path):
    other = FileNotFoundError(errno.ENOENT, "No such file", "other.csv")
    with pytest.raises(FileNotFoundError) as caught:
        write_half(tmp_path / "a.csv", other)
    assert caught.value.filename == "other.csv"
