"""``nearkind cluster``."""

from pathlib import Path
from typing import TYPE_CHECKING

import typer

from nearkind.cli import options
from nearkind.cli.option_groups import option

if TYPE_CHECKING:
    from nearkind.tasks.medoids import KMedoids


def cluster(
    rows: options.Rows,
    measure: options.Measure,
    written: options.TableOutput,
    k: str = option(default="auto"),
    page: Path | None = option(),
    seed: options.Seed = 0,
    as_json: options.AsJson = False,
) -> None:
    """Group the rows of DATA around medoids, and say what sets each group apart.

    The table of --output has the group of each row and its distance to the medoid.
    """
    from nearkind.cli.console import print_json
    from nearkind.cli.outputs import PAGE, check_output
    from nearkind.cli.progress import said_if_long
    from nearkind.io import write_text
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
    X, metric, where = rows.features(), measure.distance(), rows.where
    usable = rows.usable(X)
    table = rows.table(usable)
    with said_if_long("finding groups ..."):
        model = KMedoids(metric, k if k == "auto" else int(k), random_state=seed).fit(
            table
        )
        distances = model.transform(table).min(axis=1).tolist()
        written.write_beside(X, group=model.labels_.tolist(), distance=distances)
        if page is not None:
            report = overview(usable, where, metric=metric, groups=model.labels_)
            write_text(page_of(summary(report)), page)
    if as_json:
        facts = {
            "data": where,
            "rows": len(model.labels_),
            "metric": measure.metric,
            "n_clusters": model.n_clusters_,
            "inertia": model.inertia_,
            "silhouettes": model.silhouettes_,
            "groups": [group.to_dict() for group in model.groups_],
        }
        print_json(facts)
    else:
        _show_groups(model, where)


def _show_groups(model: "KMedoids", where: str) -> None:
    """Print what each group is like."""
    from nearkind.cli.console import Screen

    screen, k, tried = Screen(), model.n_clusters_, model.silhouettes_
    screen.line(f"{where}: {len(model.labels_):,} rows in {k} groups", bold=True)
    if tried:
        screen.line(f"mean silhouette {tried[k]:.2f}, the largest of those tried")
    for group in model.groups_:
        screen.section(
            f"Group {group.number}: {group.size:,.0f} rows ({group.share:.1%})"
        )
        if group.apart:
            screen.line(f"set apart by {group.apart_in_words}")
        screen.line(f"typical {group.typical_in_words}")
        screen.line(
            f"represented by row {group.representative}; borderline: row "
            f"{group.borderline}"
        )
