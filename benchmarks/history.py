"""Lines of benchmarks over versions, as one page of pictures.

Only ratios are drawn, as seconds of two machines do not compare: a picture for each
benchmark, a curve for each line of its tables, by the order in which versions ran.

``python -m benchmarks.history [build/bench.jsonl ...] [-o build/bench.html]``
"""

import json
from argparse import ArgumentParser
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from io import StringIO
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt

Curves = dict[str, dict[str, dict[str, float]]]
"""Numbers by benchmark, line and column, and version."""
NAMING = ("rows", "rank", "by", "precision", "search")
"""Columns that tell lines apart, beside the first."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Read the lines and write the page."""
    parser = ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("rows", nargs="*", default=["build/bench.jsonl"], type=Path)
    parser.add_argument("-o", "--output", default="build/bench.html", type=Path)
    wanted = parser.parse_args(arguments)
    texts = (Path(path).read_text("utf-8") for path in wanted.rows)
    rows = [json.loads(line) for text in texts for line in text.splitlines()]
    rows.sort(key=lambda row: row["when"])
    wanted.output.write_text(page(rows), "utf-8")
    print(wanted.output)


def curves(rows: Iterable[Mapping[str, Any]]) -> Curves:
    """Return the ratios of all lines; the last run of a version counts.

    Examples
    --------
    >>> line = {"benchmark": "a", "commit": "1f", "versions": {"nearkind": "0.2"}}
    >>> line |= {"columns": ["set", "s", "ratio"], "cells": ["car", "2.0", "0.5"]}
    >>> curves([line])["a"]
    {'car, ratio': {'0.2 1f': 0.5}}
    """
    found: Curves = defaultdict(lambda: defaultdict(dict))
    for row in rows:
        version = f"{row['versions']['nearkind']} {row['commit']}"
        line = list(zip(row["columns"], row["cells"], strict=True))
        named = [cell for column, cell in line[1:] if column in NAMING]
        label = " ".join([line[0][1], *named])
        for column, cell in line[1:]:
            number = cell.replace(",", "").split()[:1]
            if is_ratio(column) and number and number[0].replace(".", "").isdigit():
                curve = found[row["benchmark"]][f"{label}, {column}"]
                curve[version] = float(number[0])
    return {name: dict(lines) for name, lines in found.items()}


def is_ratio(column: str) -> bool:
    """Return whether a column compares two programs of one run."""
    return "ratio" in column or column.startswith("to ")


def page(rows: Sequence[Mapping[str, Any]]) -> str:
    """Return the page: a picture for each benchmark, and the machines."""
    parts = []
    for name, lines in curves(rows).items():
        figure, axes = plt.subplots(figsize=(9.0, 4.5), layout="constrained")
        for label, at in lines.items():
            axes.plot(list(at), list(at.values()), marker="o", label=label)
        axes.set(yscale="log", ylabel="ratio")
        axes.tick_params(axis="x", rotation=30)
        axes.legend(fontsize="x-small", loc="center left", bbox_to_anchor=(1.0, 0.5))
        drawn = StringIO()
        figure.savefig(drawn, format="svg")
        plt.close(figure)
        svg = drawn.getvalue()
        parts.append(f"<h2>{escape(name)}</h2>{svg[svg.index('<svg') :]}")
    machines = dict.fromkeys(f"{row['machine']}, {row['cores']} cores" for row in rows)
    listed = "".join(f"<li>{escape(machine)}</li>" for machine in machines)
    body = "".join(parts)
    title = "Benchmarks over versions"
    return (
        f'<!doctype html><meta charset="utf-8"><title>{title}</title>'
        f"<h1>{title}</h1>{body}<h2>Machines</h2><ul>{listed}</ul>"
    )


if __name__ == "__main__":
    main()
