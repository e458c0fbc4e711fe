"""Options in groups: dataclasses whose fields ``option`` and ``argument`` describe.

A command has one parameter for a group, which ``grouped`` turns into one option per
field.
"""

import inspect
from collections.abc import Callable, Iterable, Iterator
from dataclasses import MISSING, Field, field, fields, is_dataclass
from functools import wraps
from typing import Annotated, Any

import typer

Complete = Callable[[str], list[str]]
"""From what is written of a word to the words that it may become."""
Part = tuple[str, Any, Any]
"""Name, type and default of a parameter of a command, or of a field of a group."""


def option(help: str, *names: str, default: Any = None, **settings: Any) -> Any:
    """Return the default of a parameter or a field that is an option.

    Without names the option is called as the parameter is; ``default=MISSING`` is for
    one that must be given.
    """
    described = typer.Option(*names, help=help, **settings)
    return field(default=default, metadata={"option": described})


def argument(help: str, *, default: Any = MISSING, **settings: Any) -> Any:
    """Return the default of a parameter or a field that is an argument."""
    described = typer.Argument(help=help, **settings)
    return field(default=default, metadata={"option": described})


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
    parts = [_part(p.name, p.annotation, p.default) for p in given]

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


def _part(name: str, kind: Any, default: Any) -> Part:
    """Return a part of which ``option`` or ``argument`` may have made the default."""
    if not isinstance(default, Field):
        return name, kind, default
    if default.metadata:
        kind = Annotated[kind, default.metadata["option"]]
    is_given = default.default is not MISSING
    return name, kind, default.default if is_given else inspect.Parameter.empty


def _fields(group: Any) -> list[Part]:
    return [_part(each.name, each.type, each) for each in fields(group)]


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
