"""The command line: all commands, and errors as one sentence with exit code 1."""

import os
import signal
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from io import TextIOWrapper
from typing import Annotated, Any, NoReturn

import typer
from typer.core import TyperCommand, TyperGroup

from nearkind.cli.deferred_import import defer
from nearkind.cli.option_groups import grouped
from nearkind.errors import Advised, Parameter

NAMES = (
    "demo fit teach show predict neighbors explain change transform cluster "
    "outliers impute match duplicates audit evaluate compare report export "
    "datasets reproduce"
)
COMMANDS = [
    getattr(import_module(f"nearkind.cli.{name}"), name) for name in NAMES.split()
]
"""Each command is the function of a file, both of its name."""
BAD_DATA = ValueError, TypeError, OSError, ImportError, MemoryError
BAD_USAGE = 2
ENDED_BY_SIGNAL = 128
"""The exit code of a command that a signal ended is this plus the signal's number."""


class _PlainFlags:
    """A command, or their group, whose help shows no type beside a flag."""

    def get_params(self, ctx: Any) -> list[Any]:
        """Return the parameters, that of help among them."""
        params = super().get_params(ctx)  # type: ignore[misc]
        for param in params:
            if getattr(param, "is_flag", False):
                param.metavar = ""
        return params


class Command(_PlainFlags, TyperCommand):
    """A command."""


class Commands(_PlainFlags, TyperGroup):
    """The group of commands; an error of the data is printed in one sentence."""

    def invoke(self, ctx: Any) -> Any:
        """Run a command."""
        with errors_in_one_sentence():
            return super().invoke(ctx)


app = typer.Typer(
    cls=Commands,
    help="Learned distances between the rows of categorical and mixed tables.",
    no_args_is_help=True,
    add_completion=True,
    pretty_exceptions_enable=False,
)


def main() -> None:
    """Run a command; Ctrl-C and SIGTERM end it at once, without half-written files.

    Ctrl-C stays ignored where it is from the start, as in the background of a script.
    """
    for number in (signal.SIGINT, signal.SIGTERM):
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, _leave)
    _check_streams()
    _check_arguments()
    _configure_encoding()
    defer("pandas", "scipy.stats")
    try:
        app()
    except SystemExit as end:
        if isinstance(end.__context__, BrokenPipeError):  # whoever caught it exits by 1
            raise SystemExit(0) from None
        raise
    except OSError as error:  # of help and version, which are no commands
        _close_output()
        _print_error(_sentence(error))
        raise SystemExit(1) from None


def _check_streams() -> None:
    """Leave if standard output is closed; let complaints go nowhere if they must."""
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w")  # noqa: SIM115 - until the end
    if sys.stdout is None:
        _print_error(
            "Standard output is closed. Redirect it to /dev/null to discard the output."
        )
        raise SystemExit(1)


def _check_arguments() -> None:
    """Leave if an argument is not text, as it could not be written into any answer."""
    for argument in sys.argv[1:]:
        try:
            argument.encode()
        except UnicodeEncodeError:
            shown = os.fsencode(argument).decode(errors="backslashreplace")
            _print_error(
                f"The argument '{shown}' is not UTF-8. If it is a file name, rename "
                "the file, or pass the table on standard input with DATA -."
            )
            raise SystemExit(BAD_USAGE) from None


def _configure_encoding() -> None:
    """Write UTF-8 to pipes and files; a terminal shows ? for letters it has not."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            if stream.isatty():
                stream.reconfigure(errors="replace")
            else:
                stream.reconfigure(encoding="utf-8")


KEPT = {
    "fit": "No model was written; --keep-best keeps the best one found so far.",
    "reproduce": "Finished trials are kept; run the command again to continue.",
}
"""What is said when Ctrl-C or SIGTERM ends a command; of others, that nothing was."""


def _leave(number: int, _: Any) -> NoReturn:
    # Not KeyboardInterrupt: a solver takes that for the end and keeps its best metric.
    kept = KEPT.get(next(iter(sys.argv[1:]), ""), "No file was written.")
    os.write(2, f"\nnearkind: stopped. {kept}\n".encode())
    raise SystemExit(ENDED_BY_SIGNAL + number)


@contextmanager
def errors_in_one_sentence() -> Iterator[None]:
    """Print errors and warnings of bad data on standard error, a line each."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            warnings.simplefilter("default", UserWarning)
            warnings.showwarning = _print_error
            yield
            sys.stdout.flush()
    except BrokenPipeError:
        _close_output()
        raise typer.Exit(0) from None
    except BAD_DATA as error:
        _print_error(_sentence(error))
        raise typer.Exit(1) from None


def _sentence(error: BaseException) -> str:
    """Return the message of an error, without the number that the system gives it."""
    if isinstance(error, OSError) and error.filename is not None:
        return f"{str(error.filename)!r}: {error.strerror}."
    if isinstance(error, OSError) and error.errno is not None:
        return f"{error.strerror}."
    if isinstance(error, MemoryError):
        return (
            f"Not enough memory{f' ({error})' if str(error) else ''}. Use fewer rows "
            "or columns, or read in batches with `nearkind fit --stream`."
        )
    if isinstance(error, Advised):
        return error.worded(option_text)
    return str(error) or f"{type(error).__name__} without a message."


def option_text(parameter: Parameter) -> str:
    """Return the option of ``nearkind fit`` for a parameter that a message names.

    Examples
    --------
    >>> option_text(Parameter("max_iter")), option_text(Parameter("unseen", "error"))
    ('--max-iter', '`fit --unseen error`')
    >>> option_text(Parameter("drop", "key"))
    "Drop it with --drop 'key'"
    """
    flag = f"--{parameter.name.replace('_', '-')}"
    if parameter.value is None:
        return flag
    if parameter.name == "drop":
        return f"Drop it with {flag} {parameter.value!r}"
    if parameter.name == "categorical":
        return f"{flag} {parameter.value!r}"
    if parameter.name == "numeric":  # also of commands without labels
        return f"{flag} {parameter.value}"
    return f"`fit {flag} {parameter.value}`"


def _print_error(message: Warning | str, *_: Any, **__: Any) -> None:
    from nearkind.tables import printable

    sentence = message if isinstance(message, str) else _sentence(message)
    line = " ".join(line.strip() for line in sentence.splitlines())
    typer.echo(f"nearkind: {printable(line)}", err=True)


def _close_output() -> None:
    """Discard what is still to be written: its reader has gone."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _version(wanted: bool) -> None:
    if wanted:
        from nearkind import __version__

        typer.echo(__version__)
        raise typer.Exit


@app.callback()
def nearkind(
    version: Annotated[
        bool,
        typer.Option(
            "--version",
            help="Print the version and exit.",
            callback=_version,
            is_eager=True,
        ),
    ] = False,
) -> None:
    """Learned distances between the rows of categorical and mixed tables."""


for command in COMMANDS:
    app.command(cls=Command)(grouped(command))
