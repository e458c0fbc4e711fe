"""``nearkind outliers``."""

from typing import Any

from nearkind.cli import options
from nearkind.cli.option_groups import option


def outliers(
    rows: options.Rows,
    measure: options.Measure,
    written: options.TableOutput,
    k: int = option(default=20),
    share: float | None = option(),
    top: int = option(default=10),
    as_json: options.AsJson = False,
) -> None:
    """Find the rows of DATA that are far from all others, and say why.

    --output gets the score of every row, minus its mean distance to the nearest rows.
    """
    import numpy as np

    from nearkind.cli.console import Screen, print_json
    from nearkind.cli.progress import said_if_long
    from nearkind.tables import records
    from nearkind.tasks.outliers import NearestOutliers

    written.check(rows.inputs)
    X, metric = rows.features(), measure.distance()
    model = NearestOutliers(metric, k, contamination="auto" if share is None else share)
    with said_if_long("comparing rows ..."):
        is_outlier = model.fit_predict(rows.table(rows.usable(X))) == -1
        scores = model.score_samples()
    listed, flags = scores.tolist(), is_outlier.tolist()
    written.write_beside(X, score=listed, outlier=flags)
    found = np.flatnonzero(is_outlier)
    found = found[np.argsort(scores[found], kind="stable")]
    reasons = {
        row: [
            each
            for each in records(model.explain(row))
            if each["contribution"] > 0 and each["value"] != each["usual"]
        ]
        for row in (found if as_json else found[:top]).tolist()
    }
    where = rows.where
    if as_json:
        facts = {
            "data": where,
            "rows": len(scores),
            "metric": measure.metric,
            "n_outliers": len(found),
            "threshold": model.offset_,
            "outliers": [
                {"row": row, "score": listed[row], "why": why}
                for row, why in reasons.items()
            ],
        }
        print_json(facts)
        return
    screen = Screen()
    noun = "outlier" if len(found) == 1 else "outliers"
    screen.line(f"{where}: {len(scores):,} rows, {len(found):,} {noun}", bold=True)
    if reasons:
        lines = [
            (str(row), f"{-listed[row]:.4g}", _in_words(why) or "no unusual value")
            for row, why in reasons.items()
        ]
        screen.line()
        screen.table(("row", "distance", "why"), lines, right={"row", "distance"})


def _in_words(why: list[dict[str, Any]]) -> str:
    """Return the columns that contribute most, with the usual value of each."""
    from nearkind.cli.console import MOST_REASONS, cell_text

    return "; ".join(
        f"{each['feature']}: {cell_text(each['value'])} (usually "
        f"{cell_text(each['usual'])})"
        for each in why[:MOST_REASONS]
    )
