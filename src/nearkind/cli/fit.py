"""``nearkind fit``."""

import signal
from pathlib import Path
from typing import Annotated

import typer

from nearkind.cli import options


def fit(
    data: options.Data,
    output: Annotated[
        Path, typer.Option("--output", "-o", help="The model, a new file.")
    ],
    target: options.Target = None,
    method: Annotated[
        str,
        typer.Option(
            "--method",
            "-m",
            help="cv chooses by trying on rows held out; single, multi, diagonal or "
            "full learn that metric; or a baseline, as hamming.",
        ),
    ] = "cv",
    drop: options.Drop = None,
    text: options.Text = None,
    numeric: Annotated[
        str,
        typer.Option(
            "--numeric", help="Columns of numbers: auto, category, bin or scale."
        ),
    ] = "auto",
    missing: Annotated[
        str,
        typer.Option(
            "--missing",
            help="What a missing cell is: level makes it a value of its own, prior "
            "lets it say nothing, error refuses it.",
        ),
    ] = "level",
    unseen: Annotated[
        str,
        typer.Option(
            "--unseen",
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
    seed: Annotated[int, typer.Option("--seed", min=0, help="Of all draws.")] = 0,
    time_budget: Annotated[
        float | None,
        typer.Option(
            "--time-budget", min=0.001, help="Seconds that cv may take, all in all."
        ),
    ] = None,
    members: Annotated[
        int | None,
        typer.Option(
            "--members", min=1, help="Distances that may vote together in cv; else 3."
        ),
    ] = None,
    scoring: Annotated[
        str,
        typer.Option(
            "--scoring",
            help="What cv is to be good at: accuracy, balanced_accuracy, f1_macro or "
            "log_loss.",
        ),
    ] = "accuracy",
    class_weight: Annotated[
        str | None,
        typer.Option(
            "--class-weight", help="balanced gives every class the same weight."
        ),
    ] = None,
    keep_best: Annotated[
        bool,
        typer.Option(
            "--keep-best",
            help="Ctrl-C ends the search and keeps the best so far, a second one "
            "stops; without this the first one stops, and nothing is written.",
        ),
    ] = False,
    stream: Annotated[
        bool | None,
        typer.Option(
            "--stream/--no-stream",
            help="Read the file in batches, never all of it; else by its size.",
        ),
    ] = None,
    batch_rows: Annotated[
        int, typer.Option("--batch-rows", min=1, help="Rows of a batch.")
    ] = 1 << 18,
    remember: Annotated[
        int, typer.Option("--remember", min=100, help="Rows that vote, of a stream.")
    ] = 20_000,
    format: options.Format = None,
    delimiter: options.Delimiter = None,
    encoding: options.Encoding = None,
    as_json: options.AsJson = False,
) -> None:
    """Learn to tell classes apart, and keep what was learned in a file."""
    from nearkind import save
    from nearkind.cli import console, trainer
    from nearkind.datasets.data_argument import read_batches, read_labelled
    from nearkind.io import LabelledSource, ReadOptions, check_writable

    target = options.chosen_target(target, data)
    settings = trainer.FitSettings(
        method,
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
    check_writable(output)
    if keep_best:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    read = ReadOptions(format, delimiter, encoding)
    source = LabelledSource(data, target, tuple(drop or ()), tuple(text or ()), read)
    if trainer.is_streamed(stream, data, settings):
        settings.check_stream()
        batches = read_batches(source, batch_rows)
        model, facts = trainer.fit_batches(batches, settings, remember)
    else:
        model, facts = trainer.fit_table(read_labelled(source), settings)
    save(model, output)
    facts = {"model": str(output), **facts}
    (console.print_json if as_json else console.show_fit)(facts)
