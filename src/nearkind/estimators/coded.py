"""What every estimator on tables shares: a codebook, and what scikit-learn asks."""

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from nearkind.encoding.codebook import Codebook
from nearkind.protocols import Array, Codes
from nearkind.tables import Table


class Coded:
    """Mixin that learns the codes of a table in fit and applies them later.

    Attributes
    ----------
    has_coordinates : whether a number may be one, numeric="scale"
    """

    has_coordinates: ClassVar[bool] = False
    codebook_: Codebook

    def _learn_codes(
        self, book: Codebook, table: Table, weights: Array | None = None
    ) -> Codes:
        """Fit the codebook and return the codes of its table."""
        codes = book.fit_encode(table, weights)
        self._note(book)
        return codes

    def _note(self, book: Codebook) -> None:
        """Keep a fitted codebook, and note what scikit-learn asks for."""
        self.codebook_ = book
        self.n_features_in_ = len(book.names_)
        if book.named_ and isinstance(book.names_[0], str):
            self.feature_names_in_ = objects(book.names_)
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_

    def _encode(self, X: Any) -> Codes:
        check_is_fitted(self)
        return self.codebook_.encode(X, owner=type(self).__name__)

    @property
    def categories_(self) -> dict[Any, list[Any]]:
        """Values of each feature, a missing one as None."""
        book = self.codebook_
        return {name: book.values(d) for d, name in enumerate(book.names_)}

    def __sklearn_tags__(self) -> Tags:
        """Say what kind of input is taken."""
        tags = super().__sklearn_tags__()  # type: ignore[misc]
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        tags.input_tags.allow_nan = True
        return tags


def objects(cells: list[Any]) -> NDArray[Any]:
    """Return cells of any type as an object array (n,)."""
    array = np.empty(len(cells), dtype=object)
    array[:] = cells
    return array
