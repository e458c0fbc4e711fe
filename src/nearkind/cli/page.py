"""A plain page on a model: every value from a file is escaped."""

from collections import Counter
from html import escape
from typing import Any

from nearkind.cli.answers import Answers
from nearkind.cli.models import Rows

MOST_CLASSES = 40
"""In the table of confusions; of more, the most frequent."""
STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto;
  padding: 0 1rem; color: #222; background: #fff }
table { border-collapse: collapse } td, th { padding: .2rem .7rem; text-align: right }
th:first-child, td:first-child { text-align: left }
tr + tr { border-top: 1px solid #ddd }
.bar { display: inline-block; height: .8em; background: #2a6f97 }
.right { background: #dcefe3 }
"""


def page(
    name: str, model: Any, rows: Rows, found: Answers, relevance: list[dict[str, Any]]
) -> str:
    """Return the page as HTML.

    Parameters
    ----------
    name : of the model's file
    model : fitted classifier
    rows : the table beside it
    found : what the model says of the rows
    relevance : features with their shares, the largest first
    """
    title = f"{name} on {rows.where}"
    parts = [
        f"<h1>{escape(title)}</h1>",
        _summary(model, rows, found),
        "<h2>What the distance looks at</h2>",
        _bars(relevance),
        *_confusions(rows, found),
    ]
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        f"<title>{escape(title)}</title><style>{STYLE}</style></head>\n<body>\n"
        + "\n".join(parts)
        + "\n</body></html>\n"
    )


def _summary(model: Any, rows: Rows, found: Answers) -> str:
    book = model.metric_.codebook_
    lines = [
        f"A {type(model).__name__} on {len(book.names_)} columns, which tells "
        f"{len(found.classes)} classes apart.",
        f"{rows.n_rows:,} rows of {rows.where} were classified.",
    ]
    if found.score is not None:
        lines.append(found.score.sentence)
    return "\n".join(f"<p>{escape(line)}</p>" for line in lines)


def _bars(relevance: list[dict[str, Any]]) -> str:
    most = max((part["share"] for part in relevance), default=0.0) or 1.0
    lines = [
        f"<tr><td>{escape(str(part['feature']))}</td><td>{part['share']:.1%}</td>"
        f'<td style="text-align:left"><span class="bar" style="width:'
        f'{max(part["share"] / most, 0.0) * 20:.2f}rem"></span></td></tr>'
        for part in relevance
    ]
    return f"<table>{''.join(lines)}</table>"


def _confusions(rows: Rows, found: Answers) -> list[str]:
    """Return a table of classes that were said, against those in the column."""
    if found.score is None:
        counts = Counter(map(str, found.labels))
        lines = [_row([label, f"{n:,}"]) for label, n in counts.most_common()]
        return ["<h2>Classes</h2>", f"<table>{''.join(lines)}</table>"]
    said, true = map(str, found.labels), map(str, rows.columns[found.score.column])
    cells = Counter(zip(true, said, strict=True))
    names = [str(label) for label in found.classes]
    often = Counter(map(str, rows.columns[found.score.column]))
    shown = sorted(names, key=lambda n: -often[n])[:MOST_CLASSES]
    lines = [
        _row([name, *(f"{cells[name, other]:,}" for other in shown)], shown.index(name))
        for name in shown
    ]
    head = "".join(f"<th>{escape(name)}</th>" for name in ["is \\ said", *shown])
    left_out = len(names) - len(shown)
    note = f"<p>{left_out} rarer classes are left out.</p>" if left_out else ""
    table = f"<table><tr>{head}</tr>{''.join(lines)}</table>"
    return ["<h2>What is, against what was said</h2>", table, note]


def _row(cells: list[str], right: int | None = None) -> str:
    """Return a line of a table; one cell of it is the right answer."""
    marks = ["" if d - 1 != right else ' class="right"' for d in range(len(cells))]
    pairs = zip(marks, cells, strict=True)
    return f"<tr>{''.join(f'<td{mark}>{escape(c)}</td>' for mark, c in pairs)}</tr>"
