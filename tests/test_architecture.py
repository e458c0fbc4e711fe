"""The page on architecture shows the packages and the walks that there are."""

from itertools import pairwise

import pytest

from tools import house, walk
from tools.house import PACKAGE, imported_modules, package_of, source_files

TEXT = walk.PAGE.read_text()
WALKS = ["CPMLClassifier.fit", "CPMLClassifier.predict"]


def test_the_page_shows_both_walks():
    assert list(walk.read(TEXT)) == WALKS


@pytest.mark.usefixtures("optimized")
@pytest.mark.parametrize("name", WALKS)
def test_a_walk_on_the_page_is_the_real_one(name, tmp_path):
    pytest.importorskip("numba", reason="the page shows the walk with compiled sums")
    steps = walk.traced(walk.walks(tmp_path)[name]).steps
    shown = walk.read(TEXT)[name]
    assert list(shown) == list(steps), "run `python -m tools.walk`"
    assert shown == steps, "run `python -m tools.walk`"


def test_a_trace_names_files_and_the_functions_that_enter_them():
    import nearkind as nk

    data = nk.datasets.load("monks1", as_frame=False)
    hamming = nk.baselines.Hamming().fit(data.X)
    trace = walk.traced(lambda: hamming.pairwise_distances(data.X[:3]))
    first, functions = next(iter(trace.steps.items()))
    assert first.startswith("estimators/")
    assert functions[0].endswith(".pairwise_distances")
    module = f"nearkind.{first.removesuffix('.py').replace('/', '.')}"
    assert trace.calls[f"{module}.{functions[0]}"] == 1


def test_every_package_is_in_the_table_of_the_page():
    rows = [line for line in TEXT.splitlines() if line.startswith("| `")]
    named = {name for row in rows for name in row.split("|")[1].split("`")[1::2]}
    assert set(house.RANK) - {"__main__"} <= named


def test_the_picture_of_the_house_is_the_one_that_the_imports_make():
    assert house.PICTURE.read_text() == house.picture(house.house()), "run `make docs`"


def test_edges_that_follow_from_others_are_left_out():
    graph = {"cli": {"io", "tables"}, "io": {"tables"}, "tables": set()}
    assert house.reduced(graph) == {"cli": {"io"}, "io": {"tables"}, "tables": set()}


def test_packages_stand_above_what_they_import_and_boxes_do_not_overlap():
    graph = house.house()
    row = house.rows(graph)
    assert all(row[low] < row[name] for name in graph for low in graph[name])
    x = house.places(graph, row)
    for r in set(row.values()):
        centres = sorted(x[house.Item(name, r)] for name in graph if row[name] == r)
        gaps = [b - a for a, b in pairwise(centres)]
        assert min(gaps, default=house.BOX) >= house.BOX


def test_only_the_command_line_knows_typer():
    offenders = {
        str(path.relative_to(PACKAGE))
        for path in source_files()
        for name in imported_modules(path)
        if name.split(".")[0] == "typer" and package_of(path) != "cli"
    }
    assert not offenders
