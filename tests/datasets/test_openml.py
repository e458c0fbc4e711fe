"""Sets as OpenML hands them out become the files, cell for cell; then they are kept."""

import gzip
import re
import socket
from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest
from sklearn.utils import Bunch

from nearkind import datasets
from nearkind.datasets import files, openml
from nearkind.datasets.catalogue import CATALOGUE, CHECKSUMS, COLUMNS
from nearkind.datasets.dataset import Dataset
from nearkind.datasets.derivation import DERIVED
from nearkind.datasets.openml import RECIPES
from nearkind.datasets.rules import RULES

NUMERIC = {
    "adult": ["age", "fnlwgt", "education-num", "capital-gain", "hours-per-week"],
    "lymphography": ["lym_nodes_dimin", "no_of_nodes_in"],
    "zoo": ["legs"],
}
SMALL = sorted(set(RECIPES) - {"census", "connect4"})
LARGE = {"adult", "krkopt", "mushroom", "nursery", "splice"}
"""Sets that take seconds."""

pytestmark = pytest.mark.usefixtures("no_folder")


def as_openml_has_it(name: str, table: Dataset) -> Bunch:
    """Undo the cleaning: other names, categories, numbers, rows beyond, identifiers."""
    recipe = RECIPES[name]
    X = pd.DataFrame(table.X, columns=[f"V{d}" for d in range(table.X.shape[1])])
    y = pd.Series(table.y, name="Class")
    back = {new: old for old, new in recipe.values.items()}
    for column, known in zip(X, table.feature_names, strict=True):
        if known in NUMERIC.get(name, []):
            X[column] = X[column].astype(float)
        else:
            X[column] = X[column].map(lambda v: back.get(v, v)).astype("category")
    if recipe.n_first:
        X, y = pd.concat([X, X[:5]]), pd.concat([y, y[:5]])
    X.insert(0, "Instance_name", range(len(X)))
    return Bunch(data=X, target=y.astype("category"))


@pytest.fixture
def serve(monkeypatch):
    """Return a function that lets OpenML answer with one Bunch, and counts."""
    asked = []

    def _serve(answer: Bunch | Callable[[], Bunch]) -> list[int]:
        def fetch_openml(*, data_id, **_):
            asked.append(data_id)
            return answer() if callable(answer) else answer

        monkeypatch.setattr("sklearn.datasets.fetch_openml", fetch_openml)
        return asked

    return _serve


@pytest.mark.parametrize(
    "name",
    [pytest.param(n, marks=pytest.mark.slow) if n in LARGE else n for n in SMALL],
)
def test_cleaned_set_equals_the_file(name, real_file, serve, home):
    published = files.read(real_file(name))
    asked = serve(as_openml_has_it(name, published))
    data = datasets.load(name, as_frame=False)
    assert data.feature_names == published.feature_names
    assert data.X.tolist() == published.X.tolist()
    assert data.y.tolist() == published.y.tolist()
    assert data.source.endswith(f"OpenML data set {RECIPES[name].data_id}")
    again = datasets.load(name, as_frame=False)
    assert again.X.tolist() == data.X.tolist()
    assert again.source.endswith(f"file {name}.csv.gz in the cache")
    assert asked == [RECIPES[name].data_id]
    assert [path.name for path in home.iterdir()] == [f"{name}.csv.gz"]


def tiny(monkeypatch, **changes):
    """Make "zoo" a set of two rows, three features and two classes."""
    entry = CATALOGUE["zoo"]._replace(n_samples=2, n_features=3, n_classes=2)
    monkeypatch.setitem(CATALOGUE, "zoo", entry)
    monkeypatch.setitem(COLUMNS, "zoo", ["hair", "legs", "tail"])
    monkeypatch.delitem(CHECKSUMS, "zoo")
    columns = {"a": ["true", "false"], "b": [4.0, 2.5], "c": [" ?", None]}
    columns["k"] = ["fish", " bird "]
    frame = pd.DataFrame(columns | changes)
    return Bunch(data=frame.drop(columns="k"), target=frame["k"])


def test_words_of_all_kinds(monkeypatch, serve):
    serve(tiny(monkeypatch))
    data = datasets.load("zoo", as_frame=False)
    assert data.X.tolist() == [["1", "4", None], ["0", "2.5", None]]
    assert data.y.tolist() == ["fish", "bird"]


