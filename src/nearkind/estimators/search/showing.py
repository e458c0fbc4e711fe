"""What a search shows while it runs."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

Tell = Callable[[int, int, str], None]


@contextmanager
def shown(verbose: int) -> Iterator[Tell]:
    """Give what the race tells of its fits: nothing, a bar on a terminal, or lines."""
    if not verbose:
        yield lambda made, most, what: None
    elif not sys.stderr.isatty():
        yield lambda made, most, what: print(
            f"{made} of at most {most} fits; next: {what}", file=sys.stderr
        )
    else:
        from rich.console import Console
        from rich.progress import Progress

        with Progress(console=Console(stderr=True), transient=True) as bar:
            task = bar.add_task("")
            yield lambda made, most, what: bar.update(
                task, completed=made, total=most, description=what
            )
