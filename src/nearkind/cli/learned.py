"""A model from a table, and what there is to say of it."""

import sys
import warnings
from collections import Counter
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np
import typer

from nearkind import CPML, CPMLClassifier, CPMLClassifierCV, baselines
from nearkind.cli.contributions import relevance
from nearkind.encoding.codebook import POLICIES
from nearkind.errors import did_you_mean
from nearkind.estimators.search.folds import deal
from nearkind.io import LabelledTable
from nearkind.tables import Table, read_table

SEARCH = "cv"
STRUCTURES = "single", "multi", "diagonal", "full"
N_FOLDS = 5
TOLERANCE = 1e-3
"""Of one metric: a tighter proof does not classify better."""
IN_TURN = "on rows held out in turn, by which it was chosen"
ONCE = "on a fifth of the rows, held out from a first fit"


class Settings(NamedTuple):
    """What a person asks of a fit."""

    method: str = SEARCH
    numeric: str = "auto"
    seed: int = 0
    time_budget: float | None = None

    def check(self) -> None:
        """Refuse bad usage."""
        known = [SEARCH, *STRUCTURES, *baselines.all()]
        if self.method not in known:
            raise typer.BadParameter(
                did_you_mean(self.method, known), param_hint="--method"
            )
        if self.numeric not in POLICIES["numeric"]:
            listed = ", ".join(POLICIES["numeric"])
            raise typer.BadParameter(f"one of {listed}.", param_hint="--numeric")
        if self.time_budget is not None and self.method != SEARCH:
            raise typer.BadParameter("only for cv.", param_hint="--time-budget")

    def model(self) -> Any:
        """Return it unfitted; it shows its progress on a terminal, not in a pipe."""
        common = {"numeric": self.numeric, "verbose": int(is_watched())}
        common["random_state"] = self.seed
        if self.method == SEARCH:
            return CPMLClassifierCV(time_budget=self.time_budget, **common)
        if self.method in STRUCTURES:
            return CPMLClassifier(CPML(self.method, tol=TOLERANCE, **common))
        metric = baselines.all()[self.method]()
        taken = metric.get_params()
        metric.set_params(**{name: common[name] for name in common if name in taken})
        return CPMLClassifier(metric)


def learn(table: LabelledTable, settings: Settings) -> tuple[Any, dict[str, Any]]:
    """Return a fitted classifier and the facts of it."""
    X, y, start = read_table(table.X), np.array(table.y), perf_counter()
    model = settings.model().fit(X, y)
    seconds = perf_counter() - start
    accuracy, how = _accuracy(model, X, y, settings)
    classes = Counter(table.y)
    return model, {
        "method": settings.method,
        "target": table.target,
        "rows": len(y),
        "features": len(X.names),
        "classes": dict(classes.most_common()),
        "chosen": _chosen(model),
        "accuracy": accuracy,
        "accuracy_is": how,
        "majority_share": classes.most_common(1)[0][1] / len(y),
        "relevance": relevance(model, X, settings.seed),
        "seconds": seconds,
    }


def _accuracy(
    model: Any, X: Table, y: Any, settings: Settings
) -> tuple[float | None, str]:
    """Return the share of right answers on rows held out, and which rows these are."""
    if hasattr(model, "best_score_"):
        return model.best_score_, IN_TURN
    numbers = np.unique(y, return_inverse=True)[1]
    rng = np.random.default_rng(settings.seed)
    fold = next(deal(numbers, min(N_FOLDS, len(y)), rng), None)
    if fold is None:
        return None, "too few rows to hold some out"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the fit to all rows has said it
        part = settings.model().fit(X.take(fold.train), y[fold.train])
        return float(part.score(X.take(fold.held), y[fold.held])), ONCE


def _chosen(model: Any) -> list[str]:
    """Return the distances that vote, the best one first."""
    members = getattr(model, "members_", [model])
    return [f"{_one_line(m.metric_)}, votes of {m.n_neighbors}" for m in members]


def _one_line(metric: Any) -> str:
    return " ".join(repr(metric).split())


def is_watched() -> bool:
    """Say whether somebody sees standard error."""
    from rich.console import Console

    return sys.stderr.isatty() and Console(stderr=True).is_interactive
