"""``nearkind compare``."""

from dataclasses import dataclass

from nearkind.cli import options
from nearkind.cli.option_groups import option


@dataclass(frozen=True, kw_only=True)
class ManyTrials(options.Trials):
    """More repetitions, as ranks and significance need, of shorter trials."""

    repeats: int = option(default=10)
    seconds: float = option(default=120.0)


def compare(
    table: options.TargetTable,
    trials: ManyTrials,
    task: options.Task = "auto",
    as_json: options.AsJson = False,
) -> None:
    """Compare methods on a table: accuracy, ranks, significance and time.

    Without --method, all methods are tried; of a number, cv, mean, ridge, forest,
    boosting and neighbors.
    """
    from nearkind.cli import comparison
    from nearkind.cli.console import print_json

    methods = comparison.METHODS
    facts = comparison.trial_facts(table, trials, task, methods, ranked=True)
    (print_json if as_json else comparison.show_comparison)(facts)
