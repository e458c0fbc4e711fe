"""Docstrings of nearkind for mkdocstrings: sections of items become Markdown lists.

An item is ``name : type`` with its description below, or ``name : description`` on one
or more lines, of which numpy's style would take the first for a type. A list shows both
kinds well.
"""

import re

import griffe

SECTION = re.compile(r"^(Parameters|Attributes|Returns)\n-+\n((?:.+\n?)+)", re.M)
ITEM = re.compile(r"([\w*][\w, *]*) : (.*)")
ROLE = re.compile(r":\w+:`(?:~)?([^`]+)`")
LINK = r'<autoref identifier="\1" optional>`\1`</autoref>'
"""A link if some page has the object; text otherwise."""


class ListSections(griffe.Extension):
    """Extension that rewrites the docstring of each object."""

    def on_object(self, *, obj, **_):
        """Rewrite the docstring of an object."""
        if obj.docstring:
            obj.docstring.value = with_lists(obj.docstring.value)


def with_lists(text):
    """Return a docstring with its sections of items as Markdown lists."""
    return SECTION.sub(_list, ROLE.sub(LINK, text))


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
    """Return an item as Markdown; a first line is a type if a sentence follows it."""
    first, rest = lines[0], " ".join(line.strip() for line in lines[1:])
    found = ITEM.fullmatch(first)
    if not found:
        return f"{first} {rest}".strip()
    names, what = found.groups()
    if rest[:1].isupper() or rest[:1].isdigit():
        what = f"*{what}*."
    names = ", ".join(f"`{name.strip()}`" for name in names.split(","))
    return f"{names}: {what} {rest}".strip()
