"""The notebook of docs/recipes prints anew what it shows."""

from pathlib import Path

import pytest

from helpers.real_files import needed_files

nbformat = pytest.importorskip("nbformat")
nbclient = pytest.importorskip("nbclient")
pytest.importorskip("ipykernel")
NOTEBOOK = Path(__file__).parents[1] / "docs" / "recipes" / "notebook.ipynb"


def texts(notebook):
    """Return what each cell of code prints as text; pictures by their size."""
    return [
        [output.get("text") or output["data"]["text/plain"] for output in cell.outputs]
        for cell in notebook.cells
        if cell.cell_type == "code"
    ]


def test_every_cell_prints_what_it_shows(monkeypatch):
    needed_files(NOTEBOOK.read_text().replace('\\"', '"'), monkeypatch)
    shown = nbformat.read(NOTEBOOK, as_version=4)
    run = nbformat.read(NOTEBOOK, as_version=4)
    nbclient.NotebookClient(run, timeout=600, kernel_name="python3").execute()
    assert texts(run) == texts(shown)
