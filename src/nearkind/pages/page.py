"""A dict of facts as one self-contained HTML file."""

import json
from base64 import b64encode
from hashlib import sha256
from html import escape
from importlib.resources import files
from string import Template
from typing import Any

import numpy as np

from nearkind.protocols import Array

SCRIPTS = (
    "data", "columns", "distance", "vote", "words", "elements", "classes", "theme",
    "summary", "relevance", "numbers", "plot", "values", "view", "map", "tip",
    "pointer", "legend", "form", "neighbours", "why", "contributions", "changes",
    "explorer", "confusions", "oddities", "main",
)  # fmt: skip
"""Parts of the program, in the order in which they are put together."""
ALIGNED = 8
"""Arrays begin at multiples of so many bytes."""


def page(facts: dict[str, Any]) -> str:
    """Return the page of some facts.

    Scripts and styles run only if their hash is the one named in the page, and nothing
    is fetched; facts are data that a program reads, never markup.

    Parameters
    ----------
    facts : dict
        What ``summary`` returns.

    Returns
    -------
    str
    """
    arrays = ArrayBytes()
    facts = arrays.extract(facts)
    program = "\n".join(template(f"{name}.js") for name in SCRIPTS)
    style, numbers = template("page.css"), {"numbers": arrays.base64}
    return assembled("page.html", facts["title"], style, program, facts, **numbers)


def assembled(
    name: str, title: str, style: str, program: str, facts: object, **more: str
) -> str:
    """Return a template of a page with its title, style, program and facts."""
    script = f"(function () {{\n'use strict';\n\n{program}}}());\n"
    html = Template(template(name)).substitute(
        policy=_policy(style, script),
        title=escape(title),
        style=style,
        facts=json_text(facts),
        script=script,
        **more,
    )
    return html.encode("utf-8", "replace").decode("utf-8")


def _policy(style: str, script: str) -> str:
    """Return the content security policy: this style and script, and inline images."""
    digests = (sha256(text.encode()).digest() for text in (script, style))
    of_script, of_style = (b64encode(digest).decode() for digest in digests)
    return (
        f"default-src 'none'; script-src 'sha256-{of_script}'; "
        f"style-src 'sha256-{of_style}'; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    )


def template(name: str) -> str:
    """Return a file of the page."""
    return files("nearkind.pages").joinpath("templates", name).read_text("utf-8")


class ArrayBytes:
    """The bytes of all arrays of a page, one array after the other."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []
        self._end = 0

    def extract(self, tree: object) -> Any:
        """Return a tree with every array replaced by ``{"array": [type, at, n]}``."""
        if isinstance(tree, dict):
            return {key: self.extract(value) for key, value in tree.items()}
        if isinstance(tree, list | tuple):
            return [self.extract(value) for value in tree]
        return self._append(tree) if isinstance(tree, np.ndarray) else tree

    def _append(self, array: Array) -> dict[str, Any]:
        small = narrow(array.ravel())
        little = small.astype(small.dtype.newbyteorder("<"), copy=False).tobytes()
        at = self._end
        little += b"\0" * (-len(little) % ALIGNED)
        self._parts.append(little)
        self._end += len(little)
        return {"array": [small.dtype.name, at, len(small)]}

    @property
    def base64(self) -> str:
        """All bytes as text."""
        return b64encode(b"".join(self._parts)).decode("ascii")


def narrow(array: Array) -> Array:
    """Return whole numbers >= 0 in the narrowest type, other numbers unchanged.

    Examples
    --------
    >>> narrow(np.array([3, 300])).dtype, narrow(np.array([0.5])).dtype
    (dtype('uint16'), dtype('float64'))
    """
    if array.dtype.kind not in "iu":
        return array
    return array.astype(np.min_scalar_type(array.max(initial=0)))


def json_text(tree: object) -> str:
    """Return JSON without ``<``, so that it can stand in HTML.

    Examples
    --------
    >>> json_text({"a": "</script>"})
    '{"a":"\\\\u003c/script>"}'
    """
    text = json.dumps(tree, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return text.replace("<", "\\u003c")
