"""Draw the packages of nearkind and who imports whom, lowest at the bottom.

    python -m tools.house            write docs/pictures/house.svg

A box is a package with the first sentence of its docstring. An arrow goes from a
package to one that it imports. Arrows that follow from others are left out: if
``solvers`` imports ``losses``, and ``losses`` imports ``metrics``, then ``solvers`` to
``metrics`` is not drawn. A package stands above all that it imports.

``LAYERS`` is the order that ``tests/test_imports.py`` holds the imports to.
"""

import ast
from collections.abc import Iterator
from graphlib import TopologicalSorter
from html import escape
from itertools import pairwise
from pathlib import Path
from textwrap import wrap
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "nearkind"
PICTURE = ROOT / "docs" / "pictures" / "house.svg"

# Packages and modules from the ground up: each imports only from its own line or lower.
LAYERS = [
    ["errors", "optimizations", "protocols"],
    ["tables"],
    ["encoding"],
    ["projections"],
    ["metrics"],
    ["regularizers", "losses"],
    ["constraints"],
    ["solvers"],
    ["scoring", "theory", "laws", "io"],
    ["distances"],
    ["neighbors", "validation"],
    ["voting"],
    ["datasets"],
    ["streaming"],
    ["estimators"],
    ["baselines", "dask"],
    ["search"],
    ["model_view"],
    ["tasks"],
    ["persistence"],
    ["export"],
    ["plot"],
    ["pages"],
    ["experiments"],
    ["cli"],
    ["__main__"],
]
WITH_SCIKIT_LEARN = {
    "baselines",
    "dask",
    "datasets",
    "estimators",
    "laws",
    "model_view",
    "search",
    "tasks",
    "validation",
}
RANK = {name: rank for rank, layer in enumerate(LAYERS) for name in layer}

Graph = dict[str, set[str]]


def package_of(path: Path) -> str:
    """Return the package or top module that a file belongs to."""
    return path.relative_to(PACKAGE).with_suffix("").parts[0]


def _is_for_annotations(node: ast.stmt) -> bool:
    return isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"


def imported_modules(path: Path) -> Iterator[str]:
    """Yield the names of modules that a file imports, at its top or in functions.

    What is imported for annotations alone is left out: it is never loaded.
    """
    tree = ast.parse(path.read_text())
    tree.body = [node for node in tree.body if not _is_for_annotations(node)]
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield str(node.module)
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def source_files() -> list[Path]:
    """Return the files of the package but its own ``__init__.py``."""
    return sorted(p for p in PACKAGE.rglob("*.py") if p != PACKAGE / "__init__.py")


def homes() -> dict[str, str]:
    """Return the module of each public name, from the table in ``__init__.py``."""
    tree = ast.parse((PACKAGE / "__init__.py").read_text())
    tables = (node for node in ast.walk(tree) if isinstance(node, ast.Dict))
    return {
        f"nearkind.{key.value}": home.value
        for table in tables
        for key, home in zip(table.keys, table.values, strict=True)
        if isinstance(key, ast.Constant) and isinstance(home, ast.Constant)
    }


def imports() -> Graph:
    """Return which packages each package imports, itself left out."""
    graph: Graph = {}
    home = homes()
    for path in source_files():
        found = graph.setdefault(package_of(path), set())
        names = (home.get(n, n).split(".") for n in imported_modules(path))
        found |= {parts[1] for parts in names if parts[0] == "nearkind" and parts[1:]}
    known = set(graph)
    return {name: (found & known) - {name} for name, found in graph.items()}


def acyclic(graph: Graph) -> Graph:
    """Return a graph without the imports inside a layer that go both ways.

    Of two packages of one layer that import each other, the one that the layer names
    first stands below.
    """
    order = [name for layer in LAYERS for name in layer]
    place = {name: order.index(name) for name in graph}
    return {
        name: {
            low for low in below if name not in graph[low] or place[low] < place[name]
        }
        for name, below in graph.items()
    }


def reduced(graph: Graph) -> Graph:
    """Return a graph without the edges that follow from others."""

    def reach(name: str) -> set[str]:
        return set().union(*({low, *reach(low)} for low in graph[name]))

    return {
        name: {low for low in below if not any(low in reach(b) for b in below)}
        for name, below in graph.items()
    }


def purpose(name: str) -> str:
    """Return the first sentence of a package's docstring, without its full stop."""
    path = PACKAGE / name
    path = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
    text = ast.get_docstring(ast.parse(path.read_text())) or ""
    return " ".join(text.split("\n\n")[0].replace("`", "").split()).split(". ")[0][:-1]


MOST_IN_A_ROW = 4


