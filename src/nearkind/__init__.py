"""nearkind: learned distances between the rows of categorical and mixed tables.

Importing this package loads nothing heavy; each public name loads its module when it
is first used.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # what type checkers and editors read instead of ``__getattr__``
    from nearkind import baselines as baselines
    from nearkind import datasets as datasets
    from nearkind import export as export
    from nearkind import laws as laws
    from nearkind import plot as plot
    from nearkind import theory as theory
    from nearkind.estimators.classifier import CPMLClassifier as CPMLClassifier
    from nearkind.estimators.cpml import CPML as CPML
    from nearkind.estimators.regressor import CPMLRegressor as CPMLRegressor
    from nearkind.io.batches import batches as batches
    from nearkind.pages.notebook import report as report
    from nearkind.persistence import load as load
    from nearkind.persistence import save as save
    from nearkind.scoring import triplet_accuracy as triplet_accuracy
    from nearkind.search.classifier_cv import CPMLClassifierCV as CPMLClassifierCV
    from nearkind.search.regressor_cv import CPMLRegressorCV as CPMLRegressorCV
    from nearkind.tasks.audit import audit as audit
    from nearkind.tasks.change import nearest_change as nearest_change
    from nearkind.tasks.imputation import NeighborImputer as NeighborImputer
    from nearkind.tasks.matches import match as match
    from nearkind.tasks.medoids import KMedoids as KMedoids
    from nearkind.tasks.nearest_rows import NearestRows as NearestRows
    from nearkind.tasks.outliers import NearestOutliers as NearestOutliers
    from nearkind.tasks.oversampler import Oversampler as Oversampler
    from nearkind.tasks.prototypes import Prototypes as Prototypes
    from nearkind.tasks.questions import Questions as Questions

    __version__: str

_HOME = {
    "CPML": "nearkind.estimators.cpml",
    "CPMLClassifier": "nearkind.estimators.classifier",
    "CPMLClassifierCV": "nearkind.search.classifier_cv",
    "CPMLRegressor": "nearkind.estimators.regressor",
    "CPMLRegressorCV": "nearkind.search.regressor_cv",
    "Oversampler": "nearkind.tasks.oversampler",
    "Prototypes": "nearkind.tasks.prototypes",
    "KMedoids": "nearkind.tasks.medoids",
    "NearestRows": "nearkind.tasks.nearest_rows",
    "NeighborImputer": "nearkind.tasks.imputation",
    "NearestOutliers": "nearkind.tasks.outliers",
    "Questions": "nearkind.tasks.questions",
    "audit": "nearkind.tasks.audit",
    "baselines": "nearkind.baselines",
    "batches": "nearkind.io.batches",
    "datasets": "nearkind.datasets",
    "export": "nearkind.export",
    "laws": "nearkind.laws",
    "load": "nearkind.persistence",
    "match": "nearkind.tasks.matches",
    "nearest_change": "nearkind.tasks.change",
    "plot": "nearkind.plot",
    "report": "nearkind.pages.notebook",
    "save": "nearkind.persistence",
    "theory": "nearkind.theory",
    "triplet_accuracy": "nearkind.scoring",
}

__all__ = sorted([*_HOME, "__version__"])


if not TYPE_CHECKING:  # where it is defined, any name is a known one

    def __getattr__(name: str) -> Any:
        if name == "__version__":
            from importlib.metadata import version

            return version("nearkind")
        if name not in _HOME:
            raise AttributeError(f"module 'nearkind' has no attribute {name!r}")
        module = import_module(_HOME[name])
        is_module = module.__name__ == f"nearkind.{name}"
        return module if is_module else getattr(module, name)


def __dir__() -> list[str]:
    return __all__
