"""nearkind: learned distances between rows of categorical data.

Importing this package loads nothing heavy; each public name loads its module when it
is first used.
"""

from importlib import import_module
from typing import Any

_HOME = {
    "CPML": "nearkind.estimators.cpml",
    "CPMLClassifier": "nearkind.estimators.classifier",
    "CPMLClassifierCV": "nearkind.search.classifier_cv",
    "baselines": "nearkind.baselines",
    "batches": "nearkind.io.batches",
    "datasets": "nearkind.datasets",
    "export": "nearkind.export",
    "load": "nearkind.persistence",
    "plot": "nearkind.plot",
    "report": "nearkind.report",
    "save": "nearkind.persistence",
    "theory": "nearkind.theory",
    "triplet_accuracy": "nearkind.scoring",
}

__all__ = [
    "CPML",
    "CPMLClassifier",
    "CPMLClassifierCV",
    "__version__",
    "baselines",
    "batches",
    "datasets",
    "export",
    "load",
    "plot",
    "report",
    "save",
    "theory",
    "triplet_accuracy",
]


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from importlib.metadata import version

        return version("nearkind")
    if name not in _HOME:
        raise AttributeError(f"module 'nearkind' has no attribute {name!r}")
    module = import_module(_HOME[name])
    return module if module.__name__ == f"nearkind.{name}" else getattr(module, name)


def __dir__() -> list[str]:
    return sorted(__all__)
