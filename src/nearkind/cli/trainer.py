"""A model fitted to a table or to a stream of batches, and the facts of the fit."""

import warnings
from collections import Counter
from collections.abc import Collection
from pathlib import Path
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np
import typer

from nearkind import CPMLClassifier, CPMLClassifierCV
from nearkind.cli import methods
from nearkind.cli.compilation import compile_ahead
from nearkind.cli.explanations import relevance_facts
from nearkind.cli.methods import SEARCH, STRUCTURES
from nearkind.datasets.data_argument import is_set
from nearkind.encoding.codebook import POLICIES
from nearkind.errors import did_you_mean
from nearkind.estimators.batches import N_REFERENCE, reference_rows
from nearkind.estimators.labels import label_array
from nearkind.estimators.progress import BatchProgress, is_watched
from nearkind.io import Batches, Columns, LabelledTable
from nearkind.io.formats import format_by_name
from nearkind.model_view import ModelView
from nearkind.neighbors import is_soft
from nearkind.protocols import Array
from nearkind.search.elimination import NO_TIME
from nearkind.search.folds import deal_by_class
from nearkind.search.scoring import SCORINGS
from nearkind.tables import Table, read_table

ONE_METRIC = "single"
"""Learned where rows are too many to search."""
TOLERANCE = 1e-3
"""Of one metric: a tighter proof does not classify better."""
LONG = 10.0
"""Seconds of a search that are announced."""
BALANCED = "balanced"
IMBALANCED = 0.8
"""Share of the largest class beyond which the recall of each class is told."""
N_FOLDS = 5
"""One row in so many is held out."""
CROSS_VALIDATED = "on rows held out in turn, by which it was chosen"
HELD_OUT = "on a fifth of the rows, held out from a first fit"
REMEMBERED = (
    "on a fifth of the remembered rows, which taught the distance but did not vote"
)
LARGE_TEXT = 200 * 2**20
LARGE = 50 * 2**20
"""Bytes of a file that is read in batches by default; compressed or binary, a file
holds more rows."""
NO_BETTER = "That is no better than always saying the largest class"
SLOW = 1.0
"""Seconds of 1,000 predictions that are announced; a busy machine adds some tenths."""
ENOUGH_SECONDS, MOST_TIMED = 0.2, 512
"""Seconds for which predictions are timed at least, or how many are."""
NO_SEARCH = (
    "Read in batches, so one distance is learned and none is searched for; "
    "--no-stream searches, with all rows in memory."
)


