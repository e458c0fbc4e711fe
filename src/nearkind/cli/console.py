"""What commands print: JSON for programs; text, tables and bars for people."""

import json
from typing import Any

import typer
from rich.console import Console
from rich.text import Text

from nearkind.datasets.display import console, table_of
from nearkind.tables import is_printable, printable

BAR_WIDTH = 24
"""Letters of the longest bar."""
MOST_FEATURES = 8
MOST_REASONS = 3
MOST_CELLS = 12
MOST_CLASSES = 6
SIGNIFICANT = 0.05
HEADS = {
    "balanced_accuracy": "balanced",
    "triplet_accuracy": "triplets",
    "mean_rank": "mean rank",
    "p_value": "p",
}
"""Head of a column where it is not the key."""


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


def print_text(out: Console, text: str, bold: bool = False) -> None:
    """Print a line as it is, whatever brackets it holds; what is no text is escaped."""
    out.print(Text(printable(text), style="bold" if bold else ""), soft_wrap=True)


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
    """Return the text of a cell; of a missing one "nothing"."""
    return "nothing" if value is None else str(value)


def show_fit(facts: dict[str, Any]) -> None:
    """Print what was learned, and what to do next."""
    out, model = console(), facts["model"]
    print_text(
        out,
        f"{model}: {facts['rows']:,} rows, {facts['features']} features, "
        f"{len(facts['classes'])} classes of {facts['target']!r}, learned in "
        f"{facts['seconds']:.1f} s",
        bold=True,
    )
    if facts["accuracy"] is not None:
        print_text(out, f"{facts['accuracy']:.1%} right {facts['accuracy_is']}")
    print_text(out, f"{facts['majority_share']:.1%} by always saying the largest class")
    if "caution" in facts:
        print_text(out, facts["caution"])
    if "recall" in facts:
        print_text(out, _recall_line(facts))
    for name in facts["chosen"]:
        print_text(out, f"by {name}")
    if "not_tried" in facts:
        names = ", ".join(facts["not_tried"])
        print_text(out, f"not tried, as the time budget was used up: {names}")
    if "prediction_note" in facts:
        print_text(out, facts["prediction_note"])
    is_said = facts["chosen"][0].startswith(facts["explained_by"])
    _print_relevance(
        out, facts["relevance"], None if is_said else facts["explained_by"]
    )
    _print_next(
        out,
        f"nearkind predict {model} NEW.csv",
        f"nearkind explain {model} NEW.csv --row 0",
        f"nearkind neighbors {model} NEW.csv --row 0",
        f"nearkind report {model} NEW.csv -o report.html",
    )


def show_fit_of_distance(facts: dict[str, Any]) -> None:
    """Print what was learned without classes, and what to do next."""
    out, model = console(), facts["model"]
    print_text(
        out,
        f"{model}: {facts['rows']:,} rows, {facts['features']} features, no classes, "
        f"learned in {facts['seconds']:.1f} s",
        bold=True,
    )
    print_text(out, f"by {facts['chosen'][0]}")
    _print_relevance(out, facts["relevance"])
    _print_next(
        out,
        f"nearkind duplicates NEW.csv --model {model}",
        f"nearkind transform {model} NEW.csv -o vectors.csv",
        f"nearkind explain {model} NEW.csv --rows 0 1",
    )


def _print_next(out: Console, *lines: str) -> None:
    out.print()
    print_text(out, "Next", bold=True)
    for line in lines:
        print_text(out, f"  {line}")


def _recall_line(facts: dict[str, Any]) -> str:
    """Return the recall of each class, the lowest first."""
    rising = sorted(facts["recall"].items(), key=lambda part: part[1])
    listed = ", ".join(f"{label} {share:.1%}" for label, share in rising[:MOST_CLASSES])
    n_more = len(rising) - MOST_CLASSES
    more = f" and {n_more} more" if n_more > 0 else ""
    mean = f"{facts['balanced_accuracy']:.1%} right in the mean of the classes"
    return f"{mean}: {listed}{more}"


def _print_relevance(
    out: Console, parts: list[dict[str, Any]], explained_by: str | None = None
) -> None:
    out.print()
    print_text(out, "What the distance looks at", bold=True)
    if explained_by is not None:
        print_text(out, f"by {explained_by}")
    shown = parts[:MOST_FEATURES]
    names = [printable(str(part["feature"])) for part in shown]
    width = max(map(len, names))
    most = max(abs(part["share"]) for part in shown)
    for name, part in zip(names, shown, strict=True):
        share = part["share"]
        print_text(out, f"  {name:<{width}}  {share:6.1%}  {bar(share, most)}")
    if len(parts) > len(shown):
        rest = sum(part["share"] for part in parts[len(shown) :])
        print_text(out, f"  {len(parts) - len(shown)} more: {rest:.1%}")


