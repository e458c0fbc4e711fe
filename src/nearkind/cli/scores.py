"""Methods tried on a table, a line each."""

from typing import Any

from rich.console import Console

from nearkind.cli.drawing import number, say
from nearkind.datasets.display import console, table_of

SIGNIFICANT = 0.05


def show_evaluation(facts: dict[str, Any]) -> None:
    """Show a line a method."""
    out = console()
    _say_table(out, facts)
    head = ("method", "accuracy", "balanced", "triplets", "seconds")
    lines = [
        (
            m["method"],
            _score(m, "accuracy"),
            _score(m, "balanced_accuracy"),
            _score(m, "triplet_accuracy"),
            number(m["seconds"], ".1f"),
        )
        for m in facts["methods"]
    ]
    out.print(table_of(out, head, lines, right=set(head[1:])))
    _say_undone(out, facts)


def show_comparison(facts: dict[str, Any]) -> None:
    """Show a line a method, the best first, and whether they differ."""
    out = console()
    _say_table(out, facts)
    head = ("method", "mean rank", "accuracy", "triplets", "p", "seconds")
    lines = [
        (
            m["method"],
            number(m["mean_rank"], ".1f"),
            _score(m, "accuracy"),
            _score(m, "triplet_accuracy"),
            number(m["p_value"], ".3f"),
            number(m["seconds"], ".1f"),
        )
        for m in facts["methods"]
    ]
    out.print(table_of(out, head, lines, right=set(head[1:])))
    if facts["friedman"] is not None:
        say(
            out, f"Friedman: p = {facts['friedman']['p_value']:.2g} that all are alike."
        )
    say(out, "p: Wilcoxon against the first, adjusted by Holm. " + facts["caution"])
    if facts["smallest_p_value"] > SIGNIFICANT:
        say(
            out,
            f"So few splits of so many methods give no p below "
            f"{facts['smallest_p_value']:.2g}; ask for more --repeats.",
        )
    _say_undone(out, facts)


def _say_table(out: Console, facts: dict[str, Any]) -> None:
    say(
        out,
        f"{facts['data']}: {facts['rows']:,} rows, {facts['features']} features, "
        f"{facts['repeats']} splits; {facts['majority_share']:.1%} by always saying "
        "the largest class",
        bold=True,
    )


def _say_undone(out: Console, facts: dict[str, Any]) -> None:
    for m in facts["methods"]:
        if m["status"] != "done":
            say(out, f"{m['method']}: {m['status']}")


def _score(method: dict[str, Any], name: str) -> str:
    mean, spread = method[name], method[f"{name}_deviation"]
    return "-" if mean is None else f"{mean:.1%} ± {spread:.1%}"
