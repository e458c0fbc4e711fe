"""Tables and lists as HTML for notebooks, all text escaped."""

from collections.abc import Iterable, Sequence
from html import escape

CELL = "padding:1px 12px 1px 0;text-align:left;vertical-align:baseline"


def html_table(head: Sequence[str], columns: Sequence[Sequence[str]]) -> str:
    """Return a table with a column of texts under each head.

    Examples
    --------
    >>> html_table(["a"], [["<b>"]]).count("&lt;b&gt;")
    1
    """
    lines = zip(*columns, strict=True)
    body = "".join(f"<tr>{_cells('td', line)}</tr>" for line in lines)
    return f"<table><thead><tr>{_cells('th', head)}</tr></thead>{body}</table>"


def _cells(tag: str, texts: Iterable[str]) -> str:
    return "".join(f'<{tag} style="{CELL}">{escape(text)}</{tag}>' for text in texts)


def html_outline(lines: Iterable[str]) -> str:
    """Return lines as paragraphs, those that are indented as items of a list.

    Examples
    --------
    >>> html_outline(["found: 1", "    row 3"])
    '<p>found: 1</p><ul><li>row 3</li></ul>'
    """
    parts = (
        f"<ul><li>{escape(line.strip())}</li></ul>"
        if line.startswith("    ")
        else f"<p>{escape(line)}</p>"
        for line in lines
    )
    return "".join(parts).replace("</ul><ul>", "")
