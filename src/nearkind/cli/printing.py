"""Printing for programs."""

from typing import Any

import typer


def print_json(facts: Any) -> None:
    """Print JSON; numbers that are not finite as null."""
    from json import dumps

    typer.echo(dumps(plain(facts), indent=2, ensure_ascii=False, allow_nan=False))


def plain(value: Any) -> Any:
    """Return a value as JSON has it: keys as text, odd cells as text.

    Examples
    --------
    >>> plain({1: float("nan"), "a": (True, None)})
    {'1': None, 'a': [True, None]}
    """
    if isinstance(value, dict):
        return {str(key): plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [plain(each) for each in value]
    if isinstance(value, float):
        return value if abs(value) < float("inf") else None
    is_plain = value is None or isinstance(value, str | int)
    return value if is_plain else str(value)
