"""The demo: a fit on a built-in set, what it learned, and how good it is."""

import warnings
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from rich.console import Console
from rich.table import Table
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import train_test_split

from nearkind import datasets
from nearkind.baselines import Euclidean, Hamming
from nearkind.errors import UnseenValueWarning
from nearkind.estimators.classifier import CPMLClassifier
from nearkind.estimators.cpml import CPML
from nearkind.io import write_text
from nearkind.pages.data import ReportData
from nearkind.pages.page import page
from nearkind.pages.summary import summary
from nearkind.tables import printable


class Score(NamedTuple):
    """Accuracies of one distance on held-out rows."""

    name: str
    nearest_neighbours: float
    triplets: float


def show(name: str, output: Path) -> None:
    """Fit on a built-in data set, print what was learned, and write a page.

    Parameters
    ----------
    name : str
        Name of the set.
    output : Path
        Where to write the page of the held-out rows.
    """
    console = Console(highlight=False)
    data = datasets.load(name, as_frame=False)
    X, X_test, y, y_test = _split(data)
    console.print(
        f"\n[bold]{name}[/bold]: {len(data.X)} rows, {len(data.feature_names)} columns "
        f"of words, {len(np.unique(data.y))} classes. Learning on {len(y)} rows ..."
    )
    with console.status("every triplet that the labels imply, exactly"):
        models = {
            "Hamming (no labels)": Hamming(),
            "class histograms (no learning)": Euclidean(),
            "CPML (learned)": CPML(tol=1e-3, max_iter=300),
        }
        scores, classifier = _fit_and_score(models, X, X_test, y, y_test)
    learned = classifier.metric_
    _print_fit(console, learned)
    _print_scores(console, scores)
    _print_relevance(console, learned)
    _print_similar_values(console, learned)
    _print_explanation(console, learned, X_test, y_test)
    write_text(page(summary(_report_data(classifier, name, X_test, y_test))), output)
    console.print(f"The page to explore it with: {output}\n", markup=False)


def _report_data(classifier: CPMLClassifier, name: str, X: Any, y: Any) -> ReportData:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnseenValueWarning)
        y_pred = classifier.predict(X).tolist()
    return ReportData(
        model=classifier,
        X={column: [row[column] for row in X] for column in X[0]},
        relevance=classifier.feature_relevance_,
        name=f"The demo's {type(classifier).__name__}",
        where=name,
        y_pred=y_pred,
        y_true=y.tolist(),
    )


def _split(data: Any) -> list[Any]:
    rows = [dict(zip(data.feature_names, row, strict=True)) for row in data.X]
    rare = min(np.unique(data.y, return_counts=True)[1]) < 2
    return train_test_split(
        rows, data.y, test_size=0.3, random_state=0, stratify=None if rare else data.y
    )


def _fit_and_score(
    models: dict[str, Any], X: Any, X_test: Any, y: Any, y_test: Any
) -> tuple[list[Score], CPMLClassifier]:
    scores = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # the gap is printed
        warnings.simplefilter("ignore", UnseenValueWarning)
        for name, model in models.items():
            classifier = CPMLClassifier(model).fit(X, y)
            triplets = classifier.distance_.triplet_accuracy(X_test, y_test)
            scores.append(Score(name, classifier.score(X_test, y_test), triplets))
    return scores, classifier


def _print_fit(console: Console, model: CPML) -> None:
    seconds = model.history_[-1].seconds
    console.print(
        f"A metric of rank {model.rank_} in {seconds:.1f} s and {model.n_iter_} steps: "
        f"objective {model.objective_:.4f}, proven within "
        f"{model.gap_ / model.objective_:.1%} of the best possible.\n"
    )


def _print_scores(console: Console, scores: list[Score]) -> None:
    table = Table(title="On rows not seen", title_justify="left")
    table.add_column("distance")
    table.add_column("5 nearest neighbours", justify="right")
    table.add_column("triplets in order", justify="right")
    for score in scores:
        table.add_row(
            score.name, f"{score.nearest_neighbours:.1%}", f"{score.triplets:.1%}"
        )
    console.print(table)


def _print_relevance(console: Console, model: CPML) -> None:
    console.print("\n[bold]What the distance looks at[/bold]")
    names = [printable(name) for name in model.feature_names_in_]
    width = max(len(name) for name in names)
    for d in np.argsort(-model.feature_relevance_)[:8]:
        share = model.feature_relevance_[d]
        bar = "█" * round(40 * max(share, 0.0))
        console.print(f"  {names[d]:<{width}}  {share:6.1%}  {bar}", markup=False)


def _print_similar_values(console: Console, model: CPML) -> None:
    console.print("\n[bold]Values it takes for nearly the same[/bold]")
    for name, a, b, distance in _nearest_values(model)[:4]:
        text = f"  {name}: {a!r} and {b!r} ({distance:.3f} apart)"
        console.print(printable(text), markup=False)


def _nearest_values(model: CPML) -> list[tuple[Any, Any, Any, float]]:
    """Return the nearest two values of each feature, the nearest feature first."""
    pairs = []
    for name, vectors in model.value_vectors_.items():
        values = model.categories_[name]
        i, j = np.triu_indices(len(values), k=1)
        if len(i):
            apart = np.linalg.norm(vectors[i] - vectors[j], axis=1)
            best = int(apart.argmin())
            pairs.append((name, values[i[best]], values[j[best]], float(apart[best])))
    return sorted(pairs, key=lambda pair: pair[3])


def _print_explanation(console: Console, model: CPML, X: Any, y: Any) -> None:
    """Print why the first row is far from the first row of another class."""
    other = next(i for i in range(len(y)) if y[i] != y[0])
    parts = model.explain(X[0], X[other])
    title = f"\nWhy a {y[0]!r} row is far from a {y[other]!r} row"
    console.print(title, style="bold", markup=False)
    columns = [parts[key] for key in ("feature", "a", "b", "contribution")]
    for feature, a, b, part in zip(*columns, strict=True):
        text = f"  {part:+8.3f}  {feature}: {a!r} against {b!r}"
        console.print(printable(text), markup=False)
    total = float(np.sum(parts["contribution"]))
    console.print(f"  {total:8.3f}  in all, the squared distance\n", markup=False)
