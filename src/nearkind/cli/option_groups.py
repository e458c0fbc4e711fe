"""Options in groups: dataclasses whose fields are made by ``option`` and ``argument``.

A command has one parameter for a group, which ``grouped`` turns into one option per
field.
"""

import inspect
import tomllib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import MISSING, Field, field, fields, is_dataclass
from functools import cache, wraps
from importlib.resources import files
from typing import Annotated, Any

import typer

Complete = Callable[[str], list[str]]
"""From what is written of a word to the words that it may become."""
Part = tuple[str, Any, Any]
"""Name, type and default of a parameter of a command, or of a field of a group."""


@cache
def _table() -> dict[str, dict[str, dict[str, Any]]]:
    """Return what ``options.toml`` says of options, by group or command and name."""
    text = files("nearkind.cli").joinpath("options.toml").read_text("utf-8")
    return tomllib.loads(text)


def _described(kind: Callable[..., Any], owner: str, name: str, **more: Any) -> Any:
    """Return an option or argument as the table describes it, and ``more`` of it."""
    facts = {**_table()[owner][name], **more}
    return kind(*facts.pop("names", ()), **facts)


def shared(name: str, kind: Callable[..., Any] = typer.Option, **more: Any) -> Any:
    """Return an option or argument that several commands have."""
    return _described(kind, "Shared", name, **more)


def option(*, default: Any = None, **settings: Any) -> Any:
    """Return the default of a parameter or a field that is an option.

    What is said of it is in ``options.toml``, under the name of the group or command
    and its own.
    """
    return field(default=default, metadata={"kind": typer.Option, **settings})


def argument(*, default: Any = MISSING, **settings: Any) -> Any:
    """Return the default of a parameter or a field that is an argument."""
    return field(default=default, metadata={"kind": typer.Argument, **settings})


def grouped(command: Callable[..., None]) -> Callable[..., None]:
    """Return a command with an option for each field of its parameters of dataclasses.

    Parameters
    ----------
    command : callable
        Parameters whose type is a dataclass get one made of the options.

    Examples
    --------
    >>> from dataclasses import dataclass
    >>> @dataclass
    ... class Point:
    ...     x: int
    ...     y: int = 0
    >>> def show(name: str, at: Point) -> None:
    ...     print(name, at)
    >>> inspect.signature(grouped(show))
    <Signature (*, name: str, x: int, y: int = 0)>
    >>> grouped(show)(name="a", x=1, y=2)
    a Point(x=1, y=2)
    """
    signature = inspect.signature(command)
    given = signature.parameters.values()
    owners = [command.__name__]
    parts = [_part(owners, p.name, p.annotation, p.default) for p in given]

    @wraps(command)
    def run(**values: Any) -> None:
        command(**_collected(parts, values))

    kind = inspect.Parameter.KEYWORD_ONLY
    each = [
        inspect.Parameter(name, kind, default=default, annotation=annotation)
        for name, annotation, default in _options(parts)
    ]
    run.__signature__ = inspect.Signature(each)  # type: ignore[attr-defined]
    return run


def _part(owners: list[str], name: str, kind: Any, default: Any) -> Part:
    """Return a part of which ``option`` or ``argument`` may have made the default."""
    if not isinstance(default, Field):
        return name, kind, default
    if default.metadata:
        owner = next(each for each in owners if name in _table().get(each, ()))
        kind = Annotated[kind, _described(owner=owner, name=name, **default.metadata)]
    is_given = default.default is not MISSING
    return name, kind, default.default if is_given else inspect.Parameter.empty


def _fields(group: Any) -> list[Part]:
    owners = [each.__name__ for each in group.__mro__]
    return [_part(owners, each.name, each.type, each) for each in fields(group)]


def _options(parts: list[Part]) -> Iterator[Part]:
    """Yield the parts, and in the place of a group its own."""
    for name, kind, default in parts:
        if is_dataclass(kind):
            yield from _options(_fields(kind))
        else:
            yield name, kind, default


def _collected(parts: list[Part], given: dict[str, Any]) -> dict[str, Any]:
    """Return the values of options by part, those of a group as one."""
    return {
        name: kind(**_collected(_fields(kind), given))
        if isinstance(kind, type) and is_dataclass(kind)
        else given[name]
        for name, kind, _ in parts
    }


def completion(names: Callable[[], Iterable[str]]) -> Complete:
    """Return what completes a word to one of some names, which are asked for then."""

    def complete(incomplete: str) -> list[str]:
        return [name for name in names() if name.startswith(incomplete)]

    return complete