def show_neighbors(facts: dict[str, Any]) -> None:
    """Print the nearest training rows, and why each is near."""
    out = console()
    title = f"Row {facts['row']}, classified as {facts['predicted']}"
    print_text(out, title, bold=True)
    print_text(out, cells_text(facts["cells"]))
    _print_source(out, facts)
    for neighbor in facts["neighbors"]:
        out.print()
        print_text(out, _neighbor_text(neighbor))
        _print_reasons(out, neighbor)


def show_prediction(facts: dict[str, Any]) -> None:
    """Print why a row has its class: effects of columns, and who votes."""
    out, chances = console(), facts["probabilities"]
    likeliest = sorted(chances, key=lambda label: -chances[label])[:MOST_CLASSES]
    said = ", ".join(f"{label} {chances[label]:.1%}" for label in likeliest)
    title = f"Row {facts['row']}, classified as {facts['predicted']}: {said}"
    print_text(out, title, bold=True)
    print_text(out, cells_text(facts["cells"]))
    out.print()
    print_text(out, "By how much each column raises the probability of a class")
    if facts["note"]:
        print_text(out, facts["note"])
    else:
        _print_effects(out, facts, likeliest)
    out.print()
    print_text(out, "Nearest training rows, with their votes", bold=True)
    _print_source(out, facts)
    for neighbor in facts["neighbors"]:
        vote = f"{neighbor['vote']:.1%} of the votes"
        out.print()
        print_text(out, f"{_neighbor_text(neighbor)}, {vote}")
        _print_reasons(out, neighbor)


def show_change(facts: dict[str, Any]) -> None:
    """Print the fewest changes that change the class of a row."""
    out, n_changes = console(), facts["n_changes"]
    title = f"Row {facts['row']}, classified as {facts['before']}"
    if n_changes:
        noun = "change" if n_changes == 1 else "changes"
        title += f"; as {facts['predicted']} after {n_changes} {noun}"
    print_text(out, title, bold=True)
    print_text(out, cells_text(facts["cells"]))
    if n_changes:
        head = ("column", "from", "to")
        lines = [
            (str(part["column"]), cell_text(part["from"]), cell_text(part["to"]))
            for part in facts["changes"]
        ]
        out.print()
        out.print(table_of(out, head, lines))
        out.print()
        print_text(
            out,
            f"The changed row is {facts['predicted']} with probability "
            f"{facts['probability']:.1%}, {facts['distance']:.4g} away by "
            f"{facts['explained_by']}.",
        )
    print_text(out, facts["reason"])


def _print_effects(out: Console, facts: dict[str, Any], labels: list[Any]) -> None:
    """Print by how much each column raises the probability of some classes."""
    from nearkind.voting.explanation import effect_text

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
    out.print(table_of(out, head, lines, right=set(head[2:-1])))


def _print_source(out: Console, facts: dict[str, Any]) -> None:
    """Print which distance explains, and what its parts are parts of."""
    print_text(out, f"by {facts['explained_by']}")
    print_text(out, f"before each column its part of the {facts['contributions_to']}")


def show_explanation(facts: dict[str, Any]) -> None:
    """Print what each feature contributes to the distance between two rows."""
    out = console()
    a, b = facts["rows"]
    total, parts = facts["contributions_to"], facts["contributions"]
    title = f"Rows {a} and {b} are {facts['distance']:.4g} apart"
    print_text(out, title, bold=True)
    if facts["predicted"] is not None:
        print_text(out, "classified as {} and {}".format(*facts["predicted"]))
    print_text(out, f"by {facts['explained_by']}")
    print_text(out, explanation_text(parts))
    most = max((abs(part["contribution"]) for part in parts), default=0.0)
    head = ("feature", f"row {a}", f"row {b}", f"adds to the {total}", "")
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
    out.print()
    out.print(table_of(out, head, lines, right={head[3]}))
    if facts["other_class"] is not None:
        out.print()
        print_text(out, f"Nearest to row {a} of another class", bold=True)
        print_text(out, _neighbor_text(facts["other_class"]))
        _print_reasons(out, facts["other_class"])


def explanation_text(parts: list[dict[str, Any]]) -> str:
    """Return a sentence on the features that contribute most to a distance.

    Examples
    --------
    >>> part = {"feature": "size", "a": 1, "b": 2, "same": False, "contribution": 3.0}
    >>> explanation_text([part])
    'Most of it is size, 1 against 2.'
    """
    differing = [part for part in parts if not part["same"]]
    if not differing:
        return "They are the same in every column."
    adding = [part for part in differing if part["contribution"] > 0.0]
    shown = adding[:MOST_REASONS]
    words = "; ".join(
        f"{part['feature']}, {cell_text(part['a'])} against {cell_text(part['b'])}"
        for part in shown or differing[:1]
    )
    return f"Most of it is {words}."


