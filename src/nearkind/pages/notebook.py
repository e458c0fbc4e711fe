"""A page as an object: it shows itself in a notebook, and is saved to a file."""

from dataclasses import dataclass, field
from html import escape
from os import PathLike
from typing import Any

from nearkind.estimators.neighbor_regressor import NeighborRegressor
from nearkind.io import write_text
from nearkind.model_view import ModelView
from nearkind.pages.data import ReportData
from nearkind.pages.number_data import number_report
from nearkind.pages.overview import overview
from nearkind.pages.page import page
from nearkind.pages.summary import summary
from nearkind.tables import read_column, read_table

HEIGHT = 800
"""Of the page in a notebook, in pixels."""


@dataclass(frozen=True)
class Report:
    """A page about a model and a table, as written by ``nearkind report``.

    Attributes
    ----------
    title : str
        Names of the model and of the table.
    html : str
        The page, which fetches nothing.
    """

    title: str
    html: str = field(repr=False)

    def save(self, path: str | PathLike[str]) -> None:
        """Write the page to a file, completely or not at all."""
        write_text(self.html, path)

    def _repr_html_(self) -> str:
        """Return a frame that holds the page."""
        return (
            f'<iframe title="{escape(self.title)}" srcdoc="{escape(self.html)}" '
            f'style="width:100%;height:{HEIGHT}px;border:0"></iframe>'
        )


def report(model: Any, X: Any = None, y: Any = None, *, name: str = "table") -> Report:
    """Return an interactive page about a model and a table, or about a table alone.

    The page about a table alone, ``report(X)``, shows its columns, possible problems,
    outliers, clusters and neighbours under Gower's distance.

    Parameters
    ----------
    model : classifier, regressor, distance or table
        A fitted model; or a table, for a page about the table alone.
    X : table of any kind, default=None
        With the columns that fit saw; None if ``model`` is the table.
    y : array-like (n,), default=None
        Class or number of each row, None where it is not known.
    name : str, default="table"
        Name of the table, for the title.

    Returns
    -------
    Report
        Notebooks display it; ``save`` writes it to a file.

    Examples
    --------
    >>> import nearkind as nk
    >>> data = nk.datasets.load("monks1", as_frame=False)
    >>> model = nk.CPMLClassifier("hamming").fit(data.X, data.y)
    >>> report(model, data.X, data.y, name="monks1")
    Report(title='CPMLClassifier on monks1')
    >>> report(data.X, name="monks1")
    Report(title='monks1')
    """
    table = read_table(model if X is None else X)
    labels = None if y is None else read_column(y).cells()
    if labels is not None and len(labels) != table.n_rows:
        raise ValueError(
            f"y has {len(labels)} labels, but X has {table.n_rows} rows. Pass one "
            "label per row, or y=None."
        )
    if X is None:
        numbers = range(len(table.names))
        named = zip(table.names, map(table.column, numbers), strict=True)
        cells = {key: column.cells() for key, column in named}
        return _report(overview(cells, name, labels))
    view = ModelView(model)
    book = view.codebook
    places = book.order_of(table, type(model).__name__)
    columns = zip(book.names_, map(table.column, places), strict=True)
    cells = {column_name: column.cells() for column_name, column in columns}
    kind = type(model).__name__
    if isinstance(model, NeighborRegressor):
        return _report(number_report(model, cells, kind, name, y))
    data = ReportData(
        model=model,
        X=cells,
        relevance=view.relevance(X),
        name=kind,
        where=name,
        y_pred=model.predict(X).tolist() if view.committee is not None else None,
        y_true=labels,
    )
    return _report(data)


def _report(data: ReportData) -> Report:
    facts = summary(data)
    return Report(facts["title"], page(facts))
