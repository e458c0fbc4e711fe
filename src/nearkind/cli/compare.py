"""``nearkind compare``."""

from nearkind.cli import options


def compare(
    data: options.Data,
    target: options.Target = None,
    method: options.Methods = None,
    list_methods: options.ListMethods = False,
    repeats: options.Repeats = 10,
    seconds: options.Seconds = 120.0,
    jobs: options.Jobs = None,
    drop: options.Drop = None,
    text: options.Text = None,
    format: options.Format = None,
    delimiter: options.Delimiter = None,
    encoding: options.Encoding = None,
    as_json: options.AsJson = False,
) -> None:
    """Compare methods on one table: accuracy, ranks, significance, time.

    Without --method, all methods are tried.
    """
    from nearkind.cli import comparison, console
    from nearkind.io import LabelledSource, ReadOptions

    target = options.chosen_target(target, data)
    read = ReadOptions(format, delimiter, encoding)
    source = LabelledSource(data, target, tuple(drop or ()), tuple(text or ()), read)
    chosen = comparison.check_methods(method or comparison.METHODS)
    effort = comparison.Effort(repeats, seconds, jobs)
    facts = comparison.compare_methods(source, chosen, effort)
    (console.print_json if as_json else console.show_comparison)(facts)
