"""A dict of facts as one HTML file that needs nothing beside it."""

from base64 import b64encode
from hashlib import sha256
from html import escape
from importlib.resources import files
from string import Template
from typing import Any

from nearkind.report.packing import Packer, json_text

SCRIPTS = (
    "data", "columns", "distance", "vote", "words", "elements", "classes", "theme",
    "summary", "relevance", "plot", "values", "view", "map", "tip", "pointing",
    "legend", "form", "neighbours", "why", "changes", "explorer", "confusions", "main",
)  # fmt: skip
"""Parts of the program, in the order in which they are put together."""


def page(facts: dict[str, Any]) -> str:
    """Return the page on some facts, as ``summary`` collects them.

    Scripts and styles run only if their hash is the one named in the page, and nothing
    is fetched; facts are data that a program reads, never markup.
    """
    packer = Packer()
    text = json_text(packer.packed(facts))
    style, script = _text("page.css"), _program()
    html = Template(_text("page.html")).substitute(
        policy=_policy(style, script),
        title=escape(facts["title"]),
        style=style,
        facts=text,
        numbers=packer.base64,
        script=script,
    )
    return html.encode("utf-8", "replace").decode("utf-8")


def _program() -> str:
    parts = [_text(f"{name}.js") for name in SCRIPTS]
    return "(function () {\n'use strict';\n\n" + "\n".join(parts) + "}());\n"


def _policy(style: str, script: str) -> str:
    """Return the content security policy: these two, and images drawn here."""
    return (
        f"default-src 'none'; script-src {_hash(script)}; style-src {_hash(style)}; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    )


def _hash(text: str) -> str:
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"


def _text(name: str) -> str:
    return files("nearkind.report").joinpath("templates", name).read_text("utf-8")