def rows(graph: Graph) -> dict[str, int]:
    """Return the row of each package, 0 at the bottom.

    Each stands just above the highest package that it imports. Where more than a few
    would stand in one row, those that can best go higher do.
    """
    sorted_graph = {name: sorted(graph[name]) for name in sorted(graph)}
    order = [*TopologicalSorter(sorted_graph).static_order()]  # lowest first
    row: dict[str, int] = {}
    for name in order:
        row[name] = 1 + max((row[low] for low in graph[name]), default=-1)
    for r in range(max(row.values())):
        highest: dict[str, int] = {}
        for name in reversed(order):
            above = [highest[high] for high in order if name in graph[high]]
            highest[name] = min(above, default=max(row.values()) + 1) - 1
        here = sorted((n for n in order if row[n] == r), key=lambda n: highest[n])
        for name in here[MOST_IN_A_ROW:]:
            row[name] += highest[name] > r
        for name in order:
            row[name] = max([row[name], *(row[low] + 1 for low in graph[name])])
    return row


# --- places -----------------------------------------------------------------------

BOX, GAP, LANE = 206, 16, 20  # widths: of a box, beside it, and of an arrow passing by
TITLE, LINE, BETWEEN, LEGEND = 40, 17, 54, 30  # heights
MARGIN = 16
LETTERS = 26  # in a line of a box


class Item(NamedTuple):
    """A box, or an arrow on its way past a row of boxes."""

    name: str
    row: int
    low: str = ""  # where the arrow goes

    @property
    def width(self) -> int:
        return LANE if self.low else BOX + GAP


Links = dict[Item, list[tuple[Item, int]]]  # -1 to an item below, +1 above


def chains(graph: Graph, row: dict[str, int]) -> list[list[Item]]:
    """Return every arrow as the items that it passes, from its package downwards."""
    return [
        [
            Item(name, row[name]),
            *(Item(name, r, low) for r in range(row[name] - 1, row[low], -1)),
            Item(low, row[low]),
        ]
        for name in sorted(graph)
        for low in sorted(graph[name])
    ]


def levels_of(paths: list[list[Item]], row: dict[str, int]) -> list[list[Item]]:
    """Return the items of each row, lowest row first."""
    items = {item for path in paths for item in path}
    items |= {Item(name, r) for name, r in row.items()}
    n_rows = max(row.values()) + 1
    return [sorted(item for item in items if item.row == r) for r in range(n_rows)]


def nearest_ordered(wanted: list[float], widths: list[int], full: float) -> list[float]:
    """Return the centres nearest to those wanted that keep their order and distance.

    Least squares by pooling adjacent violators: centres less the room that those on
    their left take must not decrease. All stay between 0 and the full width.
    """
    room, taken = [], 0.0
    for width in widths:
        room.append(taken + width / 2)
        taken += width
    pools: list[list[float]] = []  # mean, number
    for place, left in zip(wanted, room, strict=True):
        pools.append([place - left, 1])
        while len(pools) > 1 and pools[-2][0] > pools[-1][0]:
            mean, number = pools.pop()
            total = pools[-1][0] * pools[-1][1] + mean * number
            pools[-1] = [total / (pools[-1][1] + number), pools[-1][1] + number]
    flat = [mean for mean, number in pools for _ in range(int(number))]
    return [
        min(max(x, 0.0), full - taken) + left
        for x, left in zip(flat, room, strict=True)
    ]


def full_width(levels: list[list[Item]]) -> int:
    """Return the width of the widest row."""
    return max(sum(item.width for item in level) for level in levels)


def places(graph: Graph, row: dict[str, int]) -> dict[Item, float]:
    """Return the horizontal centre of every item; arrows become nearly straight.

    Sweeps over the rows, up and down, move every item towards the mean of those that it
    is linked to; the sweep with the fewest crossings and shortest arrows is taken.
    """
    paths = chains(graph, row)
    levels = levels_of(paths, row)
    full = full_width(levels)
    links: Links = {item: [] for level in levels for item in level}
    for path in paths:
        for high, low in pairwise(path):
            links[high].append((low, -1))
            links[low].append((high, +1))
    x = {
        item: full * (k + 0.5) / len(level)
        for level in levels
        for k, item in enumerate(level)
    }

    def goal(item: Item, sides: tuple[int, ...] = (-1, +1)) -> float:
        near = [x[other] for other, side in links[item] if side in sides]
        return sum(near) / len(near) if near else x[item]

    best, least = x, float("inf")
    for sweep in range(60):
        towards = -1 if sweep % 2 == 0 else +1
        for level in levels if towards < 0 else reversed(levels):
            if sweep < 40:  # who stands beside whom; then only how far apart
                level.sort(key=lambda item: (goal(item, (towards,)), item))
            goals, widths = map(goal, level), [item.width for item in level]
            x.update(zip(level, nearest_ordered([*goals], widths, full), strict=True))
        lengths = (abs(x[a] - x[b]) for a in links for b, _ in links[a])
        cost = 1000 * crossings(levels, links) + sum(lengths)
        if cost < least:
            best, least = dict(x), cost
    return best


def crossings(levels: list[list[Item]], links: Links) -> int:
    """Return how many arrows cross between rows."""
    count = 0
    for low, high in pairwise(levels):
        ends = [
            (high.index(item), low.index(other))
            for item in high
            for other, side in links[item]
            if side < 0
        ]
        count += sum(
            (a - c) * (b - d) < 0
            for k, (a, b) in enumerate(ends)
            for c, d in ends[k + 1 :]
        )
    return count


# --- drawing ----------------------------------------------------------------------

