"""``nearkind fit``."""

import os
import signal
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated

import typer

from nearkind.cli import methods, options


def _scorings() -> Iterable[str]:
    from nearkind.search.scoring import SCORINGS

    return SCORINGS


def _end_search_by_signal() -> None:
    """Let Ctrl-C end the search; or SIGTERM, where Ctrl-C is ignored from the start."""
    number = signal.SIGINT
    if signal.getsignal(number) is signal.SIG_IGN:
        number = signal.SIGTERM
        typer.echo(
            "Ctrl-C is ignored here, as in the background of a script: SIGTERM "
            f"(kill {os.getpid()}) ends the search and keeps the best so far.",
            err=True,
        )
    signal.signal(number, signal.default_int_handler)


def fit(
    data: options.Data,
    output: Annotated[
        Path,
        typer.Option(
            "--output",
            "-o",
            help="File for the model, which ends in .nearkind; a model that is there "
            "is replaced.",
        ),
    ],
    target: options.Target = None,
    method: Annotated[
        str,
        typer.Option(
            "--method",
            "--methods",
            "-m",
            metavar="METHOD",
            help="Method to learn by: cv tries several distances on rows held out; "
            "single, multi, diagonal and full learn one metric; dilca and others need "
            "no classes. --list-methods lists them all.",
            autocompletion=options.completion(methods.names),
        ),
    ] = methods.SEARCH,
    list_methods: options.ListMethods = False,
    drop: options.Drop = None,
    text: options.Text = None,
    numeric: Annotated[
        str,
        typer.Option(
            "--numeric",
            metavar="[auto|category|bin|scale]",
            help="What becomes of a column of numbers: category makes every number a "
            "value, bin cuts them into ranges, scale keeps their order and distance, "
            "auto makes more than 20 numbers ranges.",
            autocompletion=options.completion(
                lambda: ("auto", "category", "bin", "scale")
            ),
        ),
    ] = "auto",
    missing: Annotated[
        str,
        typer.Option(
            "--missing",
            metavar="[level|prior|error]",
            help="What a missing cell is: level makes it a value of its own, prior "
            "lets it say nothing, error refuses it.",
        ),
    ] = "level",
    unseen: Annotated[
        str,
        typer.Option(
            "--unseen",
            metavar="[prior|error]",
            help="What the model does with a value that it has not learned from: prior "
            "lets it say nothing, error refuses it.",
        ),
    ] = "prior",
    tol: Annotated[
        float | None,
        typer.Option(
            "--tol",
            min=0.0,
            help="Learning one metric stops when it is proven to be so close to the "
            "best, as a share of the objective; 0.001 by default.",
        ),
    ] = None,
    max_iter: Annotated[
        int | None,
        typer.Option(
            "--max-iter", min=1, help="Learning one metric takes so many steps at most."
        ),
    ] = None,
    jobs: Annotated[
        int | None,
        typer.Option(
            "--jobs", min=1, help="Number of threads; one per core by default."
        ),
    ] = None,
    seed: Annotated[
        int, typer.Option("--seed", min=0, help="Seed of everything that is drawn.")
    ] = 0,
    time_budget: Annotated[
        float | None,
        typer.Option(
            "--time-budget",
            min=0.001,
            help="Seconds that method cv may take in all; it says what it did not try.",
        ),
    ] = None,
    members: Annotated[
        int | None,
        typer.Option(
            "--members",
            min=1,
            help="Number of distances that may vote together in method cv; 3 by "
            "default.",
        ),
    ] = None,
    scoring: Annotated[
        str,
        typer.Option(
            "--scoring",
            help="Score by which method cv chooses: accuracy, balanced_accuracy, "
            "f1_macro or log_loss.",
            autocompletion=options.completion(_scorings),
        ),
    ] = "accuracy",
    class_weight: Annotated[
        str | None,
        typer.Option(
            "--class-weight",
            help="Weight of the classes: balanced gives every class the same.",
        ),
    ] = None,
    keep_best: Annotated[
        bool,
        typer.Option(
            "--keep-best",
            help="Let the first Ctrl-C end the search and keep the best so far; "
            "without this it stops the command, and nothing is written.",
        ),
    ] = False,
    stream: Annotated[
        bool | None,
        typer.Option(
            "--stream/--no-stream",
            help="Whether to read the file in batches, never all of it; by default "
            "only a large one is.",
        ),
    ] = None,
    batch_rows: Annotated[
        int,
        typer.Option(
            "--batch-rows", min=1, help="Rows per batch of a file read in batches."
        ),
    ] = 1 << 18,
    remember: Annotated[
        int,
        typer.Option(
            "--remember",
            min=100,
            help="Rows to keep for voting from a file read in batches.",
        ),
    ] = 20_000,
    format: options.Format = None,
    delimiter: options.Delimiter = None,
    encoding: options.Encoding = None,
    force: options.Force = False,
    as_json: options.AsJson = False,
) -> None:
    """Learn to tell classes apart, and keep what was learned in a file.

    A method that needs no classes learns a distance alone where no --target is given.
    """
    from nearkind import save
    from nearkind.cli import console, outputs, trainer
    from nearkind.datasets.data_argument import (
        read_batches,
        read_features,
        read_labelled,
    )
    from nearkind.io import LabelledSource, ReadOptions

    settings = trainer.FitSettings(
        methods.name_of(method),
        numeric,
        seed,
        time_budget,
        scoring,
        class_weight,
        members,
        missing,
        unseen,
        tol,
        max_iter,
        jobs,
    )
    settings.check()
    target = target or options.own_target(data)
    if target is not None or methods.needs_classes(settings.method):
        target = options.chosen_target(target, data)
    outputs.check_output(output, outputs.MODEL, {"DATA": data}, force)
    if keep_best:
        _end_search_by_signal()
    read = ReadOptions(format, delimiter, encoding)
    dropped, texts = tuple(drop or ()), tuple(text or ())
    if target is None:
        for option, is_given in {
            "--class-weight": class_weight,
            "--stream": stream,
        }.items():
            if is_given:
                raise typer.BadParameter("needs --target.", param_hint=option)
        X = read_features(data, dropped, texts, read)
        model, facts = trainer.fit_distance(X, settings)
        save(model, output)
        facts = {"model": str(output), **facts}
        return (console.print_json if as_json else console.show_fit_of_distance)(facts)
    source = LabelledSource(data, target, dropped, texts, read)
    if trainer.is_streamed(stream, data, settings):
        settings.check_stream()
        batches = read_batches(source, batch_rows)
        model, facts = trainer.fit_batches(batches, settings, remember)
    else:
        model, facts = trainer.fit_table(read_labelled(source), settings)
    save(model, output)
    facts = {"model": str(output), **facts}
    (console.print_json if as_json else console.show_fit)(facts)
