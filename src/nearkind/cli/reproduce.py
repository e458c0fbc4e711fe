"""``nearkind reproduce``."""

from pathlib import Path
from typing import Annotated

import typer

from nearkind.cli.options import Force


def reproduce(
    what: Annotated[
        list[str] | None,
        typer.Argument(help="Items to make, see --list; all of them if none is named."),
    ] = None,
    protocol: Annotated[
        str,
        typer.Option(
            "--protocol",
            help="How much is run: 'quick' takes minutes, 'long' hours, 'paper' days.",
        ),
    ] = "quick",
    output: Annotated[
        Path,
        typer.Option(
            "--output",
            "-o",
            help="Folder of tables and figures; those of an earlier run are replaced.",
        ),
    ] = Path("reproduced"),
    repeats: Annotated[
        int | None,
        typer.Option("--repeats", min=1, help="Repetitions of every trial."),
    ] = None,
    rows: Annotated[
        int | None,
        typer.Option("--rows", min=10, help="Cut larger sets to so many rows."),
    ] = None,
    strengths: Annotated[
        str | None,
        typer.Option(
            "--strengths",
            help="Strengths to try: 'shares' of the largest useful one, the 'paper' "
            "ones, or numbers such as 1,0.1,0.01.",
        ),
    ] = None,
    p: Annotated[
        float | None,
        typer.Option("--p", help="Exponent of CPML's Schatten norm, 1 to inf."),
    ] = None,
    k: Annotated[
        str | None,
        typer.Option("--k", help="Number of neighbours that vote, or 'choose'."),
    ] = None,
    solver: Annotated[
        str | None, typer.Option("--solver", help="Solver of CPML.")
    ] = None,
    constraints: Annotated[
        str | None,
        typer.Option("--constraints", help="Of CPML: triplets, pairs or quadruplets."),
    ] = None,
    tol: Annotated[
        float | None,
        typer.Option("--tol", help="Proven gap at which CPML stops, as a share."),
    ] = None,
    jobs: Annotated[
        int | None,
        typer.Option(
            "--jobs", min=1, help="Trials at once; one per core if not given."
        ),
    ] = None,
    seconds: Annotated[
        float, typer.Option("--seconds", help="Seconds per trial before it is stopped.")
    ] = 600.0,
    largest: Annotated[
        int | None,
        typer.Option("--largest", min=1, help="Leave out sets of more rows than this."),
    ] = None,
    yes: Annotated[
        bool, typer.Option("--yes", help="Start also what is expected to take hours.")
    ] = False,
    force: Force = False,
    listed: Annotated[
        bool, typer.Option("--list", help="List the items and how long they take.")
    ] = False,
) -> None:
    """Make the tables and figures of the paper, ours beside the printed numbers.

    A second run into the same folder goes on where the first one ended. Rows made
    under other settings stay in the folder and are not mixed in.
    """
    from nearkind.cli.outputs import RESULTS, echo_path, keep_others, results_in
    from nearkind.experiments.paper.items import (
        HOURS,
        ITEMS,
        expected_seconds,
        in_words,
        items_named,
    )
    from nearkind.experiments.paper.protocol import protocol_named
    from nearkind.experiments.paper.reproduction import Reproduction

    chosen = protocol_named(protocol).altered(
        repeats=repeats,
        rows=rows,
        strengths=_strengths(strengths),
        p=p,
        n_neighbors=int(k) if k is not None and k.isdecimal() else k,
        solver=solver,
        constraints=constraints,
        tol=tol,
    )
    reproduction = Reproduction(output, chosen, jobs, seconds, largest)
    if listed:
        typer.echo(f"Expected times of --protocol {chosen.name} on two cores:")
        for name, item in ITEMS.items():
            words = in_words(expected_seconds([name], reproduction))
            typer.echo(f"{name:16}{words:14}{item.title}")
        return
    items = items_named(what or ())
    for path in results_in(output, items):
        keep_others(path, RESULTS[path.suffix], force)
    expected = expected_seconds(items, reproduction)
    if expected > HOURS and not yes:
        raise ValueError(
            f"This is expected to take {in_words(expected)} on two cores. Say --yes to "
            "start it (it can be stopped and goes on when called again), or ask for "
            "less: --protocol quick, --repeats 1, --rows 1000, --largest 1000."
        )
    for name, item in items.items():
        typer.echo(f"{name}: {item.title}", err=True)
        for path in item.make(reproduction):
            echo_path(path)


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