class FitSettings(NamedTuple):
    """Options of ``nearkind fit``."""

    method: str = SEARCH
    numeric: str = "auto"
    seed: int = 0
    time_budget: float | None = None
    scoring: str = "accuracy"
    class_weight: str | None = None
    max_members: int | None = None
    missing: str = "level"
    unseen: str = "prior"
    tol: float | None = None
    max_iter: int | None = None
    jobs: int | None = None

    def check(self) -> None:
        """Raise BadParameter if an option is wrong."""
        known = methods.names()
        if self.method not in known:
            hint = f"{did_you_mean(self.method, known)} --list-methods lists all."
            raise typer.BadParameter(hint, param_hint="--method")
        for name, allowed in POLICIES.items():
            if getattr(self, name) not in allowed:
                listed = ", ".join(allowed)
                raise typer.BadParameter(f"one of {listed}.", param_hint=f"--{name}")
        of_search = {"--time-budget": self.time_budget, "--members": self.max_members}
        for name, value in of_search.items():
            if value is not None and self.method != SEARCH:
                raise typer.BadParameter("only for cv.", param_hint=name)
        for name, value in {"--tol": self.tol, "--max-iter": self.max_iter}.items():
            if value is not None and name[2:].replace("-", "_") not in self._takes():
                raise typer.BadParameter(
                    f"{self.method} has no such setting.", param_hint=name
                )
        if self.scoring not in SCORINGS:
            hint = did_you_mean(self.scoring, SCORINGS)
            raise typer.BadParameter(hint, param_hint="--scoring")
        if self.scoring != "accuracy" and self.method != SEARCH:
            raise typer.BadParameter("only for cv.", param_hint="--scoring")
        if self.class_weight not in (None, BALANCED):
            raise typer.BadParameter(f"only {BALANCED}.", param_hint="--class-weight")

    @property
    def takes_stream(self) -> bool:
        """Whether no option needs all rows in memory."""
        return self.scoring == "accuracy" and self.class_weight is None

    def check_stream(self) -> None:
        """Raise BadParameter if an option needs all rows in memory."""
        if not self.takes_stream:
            name = "--class-weight" if self.class_weight else "--scoring"
            raise typer.BadParameter(
                "needs all rows at once, and the file is read in batches; add "
                "--no-stream.",
                param_hint=name,
            )

    def model(self) -> Any:
        """Return the model, not fitted; a search shows its progress everywhere."""
        if self.method == SEARCH:
            search = CPMLClassifierCV(
                time_budget=self.time_budget,
                scoring=self.scoring,
                class_weight=self.class_weight,
                verbose=1,
                **self._common(),
            )
            if self.max_members is not None:
                search.set_params(max_members=self.max_members)
            return search
        return CPMLClassifier(self.metric(), class_weight=self.class_weight)

    def metric(self) -> Any:
        """Return the distance of the method, not fitted."""
        metric = self.plain_metric()
        given = {**self._common(), "verbose": int(is_watched())}
        taken = metric.get_params()
        return metric.set_params(**{k: x for k, x in given.items() if k in taken})

    def plain_metric(self) -> Any:
        """Return the distance of the method, as it comes."""
        metric = methods.metric_of(self.method)
        if self.method in STRUCTURES:
            metric.set_params(tol=TOLERANCE)
        return metric

    def _takes(self) -> Collection[str]:
        """Return the parameters of the method; of a search those of its model."""
        is_search = self.method == SEARCH
        return (CPMLClassifierCV() if is_search else self.plain_metric()).get_params()

    def _common(self) -> dict[str, Any]:
        """Return the parameters that many models have, as far as they are given."""
        found = {
            "numeric": self.numeric,
            "missing": self.missing,
            "unseen": self.unseen,
            "random_state": self.seed,
            "n_jobs": self.jobs,
            "tol": self.tol,
            "max_iter": self.max_iter,
        }
        return {name: value for name, value in found.items() if value is not None}

    def batch_model(self) -> CPMLClassifier:
        """Return the model for a stream, not fitted; a search would need all rows."""
        one = self._replace(method=ONE_METRIC) if self.method == SEARCH else self
        return CPMLClassifier(one.plain_metric().set_params(**self._common()))


def fit_table(
    table: LabelledTable, settings: FitSettings
) -> tuple[Any, dict[str, Any]]:
    """Return a fitted classifier and the facts of the fit."""
    X, y = read_table(table.X).factorize(), label_array(list(table.y))
    if settings.method in STRUCTURES:
        compile_ahead(len(y))
    start = perf_counter()
    if settings.method == SEARCH and is_watched():
        announce(len(y), settings.time_budget)
    model = settings.model()
    if table.n_given > len(y):  # the others keep the numbers that they have in the file
        model.fit(*table.with_gaps())
    else:
        model.fit(X, y)
    seconds = perf_counter() - start
    confusion, how = _confusion(model, X, y, settings)
    classes = Counter(table.y)
    majority_share = classes.most_common(1)[0][1] / len(y)
    accuracy = None if confusion is None else confusion.trace() / confusion.sum()
    told = {}
    if confusion is not None and majority_share > IMBALANCED:
        told = _recall_facts(confusion, model.classes_)
    return model, {
        "method": settings.method,
        "target": table.target,
        "rows": len(y),
        "features": len(X.names),
        "classes": dict(classes.most_common()),
        "chosen": [
            f"{_one_line(member.distance_)}, {_voters(member)}"
            for member in ModelView(model).members
        ],
        "accuracy": accuracy,
        "accuracy_is": how,
        "majority_share": majority_share,
        **told,
        **_caution(accuracy, majority_share, table.target, settings),
        **_untried(model),
        "relevance": relevance_facts(model, X),
        "explained_by": ModelView(model).explained_by,
        "seconds": seconds,
        **_prediction_facts(model, settings),
    }


def announce(n_rows: int, time_budget: float | None) -> None:
    """Say how long a search may take, if that is long."""
    seconds = estimated_seconds(n_rows)
    if seconds > LONG and (time_budget is None or time_budget > seconds):
        typer.echo(
            f"A search over {n_rows:,} rows takes about {seconds:.0f} s, often less; "
            "--time-budget ends it sooner, and --method single learns one metric.",
            err=True,
        )


