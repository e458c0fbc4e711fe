"""``nearkind show``."""

from typing import Any

from nearkind.cli import options


def show(model: options.Model, as_json: options.AsJson = False) -> None:
    """Print what a model file holds: its method, score, classes, columns and values."""
    from nearkind import load
    from nearkind.cli.console import print_json

    facts = {"model": str(model), **model_facts(load(model))}
    (print_json if as_json else _show_model)(facts)


def model_facts(model: Any) -> dict[str, Any]:
    """Return what is known of a fitted model.

    Parameters
    ----------
    model : CPMLClassifier, CPMLClassifierCV or a distance
        Fitted.
    """
    from nearkind.cli.fits import chosen_texts
    from nearkind.model_view import ModelView

    view, searched = ModelView(model), hasattr(model, "best_score_")
    book = view.codebook
    labels = getattr(model, "classes_", None)
    distances = [report.title for report in view.reports]
    return {
        "kind": type(model).__name__,
        "distances": chosen_texts(view.voters, view.weights[: len(view.voters)])
        or distances,
        "scoring": getattr(model, "scoring", "R2") if searched else None,
        "predicts": view.factors_text,
        "score": model.best_score_ if searched else None,
        "rows": sum(v.rows.weights.sum().item() for v in view.voters[:1]) or None,
        "classes": None if labels is None else labels.tolist(),
        "columns": {
            str(name): {
                "numeric": not hasattr(feature, "code_of"),
                "values": [cell for cell in feature.values if cell is not None],
                "missing": None in feature.values,
            }
            for name, feature in zip(book.names_, book.features_, strict=True)
        },
    }


def _show_model(facts: dict[str, Any]) -> None:
    """Print what is in a model file."""
    from nearkind.cli.console import MOST_LISTED, Screen, more_text

    screen, classes, columns = Screen(), facts["classes"], facts["columns"]
    screen.line(f"{facts['model']}: {facts['kind']}", bold=True)
    for name in facts["distances"]:
        screen.line(f"distance: {name}")
    if facts["score"] is not None:
        screen.line(f"cross-validated {facts['scoring']} {facts['score']:.3f}")
    if facts["predicts"] is not None:
        screen.line(f"classes predicted: {facts['predicts']}")
    if facts["rows"] is not None:
        screen.line(f"{facts['rows']:,.0f} training rows")
    if classes is not None:
        more = more_text(len(classes), MOST_LISTED)
        listed = ", ".join(map(str, classes[:MOST_LISTED]))
        screen.line(f"{len(classes)} classes: {listed}{more}")
    lines = [
        (name, str(len(column["values"])), _values_text(column))
        for name, column in columns.items()
    ]
    screen.section(f"{len(columns)} columns")
    screen.table(("column", "values", ""), lines, right={"values"})


def _values_text(column: dict[str, Any]) -> str:
    """Return the first values of a column, ranges of numbers included."""
    from nearkind.cli.console import MOST_LISTED, more_text

    values = column["values"]
    if column["numeric"] and len(values) > MOST_LISTED:
        return f"numbers, {values[0]} to {values[-1]}"
    listed = " | ".join(map(str, values[:MOST_LISTED]))
    missing = "; missing cells" if column["missing"] else ""
    return f"{listed}{more_text(len(values), MOST_LISTED)}{missing}"