STYLE = """
.page{fill:#fff}.box{fill:#f6f8f8;stroke:#b9c4c4}.sk{stroke:#00897b;stroke-width:1.6}
.name{font:600 16px monospace;fill:#123}.why{font:13px sans-serif;fill:#455}
.arrow{fill:none;stroke:#8a9a9a;stroke-width:1.3}.head{fill:#8a9a9a}
@media (prefers-color-scheme:dark){
.page{fill:#1e2129}.box{fill:#282c37;stroke:#4d5566}.sk{stroke:#4db6ac}
.name{fill:#e8eef0}.why{fill:#b4bec4}.arrow{stroke:#76808f}.head{fill:#76808f}}
"""


def picture(graph: Graph) -> str:
    """Return the drawing of a graph of packages as SVG."""
    row = rows(graph)
    texts = {name: wrap(purpose(name), LETTERS) for name in graph}
    n_rows = max(row.values()) + 1
    heights = [
        TITLE + LINE * max(len(texts[n]) for n in graph if row[n] == r)
        for r in range(n_rows)
    ]
    tops = [
        MARGIN + sum(heights[r + 1 :]) + BETWEEN * (n_rows - 1 - r)
        for r in range(n_rows)
    ]
    height = tops[0] + heights[0] + MARGIN + LEGEND
    width = full_width(levels_of(chains(graph, row), row)) + 2 * MARGIN
    x = {item: centre + MARGIN for item, centre in places(graph, row).items()}
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
        'role="img" aria-label="Packages of nearkind and what they import">',
        f"<style>{STYLE}</style>",
        '<defs><marker id="head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" '
        'markerHeight="7" orient="auto"><path class="head" d="M0 0L8 4L0 8z"/></marker>'
        "</defs>",
        f'<rect class="page" width="{width}" height="{height}" rx="10"/>',
        *arrows(graph, row, x, tops, heights),
    ]
    for name in sorted(graph):
        r = row[name]
        left, top = x[Item(name, r)] - BOX / 2, tops[r]
        parts.append(box(name, texts[name], left, top, heights[r]))
    parts.append(legend(height))
    return "\n".join(parts) + "\n</svg>\n"


def box(name: str, text: list[str], left: float, top: float, height: float) -> str:
    """Return one package: its name, and what it is for."""
    kind = "box sk" if name in WITH_SCIKIT_LEARN else "box"
    lines = "".join(
        f'<text class="why" x="{left + 12:.0f}" y="{top + TITLE + 2 + LINE * k:.0f}">'
        f"{escape(line)}</text>"
        for k, line in enumerate(text)
    )
    return (
        f'<rect class="{kind}" x="{left:.0f}" y="{top:.0f}" width="{BOX}" '
        f'height="{height:.0f}" rx="6"/><text class="name" x="{left + 12:.0f}" '
        f'y="{top + 22:.0f}">{name}</text>{lines}'
    )


def arrows(
    graph: Graph,
    row: dict[str, int],
    x: dict[Item, float],
    tops: list[float],
    heights: list[float],
) -> Iterator[str]:
    """Yield every arrow, from the foot of a box to the head of another."""
    paths = chains(graph, row)
    ports: dict[tuple[Item, int], list[tuple[float, int]]] = {}
    for k, chain in enumerate(paths):
        ports.setdefault((chain[0], -1), []).append((x[chain[1]], k))
        ports.setdefault((chain[-1], +1), []).append((x[chain[-2]], k))
    shift = {}
    for (item, side), ends in ports.items():
        for place, (_, k) in enumerate(sorted(ends)):
            step = min(26.0, (BOX - 40) / len(ends))
            shift[item, side, k] = (place - (len(ends) - 1) / 2) * step
    for k, chain in enumerate(paths):
        start, *passed, end = chain
        at = x[start] + shift[start, -1, k]
        down = tops[start.row] + heights[start.row]
        path = [f"M{at:.1f} {down:.1f}"]
        for item in [*passed, end]:
            to = x[item] + (shift[item, +1, k] if item == end else 0.0)
            middle = (down + tops[item.row]) / 2
            top = tops[item.row]
            path.append(
                f"C{at:.1f} {middle:.1f} {to:.1f} {middle:.1f} {to:.1f} {top:.1f}"
            )
            at, down = to, top + heights[item.row]
            if item != end:
                path.append(f"V{down:.1f}")
        yield f'<path class="arrow" marker-end="url(#head)" d="{"".join(path)}"/>'


def legend(height: float) -> str:
    """Return the line below the picture."""
    y = height - 18
    return (
        f'<rect class="box sk" x="{MARGIN}" y="{y - 11}" width="22" height="14" '
        'rx="3"/>'
        f'<text class="why" x="{MARGIN + 30}" y="{y}">may import scikit-learn. '
        "An arrow points to what a package imports; those that follow from others "
        "are left out.</text>"
    )


def house() -> Graph:
    """Return the imports that are drawn."""
    graph = {name: below for name, below in imports().items() if name != "__main__"}
    return reduced(acyclic(graph))


if __name__ == "__main__":
    PICTURE.write_text(picture(house()))
