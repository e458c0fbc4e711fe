"""``nearkind demo``."""

from pathlib import Path

from nearkind.cli import options
from nearkind.cli.option_groups import argument


def demo(
    name: str = argument(default="balance"),
    output: options.Page = Path("nearkind-demo.html"),
    force: options.Force = False,
) -> None:
    """Fit a model to a built-in data set, print a summary and write its page."""
    from nearkind.cli.demonstration import show
    from nearkind.cli.outputs import PAGE, check_output

    check_output(output, PAGE, {"NAME": name}, force)
    show(name, output)