def estimated_seconds(n_rows: int) -> float:
    """Return about how long a search takes, to a factor of two or three.

    Measured on tables of 400 to 13,000 rows: all rows are compared with each other up
    to some thousands, and some of them beyond.

    Examples
    --------
    >>> [round(estimated_seconds(n)) for n in (1_000, 3_000, 10_000)]
    [3, 13, 36]
    """
    return 1.0 + min(n_rows, 5_000) ** 2 / 1e6 + n_rows / 1e3


def fit_distance(X: Columns, settings: FitSettings) -> tuple[Any, dict[str, Any]]:
    """Return a distance fitted to a table without classes, and the facts of the fit."""
    table, start = read_table(X).factorize(), perf_counter()
    metric = settings.metric().fit(table)
    seconds = perf_counter() - start
    return metric, {
        "method": settings.method,
        "target": None,
        "rows": table.n_rows,
        "features": len(table.names),
        "chosen": [_one_line(metric)],
        "relevance": relevance_facts(metric, table),
        "seconds": seconds,
    }


def _confusion(
    model: Any, X: Table, y: Any, settings: FitSettings
) -> tuple[Array | None, str]:
    """Return held-out rows by class and predicted class (C, C), and which these are."""
    if ModelView(model).was_searched:
        return model.confusion_, CROSS_VALIDATED
    numbers = np.unique(y, return_inverse=True)[1]
    rng = np.random.default_rng(settings.seed)
    fold = next(deal_by_class(numbers, min(N_FOLDS, len(y)), rng), None)
    if fold is None or len(np.unique(numbers[fold.train])) < 2:
        return None, "too few rows to hold some out"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the fit to all rows has given them
        lenient = settings._replace(unseen="prior")  # rows held out have new values
        part = lenient.model().fit(X.take(fold.train), y[fold.train])
        answers = part.predict(X.take(fold.held))
    found = np.zeros((len(model.classes_), len(model.classes_)))
    places = np.searchsorted(model.classes_, answers)
    np.add.at(found, (numbers[fold.held], places), 1.0)
    return found, HELD_OUT


def _caution(
    accuracy: float | None, majority_share: float, target: str, settings: FitSettings
) -> dict[str, Any]:
    """Return what to say if rows held out are told no better than by the largest class.

    Nothing is said where classes are weighted or another score is asked for, as the
    largest class is then given up for others.
    """
    aims_at_accuracy = settings.scoring == "accuracy" and settings.class_weight is None
    if accuracy is None or accuracy > majority_share or not aims_at_accuracy:
        return {}
    nothing = f": these columns say nothing of {target!r} that was found"
    is_even = majority_share <= IMBALANCED  # else the recall of each class tells more
    return {"caution": f"{NO_BETTER}{nothing if is_even else ''}."}


def _untried(model: Any) -> dict[str, Any]:
    """Return the candidates of a search that there was no time for, if any."""
    refused = model.refused_ if ModelView(model).was_searched else {}
    names = [name for name, why in refused.items() if why == NO_TIME]
    return {"not_tried": names} if names else {}


def _prediction_facts(model: Any, settings: FitSettings) -> dict[str, Any]:
    """Return how long 1,000 predictions take, and what to say if that is long."""
    seconds = prediction_seconds(model)
    if seconds < SLOW:
        return {"prediction_seconds": seconds}
    n_voters = max(len(m.training_rows_) for m in ModelView(model).members)
    note = (
        f"1,000 predictions take about {seconds:.1f} s, as each is compared with "
        f"{n_voters:,} different rows"
    )
    can_stream = settings.method in (SEARCH, *STRUCTURES) and settings.takes_stream
    if can_stream and n_voters > 2 * N_REFERENCE:
        note += f"; fit with --stream to keep only a sample of {N_REFERENCE:,}"
    return {"prediction_seconds": seconds, "prediction_note": f"{note}."}


def prediction_seconds(model: Any) -> float:
    """Return about how long 1,000 predictions take, reading of cells left out.

    Measured on some of the training rows.
    """
    members = ModelView(model).members
    return 1_000.0 * sum(map(_seconds_per_row, members))


