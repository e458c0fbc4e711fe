"""Writes the files that every later version must load, with what they say beside them.

Run once for each format, from the root of the project::

    python tests/helpers/write_model_files.py tests/persistence/files

Files that are there are left as they are.
"""

import json
import sys
import warnings
from pathlib import Path

import nearkind as nk
from helpers.model_files import mixed_table


def six_persons():
    data = nk.datasets.load("credit_risk")
    return nk.CPML(strength=0.02, tol=1e-3, max_iter=1000), data.X, data.y


def monks():
    data = nk.datasets.load("monks1")
    model = nk.CPMLClassifier(
        nk.CPML(tol=1e-2, max_iter=20), n_neighbors=3, weights="distance"
    )
    return model, data.X[::5], data.y[::5]


def searched():
    candidates = [nk.baselines.Hamming(), nk.CPML(tol=1e-2, max_iter=10)]
    return nk.CPMLClassifierCV(candidates, n_neighbors=(1, 3), cv=2), *mixed_table(60)


def mixed_bins():
    metric = nk.CPML(tol=1e-2, max_iter=20, numeric="auto")
    return nk.CPMLClassifier(metric), *mixed_table(60)


def mixed_scale():
    metric = nk.baselines.Euclidean(numeric="scale", missing="prior")
    return nk.CPMLClassifier(metric), *mixed_table(60)


def mixed_crosses():
    metric = nk.CPML(tol=1e-2, max_iter=20, crosses=[("flag", "höhe"), ("色", "count")])
    return nk.CPMLClassifier(metric), *mixed_table(60)


def calibrated():
    candidates = [nk.baselines.Hamming(), nk.baselines.Euclidean()]
    settings = {"scoring": "balanced_accuracy", "class_weight": "balanced"}
    return nk.CPMLClassifierCV(
        candidates, n_neighbors=(1, 3), cv=2, **settings
    ), *mixed_table(60)


def boosted():
    metric = nk.baselines.GBLMNN(max_depth=2, max_iter=3)
    return nk.CPMLClassifier(metric), *mixed_table(60)


def kernels():
    metric = nk.baselines.KernelLMCA(n_components=2, max_iter=5, max_rows=12)
    return nk.CPMLClassifier(metric), *mixed_table(60)


MIXED = (
    searched, mixed_bins, mixed_scale, mixed_crosses, calibrated, boosted, kernels,
)  # fmt: skip
MAKERS = (six_persons, monks, *MIXED)


def answers(model, rows):
    """Return what a model says of rows, as JSON has it."""
    if not hasattr(model, "predict"):
        return {"distances": model.pairwise_distances(rows).tolist()}
    return {
        "labels": model.predict(rows).tolist(),
        "shares": model.predict_proba(rows).tolist(),
        "neighbors": model.kneighbors(rows, 3)[1].tolist(),
    }


def plain_rows(X):
    """Return the rows of a frame as lists of what JSON can hold."""
    cells = X.astype(object).where(X.notna(), None)
    return [
        {name: cells[name].tolist()[row] for name in cells} for row in range(len(X))
    ]


def main(folder):
    warnings.simplefilter("ignore")
    for make in MAKERS:
        path = Path(folder) / f"{make.__name__}.nearkind"
        if path.exists():
            continue
        model, X, y = make()
        nk.save(model.fit(X, y), path)
        rows = plain_rows(X[:12])
        said = {"rows": rows, "answers": answers(model, rows)}
        text = json.dumps(said, ensure_ascii=False, indent=1)
        path.with_suffix(".json").write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1])
