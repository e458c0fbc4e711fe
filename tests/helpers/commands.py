"""Commands as a person gives them, in this process; and a small table of pets."""

import json
from functools import cache

from typer import testing

from nearkind.cli import app

testing._get_command = cache(testing._get_command)  # 50 ms for each command otherwise

PETS = """name,legs,coat,weight,kind
Rex,4,fur,007,dog
Tom,4,fur,004,cat
Pip,2,down,001,bird
Ada,2,down,001,bird
Bo,4,fur,009,dog
Mia,4,fur,004,cat
Kit,4,fur,003,cat
Jay,2,down,002,bird
Zed,4,curls,012,dog
Lua,4,fur,005,cat
Max,4,curls,011,dog
Tweety,2,,001,bird
"""


def run(*arguments, stdin=None, **variables):
    """Return what a command did under these variables of the environment."""
    words = [str(a) for a in arguments]
    return testing.CliRunner().invoke(app, words, input=stdin, env=variables)


def done(*arguments, stdin=None):
    """Return what a command printed; it must succeed."""
    result = run(*arguments, stdin=stdin)
    assert result.exit_code == 0, result.stderr
    return result.stdout


def facts(*arguments, stdin=None):
    """Return what a command says to programs."""
    return json.loads(done(*arguments, "--json", stdin=stdin))


def complaint(*arguments, code=1, stdin=None):
    """Return what a command says that must fail: one sentence if the data is bad."""
    result = run(*arguments, stdin=stdin)
    assert result.exit_code == code, (result.stdout, result.stderr)
    assert result.stdout == ""
    assert "Traceback" not in result.stderr
    if code == 1:
        assert result.stderr.startswith("nearkind: ")
        assert result.stderr.count("\n") == 1
    return " ".join(result.stderr.replace("│", " ").split())
