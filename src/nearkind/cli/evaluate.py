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
    from nearkind.cli import comparison, console
    from nearkind.cli.number_comparison import number_columns, number_scores

    show = console.print_json if as_json else console.show_evaluation
    source = table.source()
    if (columns := number_columns(source, task)) is not None:
        show(number_scores(columns, source, trials, ranked=False))
        return
    chosen = trials.method or ["hamming", "cpml-s", "cpml-cv"]
    facts = comparison.evaluate_methods(source, chosen, trials)
    show(facts)
