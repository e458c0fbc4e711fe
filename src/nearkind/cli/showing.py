"""What was learned, and which rows are near, in words."""

from typing import Any

from rich.console import Console

from nearkind.cli.drawing import bar, cell, say
from nearkind.datasets.display import console, table_of

MOST_FEATURES = 8
MOST_WHY = 3
MOST_CELLS = 12


def show_learned(facts: dict[str, Any]) -> None:
    """Say what was learned, and what to do next."""
    out, model = console(), facts["model"]
    say(
        out,
        f"{model}: {facts['rows']:,} rows, {facts['features']} features, "
        f"{len(facts['classes'])} classes of {facts['target']!r}, learned in "
        f"{facts['seconds']:.1f} s",
        bold=True,
    )
    if facts["accuracy"] is not None:
        say(out, f"{facts['accuracy']:.1%} right {facts['accuracy_is']}")
    say(out, f"{facts['majority_share']:.1%} by always saying the largest class")
    for name in facts["chosen"]:
        say(out, f"by {name}")
    say(out, "\nWhat the distance looks at", bold=True)
    _bars(out, facts["relevance"], "feature", "share")
    say(out, "\nNext", bold=True)
    for line in (
        f"nearkind predict {model} NEW.csv",
        f"nearkind neighbors {model} NEW.csv --row 0",
        f"nearkind report {model} NEW.csv -o report.html",
    ):
        say(out, f"  {line}")


def show_neighbors(facts: dict[str, Any]) -> None:
    """Show nearest rows, each with why."""
    out = console()
    say(out, f"Row {facts['row']}, classified as {facts['predicted']}", bold=True)
    say(out, _cells(facts["cells"]))
    for kept in facts["neighbors"]:
        say(out, f"\n{_kept(kept)}")
        _why(out, kept["why"])


def show_explanation(facts: dict[str, Any]) -> None:
    """Show what each feature adds to a distance."""
    out = console()
    a, b = facts["rows"]
    total, parts = facts["contributions_to"], facts["contributions"]
    say(out, f"Rows {a} and {b} are {facts['distance']:.4g} apart", bold=True)
    if facts["predicted"] is not None:
        say(out, "classified as {} and {}".format(*facts["predicted"]))
    say(out, in_words(parts))
    most = max((abs(part["contribution"]) for part in parts), default=0.0)
    head = ("feature", f"row {a}", f"row {b}", f"adds to the {total}", "")
    lines = [
        (
            str(part["feature"]),
            cell(part["a"]),
            cell(part["b"]),
            f"{part['contribution']:+.4f}",
            bar(part["contribution"], most),
        )
        for part in parts
    ]
    out.print()
    out.print(table_of(out, head, lines, right={head[3]}))
    if facts["other_class"] is not None:
        say(out, f"\nNearest to row {a} of another class", bold=True)
        say(out, _kept(facts["other_class"]))
        _why(out, facts["other_class"]["why"])


def in_words(parts: list[dict[str, Any]]) -> str:
    """Return a sentence on what makes most of a distance.

    Examples
    --------
    >>> part = {"feature": "size", "a": 1, "b": 2, "same": False, "contribution": 3.0}
    >>> in_words([part])
    'Most of it is size, 1 against 2.'
    """
    differing = [part for part in parts if not part["same"]]
    if not differing:
        return "They are the same in every column."
    shown = [part for part in differing[:MOST_WHY] if part["contribution"] > 0.0]
    words = "; ".join(
        f"{part['feature']}, {cell(part['a'])} against {cell(part['b'])}"
        for part in shown or differing[:1]
    )
    return f"Most of it is {words}."


def _kept(kept: dict[str, Any]) -> str:
    """Return a training row in words, with its classes where they are several."""
    shares = kept["classes"]
    several = ", ".join(f"{label} {share:.0%}" for label, share in shares.items())
    label = kept["class"] if len(shares) == 1 else f"{kept['class']} ({several})"
    return f"training row {kept['row']}, {label}, distance {kept['distance']:.4g}"


def _why(out: Console, why: list[dict[str, Any]]) -> None:
    if not why:
        say(out, "    the same in every column")
    most = max((abs(part["contribution"]) for part in why), default=0.0)
    for part in why[:MOST_WHY]:
        adds = part["contribution"]
        text = f"{part['feature']}: {cell(part['a'])} here, {cell(part['b'])} there"
        say(out, f"    {adds:+.4f}  {text}  {bar(adds, most)}")
    if len(why) > MOST_WHY:
        say(out, f"    and {len(why) - MOST_WHY} more")


def _bars(out: Console, parts: list[dict[str, Any]], name: str, value: str) -> None:
    shown = parts[:MOST_FEATURES]
    width = max(len(str(part[name])) for part in shown)
    most = max(abs(part[value]) for part in shown)
    for part in shown:
        share = part[value]
        say(out, f"  {part[name]!s:<{width}}  {share:6.1%}  {bar(share, most)}")
    if len(parts) > len(shown):
        rest = sum(part[value] for part in parts[len(shown) :])
        say(out, f"  {len(parts) - len(shown)} more: {rest:.1%}")


def _cells(cells: dict[str, Any]) -> str:
    listed = [f"{name}={cell(value)}" for name, value in cells.items()]
    more = f", and {len(listed) - MOST_CELLS} more" if len(listed) > MOST_CELLS else ""
    return ", ".join(listed[:MOST_CELLS]) + more
