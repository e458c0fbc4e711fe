"""``nearkind show``."""

from typing import Any

from nearkind.cli import options


def show(model: options.Model, as_json: options.AsJson = False) -> None:
    """Print what a model file holds: its method, score, classes, columns and values."""
    from nearkind import load
    from nearkind.cli.console import print_json, show_model

    facts = {"model": str(model), **model_facts(load(model))}
    (print_json if as_json else show_model)(facts)


def model_facts(model: Any) -> dict[str, Any]:
    """Return what is known of a fitted model.

    Parameters
    ----------
    model : CPMLClassifier, CPMLClassifierCV or a distance
        Fitted.
    """
    from nearkind.cli.fits import chosen_text
    from nearkind.model_view import ModelView

    view, searched = ModelView(model), hasattr(model, "best_score_")
    book = view.codebook
    labels = getattr(model, "classes_", None)
    distances = [report.title for report in view.reports]
    return {
        "kind": type(model).__name__,
        "distances": [*map(chosen_text, view.voters)] or distances,
        "scoring": getattr(model, "scoring", "R2") if searched else None,
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
