"""``nearkind evaluate``."""

from nearkind.cli import options


def evaluate(
    table: options.TargetTable, trials: options.Trials, as_json: options.AsJson = False
) -> None:
    """Measure accuracy and triplet accuracy of methods on held-out rows.

    Without --method, hamming, cpml-s and cpml-cv are tried.
    """
    from nearkind.cli import comparison, console

    chosen = trials.method or ["hamming", "cpml-s", "cpml-cv"]
    facts = comparison.evaluate_methods(table.source(), chosen, trials)
    (console.print_json if as_json else console.show_evaluation)(facts)
