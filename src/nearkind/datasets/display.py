"""Facts about data sets, as dictionaries and as tables."""

from collections import Counter
from collections.abc import Collection, Iterable
from typing import Any

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from nearkind.datasets.catalogue import CATALOGUE
from nearkind.datasets.derived import DERIVED
from nearkind.datasets.openml import RECIPES
from nearkind.datasets.sources import Obtained, names, require_offer
from nearkind.tables import printable

_COUNTS = {"rows", "features", "classes", "values", "missing"}
_WIDE = 200  # a pipe has no width: long lines are not broken


def overview() -> list[dict[str, Any]]:
    """Return one dictionary a set: its size, and where it would come from.

    Returns
    -------
    list of dict
        With name, rows, features, classes, where ("rule", "folder", "cache" or "not
        here"), openml (its number there, or that of the
        set it is made of) and about; None for what is not known before reading a file.

    Examples
    --------
    >>> [row["rows"] for row in overview() if row["name"] == "balance"]
    [625]
    """
    return [_facts(name) for name in names()]


def _facts(name: str) -> dict[str, Any]:
    """Return the facts known without reading the set."""
    entry = CATALOGUE.get(name)
    recipe = RECIPES.get(DERIVED[name].parent if name in DERIVED else name)
    rows, features, classes, about = entry[:4] if entry else (None,) * 4
    return {
        "name": name,
        "rows": rows,
        "features": features,
        "classes": classes,
        "where": require_offer(name).where,
        "openml": recipe.data_id if recipe else None,
        "about": about,
    }


def description(name: str, obtained: Obtained) -> dict[str, Any]:
    """Return what a set holds.

    Parameters
    ----------
    name : str
    obtained : Obtained

    Returns
    -------
    dict
        With name, source, licence, citation, rows, ``columns`` (a dictionary each:
        name, values, missing), ``target`` and ``classes`` (label to rows, the most
        frequent first).

    Examples
    --------
    >>> from nearkind.datasets.sources import obtain
    >>> description("credit_risk", obtain("credit_risk"))["classes"]
    {'Low': 2, 'High': 2, 'Middle': 2}
    """
    data, source, licence, citation = obtained
    columns = zip(data.feature_names, data.X.T, strict=True)
    return {
        "name": name,
        "source": source,
        "licence": licence,
        "citation": citation,
        "rows": len(data.y),
        "columns": [_column(column, list(values)) for column, values in columns],
        "target": data.target,
        "classes": dict(Counter(data.y.tolist()).most_common()),
    }


def _column(name: str, values: list[str | None]) -> dict[str, Any]:
    """Return the number of values of a column, missing ones apart."""
    present = set(values) - {None}
    return {"name": name, "values": len(present), "missing": values.count(None)}


def console() -> Console:
    """Return the console of standard output."""
    plain = Console(highlight=False)
    return plain if plain.is_terminal else Console(highlight=False, width=_WIDE)


def show_overview(rows: list[dict[str, Any]]) -> None:
    """Print one line per set."""
    out = console()
    lines = [_line(row) for row in rows]
    head = ("name", "rows", "features", "classes", "from", "what it is")
    out.print(table_of(out, head, lines))


def show_description(facts: dict[str, Any]) -> None:
    """Print what one set holds."""
    out = console()
    n_classes = len(facts["classes"])
    out.print(
        f"{facts['name']}: {facts['rows']:,} rows, {len(facts['columns'])} features, "
        f"{n_classes} classes",
        style="bold",
        markup=False,
    )
    for key in ("source", "licence", "citation"):
        line = f"{key:<8}  {printable(facts[key])}"
        out.print(line, markup=False, soft_wrap=True)
    columns = [
        (column["name"], _count(column["values"]), _count(column["missing"]))
        for column in facts["columns"]
    ]
    classes = [(str(label), _count(rows)) for label, rows in facts["classes"].items()]
    out.print()
    out.print(table_of(out, ("feature", "values", "missing"), columns))
    out.print()
    out.print(table_of(out, (facts["target"], "rows"), classes))


def table_of(
    out: Console,
    head: Iterable[str],
    lines: Iterable[tuple[str, ...]],
    right: Collection[str] = _COUNTS,
) -> Table:
    """Return a table, framed on a terminal only; some columns to the right.

    A cell is text and one line: what a terminal would obey is escaped.
    """
    table = Table(box=box.HEAVY_HEAD if out.is_terminal else None, pad_edge=False)
    for title in head:
        justify: Any = "right" if title in right else "left"
        table.add_column(Text(printable(title)), justify=justify)
    for line in lines:
        table.add_row(*(Text(printable(cell)) for cell in line))
    return table


def _count(value: int | None) -> str:
    """Return a count as text, "-" if it is not known."""
    return "-" if value is None else f"{value:,}"


def _line(row: dict[str, Any]) -> tuple[str, ...]:
    """Return one line of the overview."""
    counts = [_count(row[key]) for key in ("rows", "features", "classes")]
    beyond = f", OpenML {row['openml']}" if row["where"] == "not here" else ""
    return (row["name"], *counts, row["where"] + beyond, row["about"] or "")
