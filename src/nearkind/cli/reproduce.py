"""``nearkind reproduce``."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import typer

from nearkind.cli.option_groups import argument, option
from nearkind.cli.options import Force

if TYPE_CHECKING:
    from nearkind.experiments.paper.reproduction import Reproduction


@dataclass(frozen=True, kw_only=True)
class Changes:
    """Settings of a protocol to change; None: as they are."""

    repeats: int | None = option()
    rows: int | None = option()
    strengths: str | None = option()
    p: float | None = option()
    k: str | None = option()
    solver: str | None = option()
    constraints: Literal["triplets", "pairs", "quadruplets"] | None = option()
    tol: float | None = option()

    def settings(self) -> dict[str, Any]:
        """Return the settings as a protocol has them, None for those that stay."""
        found = {**vars(self), "strengths": _strengths(self.strengths)}
        k = found.pop("k")
        is_number = k is not None and k.isdecimal()
        return {**found, "n_neighbors": int(k) if is_number else k}


def reproduce(
    changes: Changes,
    what: list[str] | None = argument(default=None),
    protocol: Literal["quick", "long", "paper"] = option(default="quick"),
    output: Path = option(default=Path("reproduced")),
    jobs: int | None = option(),
    seconds: float = option(default=600.0),
    largest: int | None = option(),
    yes: bool = option(default=False),
    force: Force = False,
    listed: bool = option(default=False),
) -> None:
    """Regenerate the tables and figures of the paper beside the printed numbers.

    A second run with the same folder continues the first one. Results of other
    settings stay in the folder and are not used.
    """
    from nearkind.cli.outputs import RESULTS, echo_path, keep_others, results_in
    from nearkind.experiments.paper.items import items_named
    from nearkind.experiments.paper.protocol import PROTOCOLS
    from nearkind.experiments.paper.reproduction import Reproduction

    chosen = PROTOCOLS[protocol].altered(**changes.settings())
    reproduction = Reproduction(output, chosen, jobs, seconds, largest)
    if listed:
        _list_items(reproduction)
        return
    items = items_named(what or ())
    for path in results_in(output, items):
        keep_others(path, RESULTS[path.suffix], force)
    if not yes:
        _refuse_hours(items, reproduction)
    for name, item in items.items():
        typer.echo(f"{name}: {item.title}", err=True)
        for path in item.make(reproduction):
            echo_path(path)


def _list_items(reproduction: "Reproduction") -> None:
    """Print each item and how long it takes."""
    from nearkind.experiments.paper.items import ITEMS, expected_seconds, in_words

    name = reproduction.protocol.name
    typer.echo(f"Expected times of --protocol {name} on two cores:")
    for name, item in ITEMS.items():
        words = in_words(expected_seconds([name], reproduction))
        typer.echo(f"{name:16}{words:14}{item.title}")


def _refuse_hours(items: Iterable[str], reproduction: "Reproduction") -> None:
    """Raise ValueError if items are expected to take hours."""
    from nearkind.experiments.paper.items import HOURS, expected_seconds, in_words

    expected = expected_seconds(items, reproduction)
    if expected > HOURS:
        raise ValueError(
            f"This is expected to take {in_words(expected)} on two cores. Pass "
            "--yes to start it (it can be interrupted and resumed), or reduce "
            "it: --protocol quick, --repeats 1, --rows 1000, --largest 1000."
        )


def _strengths(text: str | None) -> str | tuple[float, ...] | None:
    """Return the name of strengths, or the numbers."""
    if text is None or text.isalpha():
        return text
    try:
        return tuple(float(each) for each in text.split(","))
    except ValueError:
        raise ValueError(
            f"--strengths must be 'shares', 'paper' or numbers such as 1,0.1,0.01; "
            f"got {text!r}."
        ) from None
