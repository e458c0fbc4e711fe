"""Fits of models to tables or batches, and the facts that are printed about them."""

import warnings
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import replace
from math import nan
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
import typer

from nearkind import CPMLClassifier
from nearkind.cli.console import Facts
from nearkind.cli.explanations import relevance_facts
from nearkind.cli.fit_settings import FitSettings, StreamSettings
from nearkind.cli.jit import compile_ahead
from nearkind.cli.methods import SEARCH, STRUCTURES
from nearkind.cli.options import Rows
from nearkind.cli.predictions import numbers_of
from nearkind.cli.usable_columns import declare, read_usable, without_aside
from nearkind.datasets.readers import is_set, read_batches, read_data, select_features
from nearkind.estimators.batches import N_REFERENCE, reference_rows
from nearkind.estimators.labels import label_array
from nearkind.estimators.progress import BatchProgress, is_watched
from nearkind.io import (
    Batches,
    Columns,
    LabelledSource,
    LabelledTable,
    require_column,
)
from nearkind.io.formats import format_by_name
from nearkind.model_view import ModelView
from nearkind.protocols import Array
from nearkind.search.elimination import NO_TIME
from nearkind.search.folds import deal_by_class
from nearkind.tables import Table, printable
from nearkind.voting import Voter
from nearkind.voting.numbers import NumberVoter
from nearkind.voting.voter import LeafRule, SoftRule

Fit = tuple[Any, Facts]
"""A fitted model, and the facts of the fit."""
LONG = 10.0
"""Seconds of a search that are announced."""
IMBALANCED = 0.8
"""Share of the largest class beyond which the recall of each class is told."""
LOW_RECALL = 0.5
"""Recall of a class below which an option is recommended."""
N_FOLDS = 5
"""One row in so many is held out."""
HELD_OUT = "on {:,} held-out rows; the model itself is fitted to all rows"
REMEMBERED = (
    "on a fifth of the sampled rows, which were used to learn the distance but do "
    "not vote"
)
LARGE_TEXT = 200 * 2**20
LARGE = 50 * 2**20
"""Bytes of a file that is read in batches by default; compressed or binary, a file
holds more rows."""
NO_BETTER = "That is no better than the majority-class baseline"
SLOW = 1.0
"""Seconds of 1,000 predictions that are announced; a busy machine adds some tenths."""
ENOUGH_SECONDS, MOST_TIMED = 0.2, 512
"""Seconds for which predictions are timed at least, or how many are."""
FEW_NUMBERS = 20
"""Different numbers of a target up to which they are taken for classes."""
CROSS_VALIDATED = "on {:,} held-out rows, cross-validated"
SELECTING = f"{CROSS_VALIDATED}; also used for selection, so slightly optimistic"
NOT_MEASURED = "R2 is measured by method cv alone."
NO_SEARCH = (
    "The file is read in batches, so one distance is learned, without a search; "
    "--no-stream searches with all rows in memory."
)


def fit_classifier(
    source: LabelledSource, settings: FitSettings, batches: StreamSettings
) -> Fit:
    """Return a classifier fitted to a table or, if it is large, to its batches.

    A table whose target is a number gives a regressor.
    """
    if not is_streamed(batches.stream, source.data, settings):
        columns = read_data(source.data, source.options)
        if predicts_number(columns, source, settings.task):
            return fit_number(columns, source, settings)
        table = read_usable(source, settings.fold_case, columns)
        return fit_table(table, settings, source.text)
    settings.check_stream()
    read = read_batches(source, batches.batch_rows)
    return fit_batches(read, settings, batches.remember)


def fit_distance(rows: Rows, settings: FitSettings, batches: StreamSettings) -> Fit:
    """Return a distance fitted to a table without classes."""
    of_classes = {
        "--class-weight": settings.class_weight,
        "--stream": batches.stream,
    }
    for option, given in of_classes.items():
        if given:
            raise typer.BadParameter("needs --target.", param_hint=option)
    table, start = rows.table(rows.usable(rows.features())), perf_counter()
    metric = settings.metric().fit(table)
    return metric, distance_facts(settings.name, metric, table, perf_counter() - start)


def distance_facts(method: str, metric: Any, table: Table, seconds: float) -> Facts:
    """Return the facts of the fit of a distance alone."""
    return {
        "method": method,
        "target": None,
        "rows": table.n_rows,
        "features": len(table.names),
        "chosen": [ModelView(metric).report.title],
        "relevance": relevance_facts(metric, table),
        "seconds": seconds,
    }


