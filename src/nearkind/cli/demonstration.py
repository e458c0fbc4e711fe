"""The demo: fits models to a built-in data set and prints their results."""

import warnings
from pathlib import Path
from typing import Any

import numpy as np

from nearkind import datasets
from nearkind.baselines import Euclidean, Hamming
from nearkind.cli.console import Screen, print_relevance
from nearkind.cli.explanations import relevance_facts
from nearkind.estimators.classifier import CPMLClassifier
from nearkind.estimators.cpml import CPML
from nearkind.estimators.progress import is_watched
from nearkind.experiments.splits import Part, joined, split
from nearkind.io import write_text
from nearkind.pages.data import ReportData
from nearkind.pages.page import page
from nearkind.pages.summary import summary


def show(name: str, output: Path) -> None:
    """Fit to a built-in data set, print what was learned, and write a page.

    Parameters
    ----------
    name : str
        Name of the set.
    output : Path
        Where to write the page of the held-out rows.
    """
    screen, data = Screen(), datasets.load(name, as_frame=False)
    parts = split(Part(data.X, data.y), seed=0)
    (X, y), (X_test, y_test) = (
        (dict(zip(data.feature_names, part.X.T.tolist(), strict=True)), part.y)
        for part in (joined(parts.train, parts.valid), parts.test)
    )
    screen.line(
        f"{name}: {len(data.X)} rows, {len(X)} columns, {len(np.unique(data.y))} "
        f"classes. Fitting to {len(y)} rows ...",
        bold=True,
    )
    classifier = _fit_and_compare(screen, X, y, X_test, y_test)
    print_relevance(screen, relevance_facts(classifier, None))
    _print_similar_values(screen, classifier.metric_)
    _print_explanation(screen, classifier.metric_, X_test, y_test)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of values that were not seen
        y_pred = classifier.predict(X_test).tolist()
    facts = ReportData(
        model=classifier,
        X=X_test,
        relevance=classifier.feature_relevance_,
        name=f"The demo's {type(classifier).__name__}",
        where=name,
        y_pred=y_pred,
        y_true=y_test.tolist(),
    )
    write_text(page(summary(facts)), output)
    screen.line()
    screen.line(f"Interactive page: {output}")


def _fit_and_compare(
    screen: Screen, X: Any, y: Any, X_test: Any, y_test: Any
) -> CPMLClassifier:
    """Print the scores of three distances; return a classifier of the learned one."""
    models = {
        "Hamming (no labels)": Hamming(),
        "class histograms (no learning)": Euclidean(),
        "CPML (learned)": CPML(tol=1e-3, max_iter=300, verbose=int(is_watched())),
    }
    scores = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the gap is printed
        for title, model in models.items():
            classifier = CPMLClassifier(model).fit(X, y)
            triplets = classifier.distance_.triplet_accuracy(X_test, y_test)
            accuracy = classifier.score(X_test, y_test)
            scores.append((title, f"{accuracy:.1%}", f"{triplets:.1%}"))
    metric = classifier.metric_
    screen.line(
        f"A metric of rank {metric.rank_} in {metric.history_[-1].seconds:.1f} s and "
        f"{metric.n_iter_} iterations: objective {metric.objective_:.4f}, relative "
        f"optimality gap {metric.gap_ / metric.objective_:.1%}"
    )
    screen.section("Accuracy on test rows")
    head = ("distance", "5 nearest neighbours", "triplet accuracy")
    screen.table(head, scores, right=head[1:])
    return classifier


def _print_similar_values(screen: Screen, model: CPML) -> None:
    """Print the nearest two values of each feature, the nearest feature first."""
    pairs = []
    for name, vectors in model.value_vectors_.items():
        values = model.categories_[name]
        i, j = np.triu_indices(len(values), k=1)
        if len(i):
            apart = np.linalg.norm(vectors[i] - vectors[j], axis=1)
            best = int(apart.argmin())
            text = f"  {name}: {values[i[best]]!r} and {values[j[best]]!r}"
            pairs.append((float(apart[best]), text))
    screen.section("Most similar values")
    for distance, text in sorted(pairs)[:4]:
        screen.line(f"{text} ({distance:.3f} apart)")


def _print_explanation(screen: Screen, model: CPML, X: Any, y: Any) -> None:
    """Print why the first row is far from the first row of another class."""
    other = next(i for i in range(len(y)) if y[i] != y[0])
    here, there = ({name: cells[i] for name, cells in X.items()} for i in (0, other))
    parts = model.explain(here, there)
    screen.section(f"Why a {y[0]!r} row is far from a {y[other]!r} row")
    columns = [parts[key] for key in ("feature", "a", "b", "contribution")]
    for feature, a, b, part in zip(*columns, strict=True):
        screen.line(f"  {part:+8.3f}  {feature}: {a!r} against {b!r}")
    total = float(np.sum(parts["contribution"]))
    screen.line(f"  {total:8.3f}  squared distance")
