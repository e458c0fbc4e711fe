"""``nearkind evaluate``."""

from nearkind.cli import options


def evaluate(
    table: options.TargetTable,
    trials: options.Trials,
    task: options.Task = "auto",
    as_json: options.AsJson = False,
) -> None:
    """Measure accuracy and triplet accuracy of methods on held-out rows.

    Without --method, hamming, cpml-s and cpml-cv are tried. Of a number, R2 and errors
    of cv, mean, ridge, forest, boosting and neighbors.
    """
    from nearkind.cli import comparison
    from nearkind.cli.console import print_json

    methods = ["hamming", "cpml-s", "cpml-cv"]
    facts = comparison.trial_facts(table, trials, task, methods, ranked=False)
    (print_json if as_json else comparison.show_evaluation)(facts)