def fit_table(
    table: LabelledTable, settings: FitSettings, declared: Collection[str] = ()
) -> Fit:
    """Return a classifier fitted to a table; some columns are declared categorical."""
    X = declare(table.X, declared)
    y = label_array(list(table.y))
    if settings.name in STRUCTURES:
        compile_ahead(len(y))
    start = perf_counter()
    if settings.name == SEARCH and is_watched():
        announce(len(y), settings.time_budget)
    # Rows beside those without a label keep the numbers that they have in the file.
    cells, labels, weights = table.with_gaps()
    if weights is None:
        model = settings.model().fit(X, y)
    else:
        whole = declare(cells, declared)
        model = settings.model().fit(whole, labels, weights)
    seconds = perf_counter() - start
    confusion, how = _confusion(model, X, y, settings)
    accuracy = None if confusion is None else confusion.trace() / confusion.sum()
    counts = dict(Counter(table.y).most_common())
    n_held = 0 if confusion is None else round(float(confusion.sum()))
    how = how.format(n_held)
    told = _accuracy_facts(accuracy, how, counts, table.target, settings)
    if ModelView(model).was_searched and settings.scoring != "accuracy":
        told |= {"scoring": settings.scoring, "score": model.best_score_}
        told["score_is"] = SELECTING.format(n_held)
    if confusion is not None and told["majority_share"] > IMBALANCED:
        told |= _recall_facts(confusion, model.classes_, settings)
    return model, {
        "method": settings.name,
        "target": table.target,
        "rows": len(y),
        "features": len(X.names),
        "classes": counts,
        "chosen": chosen_texts(model.committee_.voters, model.committee_.voter_weights),
        **told,
        **_untried(model),
        "relevance": relevance_facts(model, None),
        "explained_by": ModelView(model).explained_by,
        "seconds": seconds,
        **_prediction_facts(model, settings),
    }


def announce(n_rows: int, time_budget: float | None) -> None:
    """Say how long a search may take, if that is long, to a factor of two or three.

    Measured on tables of 400 to 13,000 rows: all rows are compared with each other up
    to some thousands, and some of them beyond.
    """
    seconds = 1.0 + min(n_rows, 5_000) ** 2 / 1e6 + n_rows / 1e3
    if seconds > LONG and (time_budget is None or time_budget > seconds):
        typer.echo(
            f"A search over {n_rows:,} rows takes about {seconds:.0f} s, often less; "
            "--time-budget limits it, and --method single learns one metric.",
            err=True,
        )


def _confusion(
    model: Any, X: Table, y: Any, settings: FitSettings
) -> tuple[Array | None, str]:
    """Return held-out rows by class and predicted class (C, C), and which these are."""
    if ModelView(model).was_searched:
        of_accuracy = settings.scoring == "accuracy"
        return model.confusion_, SELECTING if of_accuracy else CROSS_VALIDATED
    numbers = np.unique(y, return_inverse=True)[1]
    rng = np.random.default_rng(settings.seed)
    fold = next(deal_by_class(numbers, min(N_FOLDS, len(y)), rng), None)
    if fold is None or len(np.unique(numbers[fold.train])) < 2:
        return None, "too few rows to hold out"
    accepting = replace(settings, unseen="prior")  # held-out rows have new values
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the fit to all rows has given them
        part = accepting.model().fit(X.take(fold.train), y[fold.train])
        answers = part.predict(X.take(fold.held))
    found = np.zeros((len(model.classes_), len(model.classes_)))
    places = np.searchsorted(model.classes_, answers)
    np.add.at(found, (numbers[fold.held], places), 1.0)
    return found, HELD_OUT


def _accuracy_facts(
    accuracy: float | None,
    how: str,
    counts: dict[Any, int],
    target: str,
    settings: FitSettings,
) -> Facts:
    """Return the accuracy beside the baseline, and a caution if it is no better.

    There is no caution where classes are weighted or another score is asked for, as
    the largest class is then given up for others.
    """
    majority_share = max(counts.values()) / sum(counts.values())
    facts = {
        "accuracy": accuracy,
        "accuracy_is": how,
        "majority_share": majority_share,
    }
    if accuracy is None or accuracy > majority_share or settings.of_all_rows:
        return facts
    nothing = f": no relation between these columns and {target!r} was found"
    is_even = majority_share <= IMBALANCED  # else the recall of each class tells more
    return {**facts, "caution": f"{NO_BETTER}{nothing if is_even else ''}."}


def _untried(model: Any) -> Facts:
    """Return the candidates of a search that there was no time for, if any."""
    refused = model.refused_ if ModelView(model).was_searched else {}
    names = [name for name, why in refused.items() if why == NO_TIME]
    return {"not_tried": names} if names else {}


