"""A model from its file, and a new table as it knows it."""

from collections.abc import Collection
from pathlib import Path
from typing import Any

from nearkind import load
from nearkind.cli.contributions import distance_of
from nearkind.datasets.data_argument import read_data
from nearkind.io import Columns, ReadOptions, match_levels, require_column, short_name


def classifier(path: Path) -> Any:
    """Load a model that says classes."""
    model = load(path)
    if not hasattr(model, "predict"):
        raise ValueError(
            f"{path.name} holds a {type(model).__name__}, which measures distances and "
            "says no class; `nearkind fit` makes models that do."
        )
    return model


def known_rows(model: Any, columns: Columns, where: str) -> dict[Any, list[Any]]:
    """Return the model's columns of a table, cells as the model knows them.

    Parameters
    ----------
    model : fitted
    columns : cells as they were read; others than the model's are ignored
    where : name of the file, for the message if a column is not there
    """
    book = distance_of(model).codebook_
    levels = {str(f.name): getattr(f, "code_of", {}) for f in book.features_}
    if not book.named_:  # it was learned from an array: columns go by their place
        return match_levels(columns, _by_place(columns, list(levels.values()), where))
    for name in levels:
        require_column(name, columns, where)
    known = match_levels(columns, levels)
    return dict(zip(book.names_, known.values(), strict=True))


def _by_place(
    columns: Columns, levels: list[Collection[Any]], where: str
) -> dict[str, Collection[Any]]:
    if len(columns) < len(levels):
        raise ValueError(
            f"{where} has {len(columns)} columns; the model was learned from an array "
            f"of {len(levels)}, which go by their place."
        )
    return dict(zip(columns, levels, strict=False))


class Rows:
    """A table beside a model: its cells as read, and as the model knows them."""

    def __init__(self, model: Any, data: str, options: ReadOptions) -> None:
        self.where = short_name(data)
        self.columns = read_data(data, options)
        self.X = known_rows(model, self.columns, self.where)
        self.n_rows = len(next(iter(self.columns.values())))

    def one(self, number: int) -> dict[Any, list[Any]]:
        """Return the table of one row, by its number from 0."""
        if not 0 <= number < self.n_rows:
            raise ValueError(
                f"There is no row {number} in {self.where}: rows are numbered from 0 "
                f"to {self.n_rows - 1}."
            )
        return {name: [cells[number]] for name, cells in self.X.items()}

    def cells(self, number: int) -> dict[str, Any]:
        """Return the cells of one row as the model knows them."""
        return {str(name): cells[0] for name, cells in self.one(number).items()}
