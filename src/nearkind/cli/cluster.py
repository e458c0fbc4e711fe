"""``nearkind cluster``."""

from pathlib import Path
from typing import Any

import typer

from nearkind.cli import options
from nearkind.cli.options import option


def cluster(
    rows: options.Rows,
    measure: options.Measure,
    written: options.TableOutput,
    k: str = option(
        "Number of groups; auto: from 2 to 15, the one with the largest silhouette.",
        "-k",
        default="auto",
        metavar="N|auto",
    ),
    page: Path | None = option(
        "File for a page on DATA, which ends in .html, with the groups on a map."
    ),
    seed: options.Seed = 0,
    as_json: options.AsJson = False,
) -> None:
    """Group the rows of DATA around medoids, and say what sets each group apart.

    The table of --output has the group of each row and its distance to the medoid.
    """
    from nearkind.cli.console import print_json
    from nearkind.cli.outputs import PAGE, check_output
    from nearkind.cli.progress import said_if_long
    from nearkind.io import short_name, write_text
    from nearkind.pages.overview import overview
    from nearkind.pages.page import page as page_of
    from nearkind.pages.summary import summary
    from nearkind.tasks.medoids import KMedoids

    if k != "auto" and not (k.isdecimal() and int(k)):
        raise typer.BadParameter(
            f"a whole number >= 1, or auto; got {k!r}.", param_hint="-k"
        )
    written.check(rows.inputs)
    if page is not None:
        check_output(page, PAGE, rows.inputs, written.force)
    X, metric, where = rows.features(), measure.distance(), short_name(rows.data)
    n_clusters = k if k == "auto" else int(k)
    with said_if_long("finding groups ..."):
        model = KMedoids(metric, n_clusters, random_state=seed).fit(X)
    if written.output is not None:
        distances = model.transform(X).min(axis=1).tolist()
        found = {"group": model.labels_.tolist(), "distance": distances}
        written.write({**(X if written.keep else {}), **found})
    facts = {
        "data": where,
        "rows": len(model.labels_),
        "metric": measure.metric,
        "n_clusters": model.n_clusters_,
        "inertia": model.inertia_,
        "silhouettes": model.silhouettes_,
        "groups": [group.to_dict() for group in model.groups_],
    }
    if page is not None:
        report = overview(X, where, metric=metric, groups=model.labels_)
        write_text(page_of(summary(report)), page)
    if as_json:
        print_json(facts)
    else:
        _show(facts, model.groups_)


def _show(facts: dict[str, Any], groups: Any) -> None:
    """Print each group with what sets it apart."""
    from nearkind.cli.console import MOST_FEATURES, Screen

    screen = Screen()
    head = f"{facts['data']}: {facts['rows']:,} rows in {facts['n_clusters']} groups"
    screen.line(head, bold=True)
    if facts["silhouettes"]:
        share = facts["silhouettes"][facts["n_clusters"]]
        screen.line(f"mean silhouette {share:.2f}, the largest of those tried")
    for group in groups:
        screen.section(
            f"Group {group.number}: {group.size:,.0f} rows ({group.share:.1%})"
        )
        apart = [value.in_words() for value in group.apart[:MOST_FEATURES]]
        usual = [value.in_words(False) for value in group.usual[:MOST_FEATURES]]
        if apart:
            screen.line(f"set apart by {'; '.join(apart)}")
        screen.line(f"typical {'; '.join(usual)}")
        screen.line(
            f"represented by row {group.representative}; borderline: row "
            f"{group.borderline}"
        )
