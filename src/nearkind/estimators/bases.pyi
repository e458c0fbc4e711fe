"""Types of scikit-learn's base classes, as far as estimators use them.

A class whose base has no type takes any argument as far as a checker knows, so that a
misspelt parameter would pass.
"""

from typing import Any, Self

class BaseEstimator:
    def get_params(self, deep: bool = True) -> dict[str, Any]: ...
    def set_params(self, **params: Any) -> Self: ...

class TransformerMixin:
    def fit_transform(self, X: object, y: object = None, **fit_params: Any) -> Any: ...
    def set_output(self, *, transform: object = None) -> Self: ...

class ClassNamePrefixFeaturesOutMixin:
    def get_feature_names_out(self, input_features: object = None) -> Any: ...

class ClassifierMixin:
    def score(self, X: object, y: object, sample_weight: object = None) -> float: ...

class RegressorMixin:
    def score(self, X: object, y: object, sample_weight: object = None) -> float: ...

class CallbackSupport:
    def set_callbacks(self, *callbacks: object) -> Self: ...
