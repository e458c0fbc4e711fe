"""Fit reports: how an estimator was fitted, and the estimator restored from it."""

from typing import Any

from nearkind.distances.form import FittedDistance
from nearkind.estimators.base import keep_codebook, traits_of
from nearkind.estimators.distance_names import distance_classes
from nearkind.voting import FitReport

APART = {
    "batch_summary_",
    "codebook_",
    "distance_",
    "feature_names_in_",
    "n_features_in_",
    "reference_",
}
"""Fitted attributes that are the form's, follow from it, or are of batches."""

OF_A_RUN = {"n_jobs", "verbose"}
"""Parameters that change nothing of what is learned, and so are not in the title."""


def fit_report(model: Any) -> FitReport:
    """Return how a fitted distance was learned.

    Parameters
    ----------
    model : estimator of a distance
        Fitted.

    Examples
    --------
    >>> import nearkind as nk
    >>> model = nk.CPML(tol=0.1, n_jobs=2).fit([["a"], ["a"], ["b"]], [0, 0, 1])
    >>> report = fit_report(model)
    >>> report.title, report.diagnostics["stop_reason_"]
    ('CPML(tol=0.1)', 'TOLERANCE')
    """
    settings = model.get_params(deep=False)
    shown = {name: value for name, value in settings.items() if name not in OF_A_RUN}
    return FitReport(
        type(model).__name__,
        " ".join(repr(type(model)(**shown)).split()),
        settings,
        traits_of(model).is_learned,
        _learned_temperature(model),
        {
            name: value
            for name, value in vars(model).items()
            if name.endswith("_") and not name.startswith("_") and name not in APART
        },
        None if type(model).__module__.startswith("nearkind.") else type(model),
    )


def _learned_temperature(model: Any) -> float | None:
    """Return the temperature of soft votes that soft neighbours are learned for."""
    is_soft = getattr(model, "constraints", None) == "neighbors"
    return float(model.margin) if is_soft else None


def fitted_estimator(report: FitReport, form: FittedDistance) -> Any:
    """Return the estimator that learned a form, as it was when it was fitted."""
    kind = report.own_kind or distance_classes()[report.method]
    model = kind(**report.settings)
    for name, value in report.diagnostics.items():
        setattr(model, name, value)
    keep_codebook(model, form.codebook)
    model.distance_ = form
    return model