def test_the_last_column_is_the_label_where_none_is_named(monkeypatch, serve):
    answer = tiny(monkeypatch)
    serve(Bunch(data=answer.data.assign(k=answer.target), target=None))
    data = datasets.load("zoo", as_frame=False)
    assert data.y.tolist() == ["fish", "bird"]
    assert data.feature_names == ["hair", "legs", "tail"]


def test_another_set_under_the_number_is_refused(monkeypatch, serve, home):
    answer = tiny(monkeypatch)
    serve(Bunch(data=answer.data[["a"]], target=answer.target))
    said = re.escape(
        "data set 62 there has (2, 1, 2) rows, features and classes instead"
    )
    with pytest.raises(FileNotFoundError, match=said):
        datasets.load("zoo")
    assert not home.exists()


def test_other_contents_are_refused(monkeypatch, serve, home):
    serve(tiny(monkeypatch))
    monkeypatch.setitem(CHECKSUMS, "zoo", "0" * 64)
    with pytest.raises(ValueError, match=r"62 \(zoo\).*0{64}.*It is not kept"):
        datasets.load("zoo")
    assert not home.exists()


def test_a_changed_file_in_the_cache_is_refused(monkeypatch, serve, home):
    serve(tiny(monkeypatch))
    datasets.load("zoo")
    monkeypatch.setitem(CHECKSUMS, "zoo", "0" * 64)
    with pytest.raises(ValueError, match=r"zoo\.csv\.gz is not .* Delete it from"):
        datasets.load("zoo")


def test_a_cache_that_cannot_be_written_is_only_a_warning(monkeypatch, serve, home):
    home.parent.mkdir(exist_ok=True)
    home.write_text("a file where the folder should be")
    serve(tiny(monkeypatch))
    with pytest.warns(UserWarning, match="'zoo' was downloaded and could not be kept"):
        assert datasets.load("zoo").X.shape == (2, 3)


@pytest.mark.parametrize(
    "error", [TimeoutError("slow"), ValueError("md5"), EOFError("end")]
)
def test_whatever_goes_wrong_outside_ends_in_what_to_do(error, serve):
    def fail():
        raise error

    serve(fail)
    with pytest.raises(FileNotFoundError, match=rf"\({error}\)\. Set NEARKIND_DATA to"):
        datasets.load("zoo")


def test_silence_is_not_waited_out_for_ever(monkeypatch, serve):
    def answer():
        patience.append(socket.getdefaulttimeout())
        return tiny(monkeypatch)

    patience = []
    serve(answer)
    datasets.load("zoo")
    assert 0 < patience[0] < 120
    assert socket.getdefaulttimeout() is None


def test_a_derived_set_is_made_of_what_was_downloaded(real_file, serve, home):
    published = files.read(real_file("voting"))
    serve(as_openml_has_it("voting", published))
    data = datasets.load("housevotes", as_frame=False)
    assert data.X.tolist() == files.read(real_file("housevotes")).X.tolist()
    assert "derived from voting" in data.source
    assert data.source.endswith("OpenML data set 56")
    assert files.file_in(files.cache(), "voting") == home / "voting.csv.gz"


def test_every_set_can_be_had_in_some_way():
    assert {*RULES, *DERIVED, *RECIPES, "led24"} == set(CATALOGUE)
    numbers = [recipe.data_id for recipe in RECIPES.values()]
    assert len(set(numbers)) == len(numbers)


@pytest.mark.parametrize("name", sorted(RECIPES))
def test_columns_are_those_of_the_catalogue_and_the_file(name, real_file):
    assert len(set(COLUMNS[name])) == len(COLUMNS[name]) == CATALOGUE[name].n_features
    with gzip.open(real_file(name), "rt", encoding="utf-8") as file:
        assert file.readline().strip().split(",") == [*COLUMNS[name], "class"]


def test_fetched_values_share_memory(monkeypatch, serve):
    serve(tiny(monkeypatch, a=["true", "true"]))
    table = openml.fetch("zoo")
    assert table.X[0, 0] is table.X[1, 0]
    assert table.X.dtype == np.dtype(object)