def _prediction_facts(model: Any, settings: FitSettings) -> Facts:
    """Return how long 1,000 predictions take, and what to say if that is long."""
    seconds = prediction_seconds(model)
    if seconds < SLOW:
        return {"prediction_seconds": seconds}
    n_rows = max(len(voter.rows) for voter in model.committee_.voters)
    note = (
        f"1,000 predictions take about {seconds:.1f} s, as each is compared with "
        f"{n_rows:,} different rows"
    )
    can_stream = settings.can_stream and settings.of_all_rows is None
    if can_stream and n_rows > 2 * N_REFERENCE:
        note += f"; fit with --stream to keep only a sample of {N_REFERENCE:,}"
    return {"prediction_seconds": seconds, "prediction_note": f"{note}."}


def prediction_seconds(model: Any) -> float:
    """Return about how long 1,000 predictions take, reading of cells left out.

    Measured on some of the training rows.
    """
    return 1_000.0 * sum(map(_seconds_per_row, model.committee_.voters))


def _seconds_per_row(voter: Voter) -> float:
    """Return how long a voter takes for the votes on a row, of several at once."""
    codes = voter.rows.codes
    voter.shares(codes[:1])  # what is built once
    n = 8
    while True:
        step = max(1, len(codes) // n)
        some = codes[np.arange(n) * step % len(codes)]  # few rows several times
        start = perf_counter()
        voter.shares(some)
        seconds = perf_counter() - start
        if seconds >= ENOUGH_SECONDS or n >= MOST_TIMED:
            return seconds / n
        n *= 4


def _recall_facts(confusion: Array, classes: Any, settings: FitSettings) -> Facts:
    """Return the recall of each class that has held-out rows, and their mean."""
    n_rows = confusion.sum(axis=1)
    shares = confusion.diagonal()[n_rows > 0] / n_rows[n_rows > 0]
    labels = classes[n_rows > 0].tolist()
    facts = {
        "balanced_accuracy": float(shares.mean()),
        "recall": dict(zip(labels, shares.tolist(), strict=True)),
    }
    if shares.min() < LOW_RECALL and settings.class_weight is None:
        facts["hint"] = (
            f"Class {labels[shares.argmin()]!r} is mostly missed; --class-weight "
            "balanced gives every class the same weight, and --scoring "
            "balanced_accuracy selects by the mean recall."
        )
    return facts


def fit_batches(batches: Batches, settings: FitSettings, n_remembered: int) -> Fit:
    """Return a classifier fitted to a stream, of which a number of rows vote."""
    compile_ahead()
    start = perf_counter()
    if settings.name == SEARCH:
        typer.echo(NO_SEARCH, err=True)
    model = settings.batch_model()
    model.fit_batches(BatchProgress(batches), n_remembered=n_remembered)
    seconds = perf_counter() - start
    metric, (voter,) = model.metric_, model.committee_.voters
    seen = zip(metric.classes_.tolist(), metric.class_count_, strict=True)
    counts = {label: int(n) for label, n in sorted(seen, key=lambda pair: -pair[1])}
    accuracy = _accuracy_of_remembered(model, settings.seed)
    target = batches.source.target
    return model, {
        "method": settings.batch_method,
        "target": target,
        "rows": model.n_samples_seen_,
        "remembered": model.n_remembered_,
        "features": len(batches.names),
        "classes": counts,
        "chosen": [
            f"{chosen_text(voter)} among {model.n_remembered_:,} rows remembered"
        ],
        **_accuracy_facts(accuracy, REMEMBERED, counts, target, settings),
        "relevance": relevance_facts(model, None),
        "explained_by": ModelView(model).explained_by,
        "seconds": seconds,
        "prediction_seconds": prediction_seconds(model),
    }


def _accuracy_of_remembered(model: CPMLClassifier, seed: int) -> float | None:
    """Return the accuracy on some remembered rows, for which the others vote."""
    rows = reference_rows(model.metric_)
    held = np.random.default_rng(seed).permutation(len(rows)) % N_FOLDS == 0
    if len(np.unique(rows.y[~held])) < 2 or not held.any():
        return None
    others = CPMLClassifier(n_neighbors=model.n_neighbors)
    others.fit_over(model.metric_, rows.take(np.flatnonzero(~held)))
    queries = rows.take(np.flatnonzero(held))
    right = others.predict(queries) == queries.classes[queries.y]
    return float(np.average(right, weights=queries.weights))


def is_streamed(stream: bool | None, data: str, settings: FitSettings) -> bool:
    """Return whether to read a file in batches; None decides by its size."""
    if settings.task == "number":
        if stream:
            raise typer.BadParameter(
                "regression requires the whole table in memory; omit --stream.",
                param_hint="--stream",
            )
        return False
    if stream and not settings.can_stream:
        listed = ", ".join(STRUCTURES)
        raise typer.BadParameter(
            f"{settings.name} requires the whole table in memory. Methods that read "
            f"batches: {listed}.",
            param_hint="--stream",
        )
    return settings.can_stream and is_large(data) if stream is None else stream


def is_large(data: str) -> bool:
    """Return whether a file is too large to be read at once."""
    path = Path(data)
    if is_set(data) or not path.is_file():
        return False
    form = format_by_name(data)
    is_text = form is None or form.is_text
    is_plain = is_text and not data.lower().endswith(".gz")
    return path.stat().st_size > (LARGE_TEXT if is_plain else LARGE)


def chosen_texts(voters: Sequence[Voter], weights: Sequence[float]) -> list[str]:
    """Return each distance, who votes, and the weight if it is one of several."""
    return [
        f"{chosen_text(voter)}" + (f"; weight {weight:.0%}" if weight < 1.0 else "")
        for voter, weight in zip(voters, weights, strict=True)
    ]


def chosen_text(voter: Voter) -> str:
    """Return the distance of a voter and who votes, for people."""
    rule, rows = voter.rule, voter.rows
    if isinstance(rule, SoftRule):
        has_all = rows.weights.sum() <= rows.n_rows * 1.001
        who = "all" if has_all else f"{len(rows):,} distinct"
        votes = f"weighted by distance (temperature {rule.temperature:.2g})"
        return f"{voter.report.title}, {who} training rows vote, {votes}"
    if isinstance(rule, LeafRule):
        return f"{voter.report.title}, rows that share leaves vote"
    noun = "neighbour" if rule.n_neighbors == 1 else "neighbours"
    return f"{voter.report.title}, {rule.n_neighbors} {noun}"


def predicts_number(
    columns: Columns, source: LabelledSource, task: str = "auto"
) -> bool:
    """Return whether a number is to be predicted; say why if it is not stated."""
    column = require_column(source.target, columns, source.where)
    if task != "auto":
        return task == "number"
    numbers = None if column in source.text else numbers_of(columns[column])
    if numbers is None:
        return False
    known = np.unique(numbers[~np.isnan(numbers)])
    n_numbers, are_whole = len(known), np.array_equal(known, np.floor(known))
    is_number = n_numbers > (FEW_NUMBERS if are_whole else 2)
    if n_numbers > 2:
        found, other = ("a number", "class") if is_number else ("a class", "number")
        text = (
            f"The target {column!r} has {n_numbers:,} distinct numbers, so {found} is "
            f"predicted; --task {other} predicts a {other}."
        )
        typer.echo(printable(text), err=True)
    return is_number


def numbered_table(columns: Columns, source: LabelledSource) -> tuple[Columns, Array]:
    """Return the features of a table, and the target as numbers, NaN where missing."""
    target = require_column(source.target, columns, source.where)
    y, where = numbers_of(columns[target]), source.where
    if y is None:
        odd = next(x for x in columns[target] if numbers_of([x]) is None)
        raise ValueError(
            f"Column {target!r} of {where} has values that are not numbers, such as "
            f"{odd!r:.40}. Pass --task class to predict a class."
        )
    drop, dates = (target, *source.drop), source.options.dates
    return select_features(columns, where, drop, source.text, dates), y


def fit_number(columns: Columns, source: LabelledSource, settings: FitSettings) -> Fit:
    """Return a regressor fitted to a table, and the facts of the fit."""
    target, text = source.target, source.text
    X, y = numbered_table(columns, source)
    known = ~np.isnan(y)
    if not known.all():
        n_without = f"{(~known).sum():,} of {len(y):,} rows"
        typer.echo(f"{n_without} have no {target!r} and are left out.", err=True)
    X = without_aside(X, text, source.where)
    table, start = declare(X, text), perf_counter()
    # Rows beside those without a number keep the numbers that they have in the file.
    model = settings.regressor().fit(
        table, np.where(known, y, 0.0), known.astype(float)
    )
    measured = {"r2": nan, "r2_is": NOT_MEASURED}
    if settings.name == SEARCH:
        held = SELECTING.format(len(model.held_rows_))
        measured = {"r2": model.best_score_, "r2_is": held}
    return model, {
        "method": settings.name,
        "task": "number",
        "target": target,
        "rows": int(known.sum()),
        "features": len(table.names),
        "chosen": list(map(_trend_text, model.committee_.voters)),
        "scale": type(model.committee_.scale).__name__,
        **measured,
        "relevance": relevance_facts(model, None),
        "explained_by": ModelView(model).explained_by,
        "seconds": perf_counter() - start,
    }


def _trend_text(voter: NumberVoter) -> str:
    """Return the distance of a voter of numbers, for people."""
    trend = ", votes on the residuals of a linear trend" if voter.trend else ""
    return f"{voter.report.title}{trend}"
