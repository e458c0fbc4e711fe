"""``nearkind evaluate``."""

from nearkind.cli import options


def evaluate(
    data: options.Data,
    target: options.Target = None,
    method: options.Methods = None,
    list_methods: options.ListMethods = False,
    repeats: options.Repeats = 5,
    seconds: options.Seconds = 300.0,
    jobs: options.Jobs = None,
    drop: options.Drop = None,
    text: options.Text = None,
    format: options.Format = None,
    delimiter: options.Delimiter = None,
    encoding: options.Encoding = None,
    as_json: options.AsJson = False,
) -> None:
    """Measure triplet and classification accuracy on rows held out.

    Without --method, hamming, cpml-s and cpml-cv are tried.
    """
    from nearkind.cli import comparison, console
    from nearkind.io import LabelledSource, ReadOptions

    target = options.chosen_target(target, data)
    read = ReadOptions(format, delimiter, encoding)
    source = LabelledSource(data, target, tuple(drop or ()), tuple(text or ()), read)
    methods = comparison.check_methods(method or ["hamming", "cpml-s", "cpml-cv"])
    effort = comparison.Effort(repeats, seconds, jobs)
    facts = comparison.evaluate_methods(source, methods, effort)
    (console.print_json if as_json else console.show_evaluation)(facts)
