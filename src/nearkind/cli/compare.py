"""``nearkind compare``."""

from dataclasses import dataclass

from nearkind.cli import options


@dataclass(frozen=True, kw_only=True)
class Effort(options.Effort):
    """More repetitions, as ranks and significance need, of shorter trials."""

    repeats: options.Repeats = 10
    seconds: options.Seconds = 120.0


def compare(
    table: options.Table,
    effort: Effort,
    method: options.Methods = None,
    list_methods: options.ListMethods = False,
    as_json: options.AsJson = False,
) -> None:
    """Compare methods on one table: accuracy, ranks, significance, time.

    Without --method, all methods are tried.
    """
    from nearkind.cli import comparison, console

    source = table.source()
    methods = comparison.check_methods(method or comparison.METHODS)
    facts = comparison.compare_methods(source, methods, effort)
    (console.print_json if as_json else console.show_comparison)(facts)