def _seconds_per_row(member: CPMLClassifier) -> float:
    """Return how long a member takes for the votes on a row, of several at once."""
    codes = member.training_rows_.codes
    member.shares_of_codes(codes[:1])  # what is built once
    n = 8
    while True:
        step = max(1, len(codes) // n)
        some = codes[np.arange(n) * step % len(codes)]  # few rows several times
        start = perf_counter()
        member.shares_of_codes(some)
        seconds = perf_counter() - start
        if seconds >= ENOUGH_SECONDS or n >= MOST_TIMED:
            return seconds / n
        n *= 4


def _recall_facts(confusion: Array, classes: Any) -> dict[str, Any]:
    """Return the recall of each class that has rows held out, and their mean."""
    n_rows = confusion.sum(axis=1)
    shares = confusion.diagonal()[n_rows > 0] / n_rows[n_rows > 0]
    labels = classes[n_rows > 0].tolist()
    return {
        "balanced_accuracy": float(shares.mean()),
        "recall": dict(zip(labels, shares.tolist(), strict=True)),
    }


def fit_batches(
    batches: Batches, settings: FitSettings, n_remembered: int
) -> tuple[Any, dict[str, Any]]:
    """Return a classifier fitted to a stream, and the facts of the fit.

    Parameters
    ----------
    batches : Batches
    settings : FitSettings
    n_remembered : int
        How many rows vote.
    """
    compile_ahead()
    start = perf_counter()
    if settings.method == SEARCH:
        typer.echo(NO_SEARCH, err=True)
    model = settings.batch_model()
    model.fit_batches(BatchProgress(batches), n_remembered=n_remembered)
    seconds = perf_counter() - start
    metric = model.distance_
    counts = dict(zip(metric.classes_.tolist(), metric.class_count_, strict=True))
    falling = sorted(counts, key=lambda label: -counts[label])
    votes = f"{_voters(model)} among {model.n_remembered_:,} rows"
    accuracy = _accuracy_of_remembered(model, settings.seed)
    majority_share = counts[falling[0]] / model.n_samples_seen_
    target = batches.source.target
    return model, {
        "method": settings.method if settings.method != SEARCH else ONE_METRIC,
        "target": target,
        "rows": model.n_samples_seen_,
        "remembered": model.n_remembered_,
        "features": len(batches.names),
        "classes": {label: int(counts[label]) for label in falling},
        "chosen": [f"{_one_line(metric)}, {votes} remembered"],
        "accuracy": accuracy,
        "accuracy_is": REMEMBERED,
        "majority_share": majority_share,
        **_caution(accuracy, majority_share, target, settings),
        "relevance": relevance_facts(model, None),
        "explained_by": ModelView(model).explained_by,
        "seconds": seconds,
        "prediction_seconds": prediction_seconds(model),
    }


def _accuracy_of_remembered(model: CPMLClassifier, seed: int) -> float | None:
    """Return the accuracy on some remembered rows, for which the others vote."""
    rows = reference_rows(model.distance_)
    held = np.random.default_rng(seed).permutation(len(rows)) % N_FOLDS == 0
    if len(np.unique(rows.y[~held])) < 2 or not held.any():
        return None
    others = CPMLClassifier(n_neighbors=model.n_neighbors)
    others.fit_over(model.distance_, rows.take(np.flatnonzero(~held)))
    queries = rows.take(np.flatnonzero(held))
    right = others.predict(queries) == queries.classes[queries.y]
    return float(np.average(right, weights=queries.weights))


def is_streamed(stream: bool | None, data: str, settings: FitSettings) -> bool:
    """Return whether to read a file in batches; None decides by its size."""
    can = settings.method in (SEARCH, *STRUCTURES)
    if stream and not can:
        listed = ", ".join(STRUCTURES)
        raise typer.BadParameter(
            f"{settings.method} learns from whole tables; one of {listed} can.",
            param_hint="--stream",
        )
    return can and is_large(data) if stream is None else stream


def is_large(data: str) -> bool:
    """Return whether a file is too large to be read at once."""
    path = Path(data)
    if is_set(data) or not path.is_file():
        return False
    form = format_by_name(data)
    is_text = form is None or form.is_text
    is_plain = is_text and not data.lower().endswith(".gz")
    return path.stat().st_size > (LARGE_TEXT if is_plain else LARGE)


def _voters(member: CPMLClassifier) -> str:
    """Return who votes, for people."""
    if is_soft(member.weights):
        return "all rows vote"
    count = member.n_neighbors
    return f"{count} neighbours" if count > 1 else "1 neighbour"


def _one_line(metric: Any) -> str:
    return " ".join(repr(metric).split())
