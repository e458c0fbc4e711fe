"""More rows that vote, under the distance as it is."""

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from nearkind.encoding.unique_rows import collapse
from nearkind.estimators.block_labels import block_labels
from nearkind.estimators.targets import check_weights
from nearkind.neighbors import GroupedRows, Reach
from nearkind.protocols import Array, Codes
from nearkind.tables import read_table


class AddsRows:
    """Mixin that gives CPMLClassifier ``add``."""

    classes_: NDArray[Any]
    n_samples_fit_: int
    _codes: Codes
    _counts: Array
    _grouped: GroupedRows
    _reach: Reach
    _encode: Any
    _keep: Any

    def add(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Remember more rows without learning the distance anew.

        The model is then the one that ``fit_over`` makes of this distance and all rows
        together, to the last bit. Rows are numbered on from those before. An index
        "faiss" is built again when it is next asked, so add many rows at a time.

        Parameters
        ----------
        X : table with the columns that fit saw
        y : one label a row, of the classes that fit saw
        sample_weight : as in ``fit``

        Returns
        -------
        self

        Examples
        --------
        >>> import nearkind as nk
        >>> data = nk.datasets.load("monks1", as_frame=False)
        >>> model = nk.CPMLClassifier(nk.baselines.Hamming(), n_neighbors=1)
        >>> model = model.fit(data.X[:400], data.y[:400])
        >>> model = model.add(data.X[400:], data.y[400:])
        >>> model.n_samples_fit_, model.score(data.X, data.y)
        (432, 1.0)
        """
        check_is_fitted(self)
        table = read_table(X)
        weights = check_weights(sample_weight, table.n_rows)
        classes = self._known(y, table.n_rows)
        rows = np.flatnonzero(weights)
        codes = self._encode(table.take(rows))
        self._merge(codes, classes[rows], weights[rows], rows + self.n_samples_fit_)
        self.n_samples_fit_ += table.n_rows
        return self

    def _known(self, y: Any, n_rows: int) -> NDArray[np.intp]:
        """Return the class number of each row, or say which class is new."""
        owner = type(self).__name__
        found, numbers = block_labels(y, owner)
        if len(numbers) != n_rows:
            raise ValueError(
                f"X has {n_rows} rows, y has {len(numbers)} labels. Give one label a "
                "row."
            )
        known = {label: place for place, label in enumerate(self.classes_.tolist())}
        new = [label for label in found.tolist() if label not in known]
        if new:
            raise ValueError(
                f"y holds {', '.join(map(repr, new[:5]))}, which {owner} did not see "
                "in fit. Add rows of known classes, or fit again on all rows."
            )
        places = np.array([known[label] for label in found.tolist()], dtype=np.intp)
        return places[numbers]

    def _merge(
        self,
        codes: Codes,
        y: NDArray[np.intp],
        weights: Array,
        numbers: NDArray[np.intp],
    ) -> None:
        """Remember cells and rows together, the cells counting as rows before."""
        before = len(self._codes)
        both = np.concatenate([self._codes, codes])
        heavy = np.concatenate([self._reach.weights, weights])
        cells = collapse(both, np.zeros(len(both), dtype=np.intp), heavy)
        counts = np.zeros((len(cells.y), len(self.classes_)))
        counts[cells.of_row[:before]] = self._counts
        np.add.at(counts, (cells.of_row[before:], y), weights)
        old, owner = self._grouped.of_cells(np.arange(before))
        of_row = np.concatenate([cells.of_row[owner], cells.of_row[before:]])
        rows = np.concatenate([old, numbers])
        order = np.argsort(rows, kind="stable")
        grouped = GroupedRows.of(of_row[order], rows[order])
        self._keep(cells.codes, cells.weights, counts, grouped)