def _neighbor_text(neighbor: dict[str, Any]) -> str:
    """Return a training row in words, with its classes if there are several."""
    shares = neighbor["classes"]
    several = ", ".join(f"{label} {share:.0%}" for label, share in shares.items())
    label = neighbor["class"]
    label = label if len(shares) == 1 else f"{label} ({several})"
    return (
        f"training row {neighbor['row']}, {label}, distance {neighbor['distance']:.4g}"
    )


def _print_reasons(out: Console, neighbor: dict[str, Any]) -> None:
    """Print a training row beside the row: what differs, then what does not."""
    parts, same = neighbor["why"], neighbor["same"]
    if not parts and all(part["a"] == part["b"] for part in same):
        print_text(out, "    the same in every column")
        return
    most = max((abs(part["contribution"]) for part in parts), default=0.0)
    for part in parts:
        adds = part["contribution"]
        here, there = cell_text(part["a"]), cell_text(part["b"])
        text = f"{part['feature']}: {here} here, {there} there"
        print_text(out, f"    {adds:+.4g}  {text}  {bar(adds, most)}")
    if same:
        print_text(out, f"    no difference: {', '.join(map(_same_text, same))}")


def _same_text(part: dict[str, Any]) -> str:
    """Return a value that both rows have; both, if they are one to the model alone.

    Examples
    --------
    >>> _same_text({"feature": "age", "a": 31.5, "b": "30 to 35"})
    'age=31.5 (30 to 35 there)'
    """
    there = "" if part["a"] == part["b"] else f" ({cell_text(part['b'])} there)"
    return f"{part['feature']}={cell_text(part['a'])}{there}"


def cells_text(cells: dict[str, Any]) -> str:
    """Return the cells of a row in one line, those of the first columns if many."""
    listed = [f"{name}={cell_text(value)}" for name, value in cells.items()]
    more = f", and {len(listed) - MOST_CELLS} more" if len(listed) > MOST_CELLS else ""
    return ", ".join(listed[:MOST_CELLS]) + more


def show_evaluation(facts: dict[str, Any]) -> None:
    """Print one line per method."""
    out = console()
    keys = "accuracy", "balanced_accuracy", "triplet_accuracy", "seconds"
    _print_methods(out, facts, keys)
    _print_failures(out, facts)


def show_comparison(facts: dict[str, Any]) -> None:
    """Print one line per method, the best first, and whether they differ."""
    out = console()
    keys = "mean_rank", "accuracy", "triplet_accuracy", "p_value", "seconds"
    _print_methods(out, facts, keys)
    if facts["friedman"] is not None:
        p_value = facts["friedman"]["p_value"]
        print_text(out, f"Friedman: p = {p_value:.2g} that all are alike.")
    note = "p: Wilcoxon against the first, adjusted by Holm. " + facts["caution"]
    print_text(out, note)
    if facts["smallest_p_value"] > SIGNIFICANT:
        print_text(
            out,
            f"So few splits of so many methods give no p below "
            f"{facts['smallest_p_value']:.2g}; ask for more --repeats.",
        )
    _print_failures(out, facts)


def _print_methods(out: Console, facts: dict[str, Any], keys: tuple[str, ...]) -> None:
    """Print a table with a line per method and a column per key."""
    print_text(
        out,
        f"{facts['data']}: {facts['rows']:,} rows, {facts['features']} features, "
        f"{facts['repeats']} splits; {facts['majority_share']:.1%} by always saying "
        "the largest class",
        bold=True,
    )
    heads = [HEADS.get(key, key) for key in keys]
    lines = [
        (method["method"], *(_score(method, key) for key in keys))
        for method in facts["methods"]
    ]
    out.print(table_of(out, ("method", *heads), lines, right=set(heads)))


def _print_failures(out: Console, facts: dict[str, Any]) -> None:
    for method in facts["methods"]:
        if method["status"] != "done":
            print_text(out, f"{method['method']}: {method['status']}")


def _score(method: dict[str, Any], key: str) -> str:
    """Return a number of a method as text, with its deviation if it has one."""
    value, deviation = method[key], method.get(f"{key}_deviation")
    if value is None:
        return "-"
    if deviation is not None:
        return f"{value:.1%} ± {deviation:.1%}"
    return format(value, ".3f" if key == "p_value" else ".1f")
