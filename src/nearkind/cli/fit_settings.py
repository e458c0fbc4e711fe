"""Settings of a fit: options of ``nearkind fit``, checked before any work."""

from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import Any, Literal

import typer

from nearkind.cli import methods
from nearkind.cli.methods import SEARCH, STRUCTURES
from nearkind.cli.option_groups import completion, option
from nearkind.cli.options import Seed

ONE_METRIC = "single"
"""Learned where rows are too many to search."""
TOLERANCE = 1e-3
"""Of one metric: a tighter proof does not classify better."""
OF_SEARCH = {
    "time_budget": None,
    "members": None,
    "scoring": "accuracy",
    "forest": True,
}
"""Settings that only a search has, and their defaults."""


@dataclass(frozen=True, kw_only=True)
class FitSettings:
    """What is learned, and how."""

    method: str = option(
        default=methods.SEARCH, autocompletion=completion(methods.names)
    )
    task: Literal["auto", "class", "number"] = option(default="auto")
    numeric: Literal["auto", "category", "bin", "scale", "number"] = option(
        default="auto"
    )
    missing: Literal["level", "prior", "error", "skip"] | None = option()
    unseen: Literal["prior", "error"] = option(default="prior")
    tol: float | None = option()
    max_iter: int | None = option()
    jobs: int | None = option()
    seed: Seed = 0
    time_budget: float | None = option()
    members: int | None = option()
    scoring: str = option(default="accuracy")
    class_weight: Literal["balanced"] | None = option()

    forest: bool = option(default=True)
    fold_case: bool = option(default=False)

    def check(self) -> None:
        """Raise BadParameter if an option is wrong."""
        from nearkind.errors import did_you_mean

        known = methods.names()
        if self.name not in known:
            hint = f"{did_you_mean(self.name, known)} --list-methods lists all."
            raise _wrong("method", f"there is no method {self.name!r}. {hint}")
        if self.scoring != "accuracy":
            from nearkind.search.scoring import scoring_names

            if self.scoring not in scoring_names():
                hint = did_you_mean(self.scoring, scoring_names())
                raise _wrong("scoring", f"there is no score {self.scoring!r}. {hint}")
        for name, default in OF_SEARCH.items():
            if getattr(self, name) != default and self.name != SEARCH:
                raise _wrong(name, "only for method cv.")
        for name in ("tol", "max_iter"):
            if getattr(self, name) is not None and name not in self._taken():
                raise _wrong(name, f"is not a setting of method {self.name}.")

    @property
    def name(self) -> str:
        """The method, by the name that ``fit`` lists."""
        return methods.name_of(self.method)

    @property
    def can_stream(self) -> bool:
        """Whether the method learns from batches."""
        return self.name in (SEARCH, *STRUCTURES)

    @property
    def of_all_rows(self) -> str | None:
        """A setting that needs all rows in memory, if there is one."""
        if self.class_weight is not None:
            return "class_weight"
        return None if self.scoring == "accuracy" else "scoring"

    def check_stream(self) -> None:
        """Raise BadParameter if an option needs all rows in memory."""
        given = "fold_case" if self.fold_case else self.of_all_rows
        if given is not None:
            raise _wrong(
                given,
                "requires all rows in memory, but the file is read in batches; "
                "add --no-stream.",
            )

    def model(self) -> Any:
        """Return the classifier, not fitted; a search shows its progress everywhere."""
        from nearkind import CPMLClassifier, CPMLClassifierCV

        if self.name != SEARCH:
            return CPMLClassifier(self.metric(), class_weight=self.class_weight)
        search = CPMLClassifierCV(
            time_budget=self.time_budget,
            scoring=self.scoring,
            class_weight=self.class_weight,
            forest=self.forest,
            verbose=1,
            **self._common(),
        )
        members = {} if self.members is None else {"max_members": self.members}
        return search.set_params(**members)

    def regressor(self) -> Any:
        """Return the model of a number, not fitted."""
        from nearkind import CPMLRegressor, CPMLRegressorCV

        if self.of_all_rows is not None:
            raise _wrong(
                self.of_all_rows, "only for classes, not for a numeric target."
            )
        if self.name != SEARCH:
            return CPMLRegressor(self.metric(), random_state=self.seed)
        search, given = CPMLRegressorCV(verbose=1), self._common()
        given |= {"time_budget": self.time_budget, "max_members": self.members or 3}
        taken = search.get_params()
        return search.set_params(**{k: x for k, x in given.items() if k in taken})

    def metric(self) -> Any:
        """Return the distance of the method, not fitted."""
        from nearkind.estimators.progress import is_watched

        metric = self.plain_metric()
        given = {**self._common(), "verbose": int(is_watched())}
        taken = metric.get_params()
        return metric.set_params(**{k: x for k, x in given.items() if k in taken})

    def plain_metric(self) -> Any:
        """Return the distance of the method with its default settings."""
        metric = methods.metric_of(self.name)
        return metric.set_params(tol=TOLERANCE) if self.name in STRUCTURES else metric

    def batch_model(self) -> Any:
        """Return the model for a stream, not fitted; a search would need all rows."""
        from nearkind import CPMLClassifier

        one = replace(self, method=self.batch_method)
        return CPMLClassifier(one.plain_metric().set_params(**self._common()))

    @property
    def batch_method(self) -> str:
        """The method that learns from a stream."""
        return ONE_METRIC if self.name == SEARCH else self.name

    def _taken(self) -> Collection[str]:
        """Return the parameters of the method; of a search those of its model."""
        from nearkind import CPMLClassifierCV

        is_search = self.name == SEARCH
        return (CPMLClassifierCV() if is_search else self.plain_metric()).get_params()

    def _common(self) -> dict[str, Any]:
        """Return the parameters that many models have, as far as they are given."""
        from nearkind.validation.threads import ALL_CORES

        names = ("numeric", "missing", "unseen", "tol", "max_iter")
        found = {name: getattr(self, name) for name in names}
        found |= {"random_state": self.seed, "n_jobs": self.jobs or ALL_CORES}
        return {name: value for name, value in found.items() if value is not None}


@dataclass(frozen=True, kw_only=True)
class StreamSettings:
    """Whether a file is read in batches, and how."""

    stream: bool | None = option()
    batch_rows: int = option(default=1 << 18)
    remember: int = option(default=20_000)


def _wrong(name: str, text: str) -> typer.BadParameter:
    return typer.BadParameter(text, param_hint=f"--{name.replace('_', '-')}")
