"""Output of commands: JSON for programs; text, tables and bars for people."""

import json
from collections.abc import Collection, Iterable, Sequence
from typing import Any

import typer
from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from nearkind.tables import is_printable, printable

Facts = dict[str, Any]
"""What a command prints, by the names that JSON has for it."""
WIDE = 200
"""Letters of a line in a pipe, which has no width."""
BAR_WIDTH = 24
"""Letters of the longest bar."""
MOST_FEATURES = 8
MOST_REASONS = 3
MOST_CELLS = 12
MOST_CLASSES = 6
MOST_GROUPS = 20
MOST_LISTED = 6
NEXT_OF_CLASSIFIER = (
    "predict {} NEW.csv",
    "explain {} NEW.csv --row 0",
    "neighbors {} NEW.csv --row 0",
    "report {} NEW.csv -o report.html",
)
NEXT_OF_DISTANCE = (
    "duplicates NEW.csv --model {}",
    "transform {} NEW.csv -o vectors.csv",
    "explain {} NEW.csv --rows 0 1",
)
"""What to do with a model."""


def print_json(facts: Any) -> None:
    """Print JSON; numbers that are not finite are null."""
    text = json.dumps(to_json(facts), indent=2, ensure_ascii=False, allow_nan=False)
    typer.echo("\n".join(map(_escaped_json, text.split("\n"))))


def _escaped_json(line: str) -> str:
    """Return a line of JSON that means the same, and that a terminal shows as it is."""
    if line.isprintable():
        return line
    escapes = (json.dumps(x)[1:-1] if x > "\x7f" else f"\\u{ord(x):04x}" for x in line)
    pairs = zip(line, escapes, strict=True)
    return "".join(x if is_printable(x) else escape for x, escape in pairs)


