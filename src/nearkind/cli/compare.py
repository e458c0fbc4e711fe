"""``nearkind compare``."""

from dataclasses import dataclass

from nearkind.cli import options


@dataclass(frozen=True, kw_only=True)
class ManyTrials(options.Trials):
    """More repetitions, as ranks and significance need, of shorter trials."""

    repeats: int = options.repeats(10)
    seconds: float = options.seconds(120.0)


def compare(
    table: options.TargetTable, trials: ManyTrials, as_json: options.AsJson = False
) -> None:
    """Compare methods on a table: accuracy, ranks, significance and time.

    Without --method, all methods are tried.
    """
    from nearkind.cli import comparison, console

    chosen = trials.method or comparison.METHODS
    facts = comparison.compare_methods(table.source(), chosen, trials)
    (console.print_json if as_json else console.show_comparison)(facts)
