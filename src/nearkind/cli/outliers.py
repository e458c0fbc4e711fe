"""``nearkind outliers``."""

from typing import Any

from nearkind.cli import options
from nearkind.cli.options import option


def outliers(
    rows: options.Rows,
    measure: options.Measure,
    written: options.TableOutput,
    k: int = option(
        "Number of nearest rows that judge a row.", "-k", default=20, min=1
    ),
    share: float | None = option(
        "Share of the rows to call outliers; by default the line is drawn as in a box "
        "plot of the mean distances.",
        min=0.0001,
        max=0.5,
    ),
    top: int = option("Outliers to show; --json has all.", default=10, min=1),
    as_json: options.AsJson = False,
) -> None:
    """Find the rows of DATA that are far from all others, and say why.

    --output gets the score of every row, minus its mean distance to the nearest rows.
    """
    import numpy as np

    from nearkind.cli.console import MOST_REASONS, Screen, cell_text, print_json
    from nearkind.cli.progress import said_if_long
    from nearkind.io import short_name
    from nearkind.tasks.outliers import NearestOutliers

    written.check(rows.inputs)
    X, metric = rows.features(), measure.distance()
    model = NearestOutliers(metric, k, contamination="auto" if share is None else share)
    with said_if_long("comparing rows ..."):
        is_outlier = model.fit_predict(rows.table(rows.usable(X))) == -1
        scores = model.score_samples()
    if written.output is not None:
        columns = {"score": scores.tolist(), "outlier": is_outlier.tolist()}
        written.write({**(X if written.keep else {}), **columns})
    found = np.flatnonzero(is_outlier)
    found = found[np.argsort(scores[found], kind="stable")]
    listed = found if as_json else found[:top]
    facts: dict[str, Any] = {
        "data": short_name(rows.data),
        "rows": len(scores),
        "metric": measure.metric,
        "n_outliers": len(found),
        "threshold": model.offset_,
        "outliers": [
            {"row": row, "score": float(scores[row]), "why": _reasons(model, row)}
            for row in listed.tolist()
        ],
    }
    if as_json:
        print_json(facts)
        return
    screen = Screen()
    screen.line(
        f"{facts['data']}: {len(scores):,} rows, {len(found):,} outliers", bold=True
    )
    lines = [
        (
            str(each["row"]),
            f"{-each['score']:.4g}",
            "; ".join(
                f"{part['feature']}: {cell_text(part['value'])} (usual "
                f"{cell_text(part['usual'])})"
                for part in each["why"][:MOST_REASONS]
            ),
        )
        for each in facts["outliers"]
    ]
    if lines:
        screen.line()
        screen.table(("row", "distance", "why"), lines, right={"row", "distance"})


def _reasons(model: Any, row: int) -> list[dict[str, Any]]:
    """Return the columns whose value is unusual, the largest part first."""
    told = model.explain(row)
    columns = [
        list(told[name]) for name in ("feature", "value", "usual", "contribution")
    ]
    return [
        {"feature": name, "value": value, "usual": usual, "contribution": float(part)}
        for name, value, usual, part in zip(*columns, strict=True)
        if part > 0.0 and value != usual
    ]
