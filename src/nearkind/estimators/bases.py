"""scikit-learn's base classes; ``bases.pyi`` has their types."""

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
