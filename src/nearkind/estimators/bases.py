"""scikit-learn's base classes with types.

A class whose base has no type takes any argument as far as a checker knows, so that a
misspelt parameter would pass.
"""

from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:

    class BaseEstimator:
        """Parameters by name."""

        def get_params(self, deep: bool = True) -> dict[str, Any]:
            """Return the parameters."""
            return {}

        def set_params(self, **params: Any) -> Self:
            """Set parameters."""
            return self

    class TransformerMixin:
        """``fit_transform`` and ``set_output``."""

        def fit_transform(self, X: object, y: object = None, **fit_params: Any) -> Any:
            """Fit, and return the embedding."""

        def set_output(self, *, transform: object = None) -> Self:
            """Set the library of what ``transform`` returns."""
            return self

    class ClassNamePrefixFeaturesOutMixin:
        """Names of the columns that ``transform`` returns."""

        def get_feature_names_out(self, input_features: object = None) -> Any:
            """Return the names."""

    class ClassifierMixin:
        """``score``."""

        def score(self, X: object, y: object, sample_weight: object = None) -> float:
            """Return the accuracy."""
            return 0.0

    class RegressorMixin:
        """``score``."""

        def score(self, X: object, y: object, sample_weight: object = None) -> float:
            """Return R2, the share of the variance that is predicted."""
            return 0.0

    class CallbackSupport:
        """``set_callbacks``, with scikit-learn 1.9 or newer."""

        def set_callbacks(self, *callbacks: object) -> Self:
            """Set what is told of each iteration."""
            return self

else:
    from sklearn.base import (
        BaseEstimator,
        ClassifierMixin,
        ClassNamePrefixFeaturesOutMixin,
        RegressorMixin,
        TransformerMixin,
    )

    try:
        from sklearn.callback import CallbackSupportMixin as CallbackSupport
    except ImportError:  # scikit-learn before 1.9

        class CallbackSupport:
            """Nothing: this scikit-learn has no callbacks."""


__all__ = [
    "BaseEstimator",
    "CallbackSupport",
    "ClassNamePrefixFeaturesOutMixin",
    "ClassifierMixin",
    "RegressorMixin",
    "TransformerMixin",
]