def to_json(value: Any) -> Any:
    """Return a value as JSON can hold it; keys and values of other types are text.

    Examples
    --------
    >>> to_json({1: float("nan"), "a": (True, None)})
    {'1': None, 'a': [True, None]}
    """
    if isinstance(value, dict):
        return {str(key): to_json(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [to_json(each) for each in value]
    if isinstance(value, float):
        return value if abs(value) < float("inf") else None
    is_json = value is None or isinstance(value, str | int)
    return value if is_json else str(value)


class Screen:
    """Standard output for people: what a terminal would obey is escaped."""

    def __init__(self) -> None:
        out = Console(highlight=False)
        self._out = out if out.is_terminal else Console(highlight=False, width=WIDE)

    def line(self, text: str = "", bold: bool = False) -> None:
        """Print a line as it is, whatever brackets it holds."""
        styled = Text(printable(text), style="bold" if bold else "")
        self._out.print(styled, soft_wrap=True)

    def section(self, title: str) -> None:
        """Print an empty line and a title."""
        self.line()
        self.line(title, bold=True)

    def table(
        self,
        head: Sequence[str],
        lines: Iterable[tuple[str, ...]],
        right: Collection[str] = (),
    ) -> None:
        """Print a table, framed on a terminal only; some columns to the right.

        A cell is text and one line: what a terminal would obey is escaped.
        """
        frame = box.HEAVY_HEAD if self._out.is_terminal else None
        table = Table(box=frame, pad_edge=False)
        for title in head:
            justify: Any = "right" if title in right else "left"
            table.add_column(Text(printable(title)), justify=justify)
        for line in lines:
            table.add_row(*(Text(printable(cell)) for cell in line))
        self._out.print(table)


def bar(value: float, most: float) -> str:
    """Return a bar, of BAR_WIDTH letters for ``most``; of minus signs below zero.

    Examples
    --------
    >>> len(bar(1.0, 2.0))
    12
    """
    share = abs(value) / most if most > 0.0 else 0.0
    share = min(share, 1.0) if share == share else 1.0
    return ("█" if value > 0.0 else "-") * round(BAR_WIDTH * share)


def cell_text(value: Any) -> str:
    """Return the text of a cell; "missing" for a missing one."""
    return "missing" if value is None else str(value)


def more_text(n: int, shown: int) -> str:
    """Return how many are not shown, after those that are; empty if all are."""
    return f" and {n - shown} more" if n > shown else ""


def show_fit(facts: Facts) -> None:
    """Print what was learned, and what to do next."""
    screen, model, has_classes = Screen(), facts["model"], facts["target"] is not None
    classes, is_number = "no classes", "r2" in facts
    if is_number:
        classes = f"numeric target {facts['target']!r}"
    elif has_classes:
        classes = f"{len(facts['classes'])} classes of {facts['target']!r}"
    screen.line(
        f"{model}: {facts['rows']:,} rows, {facts['features']} columns, {classes}, "
        f"fitted in {facts['seconds']:.1f} s",
        bold=True,
    )
    if is_number:
        r2 = facts["r2"]
        screen.line(f"R2 {r2:.3f} {facts['r2_is']}" if r2 == r2 else facts["r2_is"])
    elif has_classes:
        _print_accuracy(screen, facts)
    for name in facts["chosen"]:
        screen.line(f"distance: {name}")
    if "not_tried" in facts:
        names = ", ".join(facts["not_tried"])
        screen.line(f"not tried within the time budget: {names}")
    if "prediction_note" in facts:
        screen.line(facts["prediction_note"])
    explained_by = facts.get("explained_by")
    is_said = explained_by and facts["chosen"][0].startswith(explained_by)
    print_relevance(screen, facts["relevance"], None if is_said else explained_by)
    screen.section("Next")
    following = NEXT_OF_CLASSIFIER if has_classes else NEXT_OF_DISTANCE
    for line in following:
        screen.line(f"  nearkind {line.format(model)}")


def _print_accuracy(screen: Screen, facts: Facts) -> None:
    """Print the accuracy beside that of the baseline, and the recall of each class.

    Before it comes the score of the selection, if that is another one.
    """
    if "score" in facts:
        screen.line(f"{facts['scoring']} {facts['score']:.3f} {facts['score_is']}")
    if facts["accuracy"] is not None:
        screen.line(f"accuracy {facts['accuracy']:.1%} {facts['accuracy_is']}")
    screen.line(f"majority-class baseline {facts['majority_share']:.1%}")
    if "caution" in facts:
        screen.line(facts["caution"])
    if "recall" in facts:
        rising = sorted(facts["recall"].items(), key=lambda part: part[1])
        listed = [f"{label} {share:.1%}" for label, share in rising[:MOST_CLASSES]]
        screen.line(
            f"balanced accuracy {facts['balanced_accuracy']:.1%}; recall: "
            f"{', '.join(listed)}{more_text(len(rising), MOST_CLASSES)}"
        )
    if "hint" in facts:
        screen.line(facts["hint"])


def print_relevance(
    screen: Screen, parts: list[Facts], explained_by: str | None = None
) -> None:
    """Print the share of each feature in the distance, with a bar."""
    screen.section("Contribution of each column to the distance")
    if explained_by:
        screen.line(f"according to {explained_by}")
    shown, rest = parts[:MOST_FEATURES], parts[MOST_FEATURES:]
    names = [printable(str(part["feature"])) for part in shown]
    width = max(map(len, names))
    most = max(abs(part["share"]) for part in shown)
    for name, part in zip(names, shown, strict=True):
        share = round(part["share"], 3) + 0.0  # without a minus before zero
        screen.line(f"  {name:<{width}}  {share:6.1%}  {bar(share, most)}")
    if rest:
        share = round(sum(part["share"] for part in rest), 3) + 0.0
        screen.line(f"  {len(rest)} more: {share:.1%}")


def show_neighbors(facts: Facts) -> None:
    """Print the nearest training rows, and why each is near."""
    screen, predicted = Screen(), facts["predicted"]
    classified = "" if predicted is None else f", classified as {predicted}"
    if isinstance(predicted, float):
        classified = f", predicted {predicted:.6g}"
    screen.line(f"Row {facts['row']}{classified}", bold=True)
    screen.line(cells_text(facts["cells"]))
    _print_neighbors(screen, facts)


def show_prediction(facts: Facts) -> None:
    """Print why a row has its class: effects of columns, and who votes."""
    screen, chances = Screen(), facts["probabilities"]
    likeliest = sorted(chances, key=lambda label: -chances[label])[:MOST_CLASSES]
    said = ", ".join(f"{label} {chances[label]:.1%}" for label in likeliest)
    title = f"Row {facts['row']}, classified as {facts['predicted']}: {said}"
    screen.line(title, bold=True)
    screen.line(cells_text(facts["cells"]))
    screen.line()
    screen.line("Contribution of each column to the probability of a class")
    _print_effects(screen, facts, likeliest)
    screen.section("Training rows with the largest votes")
    _print_neighbors(screen, facts)


def show_contributions(facts: Facts) -> None:
    """Print the mean absolute contribution of each feature, with a bar."""
    screen, parts = Screen(), facts["mean_absolute_contributions"]
    screen.line(f"{facts['data']}: {facts['rows']:,} rows", bold=True)
    screen.line(f"Mean absolute contribution to {facts['contributions_to']}")
    most = parts[0]["contribution"]
    lines = [
        (str(part["feature"]), f"{size:.4f}", bar(size, most))
        for part in parts
        for size in [part["contribution"]]
    ]
    screen.table(("feature", "contribution", ""), lines, right={"contribution"})


def show_number(facts: Facts) -> None:
    """Print why a row has its number."""
    screen = Screen()
    screen.line(f"Row {facts['row']}", bold=True)
    screen.line(cells_text(facts["cells"]))
    screen.line()
    for line in facts["text"].splitlines():
        screen.line(line)


def show_change(facts: Facts) -> None:
    """Print the fewest changes that change the class of a row."""
    screen, n_changes = Screen(), facts["n_changes"]
    title = f"Row {facts['row']}, classified as {facts['before']}"
    if n_changes:
        noun = "change" if n_changes == 1 else "changes"
        title += f"; as {facts['predicted']} after {n_changes} {noun}"
    screen.line(title, bold=True)
    screen.line(cells_text(facts["cells"]))
    if n_changes:
        head = ("column", "from", "to")
        lines = [
            tuple(cell_text(part[key]) for key in head) for part in facts["changes"]
        ]
        screen.line()
        screen.table(head, lines)
        screen.line()
        screen.line(
            f"The changed row is {facts['predicted']} with probability "
            f"{facts['probability']:.1%}, {facts['distance']:.4g} away by "
            f"{facts['explained_by']}."
        )
    screen.line(facts["reason"])


def _print_effects(screen: Screen, facts: Facts, labels: list[Any]) -> None:
    """Print the contribution of each column to the probability of some classes."""
    from nearkind.voting.explanation import BASE, effect_text

    parts, predicted = facts["effects"], facts["predicted"]
    head = ("feature", "value", *(str(label) for label in labels), " ")
    most = max(abs(part["effects"][predicted]) for part in parts)
    lines = [
        (
            str(part["feature"]),
            cell_text(facts["cells"].get(str(part["feature"]), "")),
            *(effect_text(part["effects"][label]) for label in labels),
            bar(part["effects"][predicted], most),
        )
        for part in parts
    ]
    base = (BASE, "", *(f"{facts['base'][label]:.3f}" for label in labels), "")
    screen.table(head, [base, *lines], right=head[2:-1])


def _print_neighbors(screen: Screen, facts: Facts) -> None:
    """Print training rows, what sets them apart, and which distance says so."""
    screen.line(f"by {facts['explained_by']}")
    screen.line(f"contribution of each column to the {facts['contributions_to']}")
    for neighbor in facts["neighbors"]:
        vote = f", {neighbor['vote']:.1%} of the votes" if "vote" in neighbor else ""
        screen.line()
        _print_neighbor(screen, neighbor, vote)


def show_explanation(facts: Facts) -> None:
    """Print what each feature contributes to the distance between two rows."""
    screen, parts, (a, b) = Screen(), facts["contributions"], facts["rows"]
    screen.line(f"Rows {a} and {b} are {facts['distance']:.4g} apart", bold=True)
    if facts["predicted"] is not None:
        is_number = isinstance(facts["predicted"][0], float)
        text = "predicted {:.6g} and {:.6g}" if is_number else "classified as {} and {}"
        screen.line(text.format(*facts["predicted"]))
    screen.line(f"by {facts['explained_by']}")
    screen.line(explanation_text(parts))
    added = f"adds to the {facts['contributions_to']}"
    most = max((abs(part["contribution"]) for part in parts), default=0.0)
    lines = [
        (
            str(part["feature"]),
            cell_text(part["a"]),
            cell_text(part["b"]),
            f"{part['contribution']:+.4f}",
            bar(part["contribution"], most),
        )
        for part in parts
    ]
    screen.line()
    screen.table(("feature", f"row {a}", f"row {b}", added, ""), lines, right={added})
    if facts["other_class"] is not None:
        screen.section(f"Nearest to row {a} of another class")
        _print_neighbor(screen, facts["other_class"])


def explanation_text(parts: list[Facts]) -> str:
    """Return a sentence on the features that contribute most to a distance.

    Examples
    --------
    >>> part = {"feature": "size", "a": 1, "b": 2, "same": False, "contribution": 3.0}
    >>> explanation_text([part])
    'Mainly due to size, 1 against 2.'
    """
    differing = [part for part in parts if not part["same"]]
    if not differing:
        return "The rows are equal in every column."
    adding = [part for part in differing if part["contribution"] > 0.0]
    words = "; ".join(
        f"{part['feature']}, {cell_text(part['a'])} against {cell_text(part['b'])}"
        for part in adding[:MOST_REASONS] or differing[:1]
    )
    return f"Mainly due to {words}."


def _print_neighbor(screen: Screen, neighbor: Facts, vote: str = "") -> None:
    """Print a training row beside the row: what differs, then what does not."""
    title = f"row {neighbor['row']}"
    if "class" in neighbor:
        shares, label = neighbor["classes"], neighbor["class"]
        several = ", ".join(f"{name} {share:.0%}" for name, share in shares.items())
        title = f"training {title}, {label}{f' ({several})' * (len(shares) > 1)}"
    screen.line(f"{title}, distance {neighbor['distance']:.4g}{vote}")
    parts, same = neighbor["why"], neighbor["same"]
    if not parts and all(part["a"] == part["b"] for part in same):
        screen.line("    the same in every column")
        return
    most = max((abs(part["contribution"]) for part in parts), default=0.0)
    for part in parts:
        adds = part["contribution"]
        here, there = cell_text(part["a"]), cell_text(part["b"])
        text = f"{part['feature']}: {here} here, {there} there"
        screen.line(f"    {adds:+.4g}  {text}  {bar(adds, most)}")
    if same:
        screen.line(f"    no difference: {', '.join(map(_same_text, same))}")


def _same_text(part: Facts) -> str:
    """Return a value that both rows have; both, if they are one to the model alone.

    Examples
    --------
    >>> _same_text({"feature": "age", "a": 31.5, "b": "30 to 35"})
    'age=31.5 (30 to 35 there)'
    """
    there = "" if part["a"] == part["b"] else f" ({cell_text(part['b'])} there)"
    return f"{part['feature']}={cell_text(part['a'])}{there}"


def cells_text(cells: Facts) -> str:
    """Return the cells of a row in one line, those of the first columns if many."""
    listed = [f"{name}={cell_text(value)}" for name, value in cells.items()]
    more = more_text(len(listed), MOST_CELLS)
    return ", ".join(listed[:MOST_CELLS]) + (more and f",{more}")


def show_duplicates(facts: Facts) -> None:
    """Print equal rows, and the nearest pairs of others."""
    screen, equal, near = Screen(), facts["equal"], facts["near"]
    head = f"{facts['data']}: {facts['rows']:,} rows, {facts['different']:,} different"
    screen.line(head, bold=True)
    screen.line(f"by {facts['distance']}")
    if equal:
        lines = [
            (
                str(len(group["rows"])),
                ", ".join(map(str, group["rows"][:MOST_LISTED]))
                + ", ..." * (len(group["rows"]) > MOST_LISTED),
                cells_text(group["cells"]),
            )
            for group in equal[:MOST_GROUPS]
        ]
        screen.section("Equal rows")
        screen.table(("times", "rows", "cells"), lines, right={"times"})
        if len(equal) > MOST_GROUPS:
            screen.line(f"and {len(equal) - MOST_GROUPS:,} more; --json lists all")
    if near:
        pairs = [
            ("{} and {}".format(*pair["rows"]), f"{pair['distance']:.4g}", _apart(pair))
            for pair in near
        ]
        screen.section("Nearest pairs of different rows")
        screen.table(("rows", "distance", "what differs"), pairs, right={"rows"})
    else:
        screen.line()
        screen.line("No two different rows are within this distance.")


def _apart(pair: Facts) -> str:
    """Return in which columns two rows differ, and how."""
    parts = [
        f"{part['feature']}: {cell_text(part['a'])}, {cell_text(part['b'])}"
        for part in pair["differs"]
    ]
    return "; ".join(parts[:MOST_REASONS]) + more_text(len(parts), MOST_REASONS)


def show_sets(rows: list[Facts]) -> None:
    """Print one line per data set."""
    lines = [
        (
            row["name"],
            *(_count(row[key]) for key in ("rows", "features", "classes")),
            row["where"]
            + (f", OpenML {row['openml']}" if row["where"] == "not here" else ""),
            row["about"] or "",
        )
        for row in rows
    ]
    counts = "rows", "features", "classes"
    Screen().table(("name", *counts, "from", "what it is"), lines, right=counts)


def show_set(facts: Facts) -> None:
    """Print what one data set holds."""
    screen, classes = Screen(), facts["classes"]
    screen.line(
        f"{facts['name']}: {facts['rows']:,} rows, {len(facts['columns'])} features, "
        f"{len(classes)} classes",
        bold=True,
    )
    for key in ("source", "licence", "citation"):
        screen.line(f"{key:<8}  {facts[key]}")
    counts = "values", "missing"
    columns = [
        (column["name"], *(_count(column[key]) for key in counts))
        for column in facts["columns"]
    ]
    screen.line()
    screen.table(("feature", *counts), columns, right=counts)
    screen.line()
    lines = [(str(label), _count(rows)) for label, rows in classes.items()]
    screen.table((facts["target"], "rows"), lines, right={"rows"})


def _count(value: int | None) -> str:
    """Return a count as text, "-" if it is not known."""
    return "-" if value is None else f"{value:,}"
