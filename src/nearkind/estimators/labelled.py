"""What estimators that learn from labels tell scikit-learn."""

from sklearn.utils import Tags


class Labelled:
    """Mixin that says that ``fit`` needs y."""

    def __sklearn_tags__(self) -> Tags:
        """Say that labels are needed."""
        tags = super().__sklearn_tags__()  # type: ignore[misc]
        tags.target_tags.required = True
        return tags
