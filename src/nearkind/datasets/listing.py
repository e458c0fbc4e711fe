"""Facts about the sets as plain lists and dictionaries, for people and programs."""

from collections import Counter
from typing import Any

from nearkind.datasets.catalogue import CATALOGUE
from nearkind.datasets.derived import DERIVED
from nearkind.datasets.obtaining import Obtained, names, offered
from nearkind.datasets.openml import RECIPES


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
    return [_line(name) for name in names()]


def _line(name: str) -> dict[str, Any]:
    """Return the facts known without reading the set."""
    entry = CATALOGUE.get(name)
    recipe = RECIPES.get(DERIVED[name].parent if name in DERIVED else name)
    rows, features, classes, about = entry[:4] if entry else (None,) * 4
    return {
        "name": name,
        "rows": rows,
        "features": features,
        "classes": classes,
        "where": offered(name).where,
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
    >>> from nearkind.datasets.obtaining import obtain
    >>> description("credit_risk", obtain("credit_risk"))["classes"]
    {'Low': 2, 'High': 2, 'Middle': 2}
    """
    table, source, licence, citation = obtained
    columns = zip(table.feature_names, table.X.T, strict=True)
    return {
        "name": name,
        "source": source,
        "licence": licence,
        "citation": citation,
        "rows": len(table.y),
        "columns": [_column(column, list(values)) for column, values in columns],
        "target": table.target,
        "classes": dict(Counter(table.y.tolist()).most_common()),
    }


def _column(name: str, values: list[str | None]) -> dict[str, Any]:
    """Return how many values a column has, missing ones apart."""
    present = set(values) - {None}
    return {"name": name, "values": len(present), "missing": values.count(None)}
