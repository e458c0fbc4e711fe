"""Docstrings of this house, for mkdocstrings.

Items are written ``name : what it is``, on as many lines as that takes. Readers of
numpy's style take the first line for a type. Here sections of items become Markdown
lists before anybody reads them.
"""

import re

import griffe

SECTION = re.compile(r"^(Parameters|Attributes|Returns)\n-+\n((?:.+\n?)+)", re.M)
ITEM = re.compile(r"([\w*][\w, *]*) : (.*)")
ROLE = re.compile(r":\w+:`(?:~)?([^`]+)`")


class Terse(griffe.Extension):
    """Rewrites each docstring as it is read."""

    def on_object(self, *, obj, **_):
        """Let an object have its readable docstring."""
        if obj.docstring:
            obj.docstring.value = readable(obj.docstring.value)


def readable(text):
    """Return a docstring whose sections of items are lists."""
    return SECTION.sub(_list, ROLE.sub(r"`\1`", text))


def _list(found):
    name, body = found.groups()
    shown = "\n".join(f"- {item}" for item in map(_sentence, _items(body)))
    return f"**{name}**\n\n{shown}\n"


def _items(body):
    """Yield the lines of each item."""
    lines = []
    for line in body.splitlines():
        if lines and ITEM.match(line):
            yield lines
            lines = []
        lines.append(line)
    yield lines


def _sentence(lines):
    """Return an item as name and description; a first line alone may be a type."""
    first, rest = lines[0], " ".join(line.strip() for line in lines[1:])
    found = ITEM.fullmatch(first)
    if not found:
        return f"{first} {rest}".strip()
    names, what = found.groups()
    if rest[:1].isupper() or rest[:1].isdigit():
        what = f"*{what}*."
    names = ", ".join(f"`{name.strip()}`" for name in names.split(","))
    return f"{names}: {what} {rest}".strip()
