"""``nearkind evaluate``."""

from nearkind.cli import options


def evaluate(
    table: options.Table,
    effort: options.Effort,
    method: options.Methods = None,
    list_methods: options.ListMethods = False,
    as_json: options.AsJson = False,
) -> None:
    """Measure triplet and classification accuracy on rows held out.

    Without --method, hamming, cpml-s and cpml-cv are tried.
    """
    from nearkind.cli import comparison, console

    source = table.source()
    methods = comparison.check_methods(method or ["hamming", "cpml-s", "cpml-cv"])
    facts = comparison.evaluate_methods(source, methods, effort)
    (console.print_json if as_json else console.show_evaluation)(facts)
