"""Commands in processes of their own: pipes, a terminal, Ctrl-C, and what is loaded."""

import os
import subprocess
import sys
import time

import pytest

from helpers.commands import PETS

NEARKIND = [sys.executable, "-m", "nearkind"]


def shell(line, **names):
    """Run a line of shell, $nearkind being the command."""
    words = {"nearkind": " ".join(NEARKIND), **{k: str(v) for k, v in names.items()}}
    return subprocess.run(
        ["bash", "-c", f"set -o pipefail; {line}"],
        capture_output=True, encoding="utf-8", check=False, env=os.environ | words,
    )  # fmt: skip


def test_a_table_through_a_pipe(models, pets):
    line = "cat $pets | $nearkind predict $model - | cut -d, -f1"
    out = shell(line, pets=pets, model=models["hamming"])
    assert out.returncode == 0, out.stderr
    assert out.stdout.splitlines()[0] == "predicted"
    assert len(out.stdout.splitlines()) == 13


@pytest.mark.parametrize("flag", ["", "--json"])
def test_a_reader_that_goes_away_is_no_error(models, tmp_path, flag):
    head, *rows = PETS.splitlines(keepends=True)
    (tmp_path / "many.csv").write_text(head + "".join(rows) * 500)
    line = f"$nearkind predict $model $many {flag} | head -1; echo ${{PIPESTATUS[0]}}"
    out = shell(line, model=models["hamming"], many=tmp_path / "many.csv")
    assert out.stdout.splitlines()[-1] == "0"
    assert "Broken" not in out.stderr
    assert "Traceback" not in out.stderr


def test_a_pipe_is_utf_8_whatever_the_locale(models, pets):
    line = "PYTHONIOENCODING=ascii $nearkind neighbors $model $pets --row 0 -k 3"
    out = shell(line, model=models["hamming"], pets=pets)
    assert out.returncode == 0, out.stderr
    assert "█" in out.stdout


def test_help_loads_nothing_heavy():
    heavy = "numpy scipy sklearn pandas pyarrow nearkind.io nearkind.tables"
    code = (
        "import sys\nfrom nearkind.cli import main\n"
        "sys.argv = ['nearkind', *sys.argv[1:]]\n"
        "try: main()\nexcept SystemExit: pass\n"
        f"print([n for n in {heavy.split()} if n in sys.modules], file=sys.stderr)"
    )
    for arguments in (["--help"], ["fit", "--help"], ["compare", "--help"]):
        out = subprocess.run(
            [sys.executable, "-c", code, *arguments],
            capture_output=True, encoding="utf-8", check=True,
        )  # fmt: skip
        assert "Usage" in out.stdout
        assert out.stderr.strip() == "[]"


def read_until(master, seconds, enough):
    """Return what a terminal shows until it is enough, or its program has ended."""
    import select

    shown, end = b"", time.monotonic() + seconds
    while time.monotonic() < end and not enough(shown):
        if select.select([master], [], [], 0.1)[0]:
            try:
                part = os.read(master, 1 << 16)
            except OSError:  # Linux: nobody has the other end open
                return shown
            if not part:
                return shown
            shown += part
    return shown


@pytest.mark.skipif(sys.platform == "win32", reason="there are no pseudo-terminals")
def test_progress_on_a_terminal_and_ctrl_c_leaves_nothing(tmp_path):
    import fcntl
    import pty
    import termios

    master, terminal = pty.openpty()
    process = subprocess.Popen(
        [*NEARKIND, "fit", "krkopt", "-o", "model.nearkind"],
        stdin=terminal, stdout=terminal, stderr=terminal, cwd=tmp_path,
        start_new_session=True, env=os.environ | {"TERM": "xterm", "COLUMNS": "80"},
        preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
    )  # fmt: skip
    os.close(terminal)
    try:
        shown = read_until(master, 60, lambda text: "━".encode() in text)
        assert "━".encode() in shown
        os.write(master, b"\x03")
        rest = read_until(master, 60, lambda text: False)
        assert process.wait(timeout=60) == 130
    finally:
        process.kill()
        process.wait()
        os.close(master)
    assert b"Traceback" not in rest
    assert list(tmp_path.iterdir()) == []
