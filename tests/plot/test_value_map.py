"""Maps of the values of a feature."""

import numpy as np
import pandas as pd

import nearkind as nk
from helpers.pictures import constant_column, equal_rows, fitted, many_classes, small


def labels(ax):
    """Return the labels of dots: all texts but the note, which comes first."""
    return [text.get_text() for text in ax.texts[1:]]


def note(ax):
    return ax.texts[0].get_text().replace("\n", " ")


def test_every_value_is_labelled_the_missing_one_too():
    case = small()
    ax = nk.plot.values(case.model, "size")
    found = ", ".join(labels(ax)).replace("\n", " ").split(", ")
    assert sorted(found) == ["l", "m", "missing", "s", "xl"]
    assert note(ax).startswith("5 values")


def test_distances_on_the_map_are_the_learned_ones():
    case = small()
    ax = nk.plot.values(case.model, "shape")
    at = np.asarray(ax.collections[0].get_offsets())
    found = np.linalg.norm(at[:, None] - at, axis=2)
    expected = case.model.value_distances("shape").to_numpy()
    np.testing.assert_allclose(np.sort(found, None), np.sort(expected, None), atol=1e-6)


def test_one_value_is_one_dot():
    ax = nk.plot.values(constant_column().model, "same")
    assert labels(ax) == ["a"]
    assert note(ax) == "There is only one value."


def test_values_at_one_place_are_one_dot_with_all_their_names():
    ax = nk.plot.values(equal_rows().model, "a")
    assert len(ax.collections[0].get_offsets()) == 1
    X = pd.DataFrame({"a": list("uvw") * 8, "b": list("ppppqqqq") * 3})
    ax = nk.plot.values(fitted(X, X["b"].tolist()).model, "a")
    assert labels(ax) == ["u, v, w"]
    assert note(ax).startswith("All 3 values are at one point")


def test_of_many_values_at_most_forty_are_labelled_and_the_rest_counted():
    X = [[f"value {k}"] for k in range(120)] * 20
    y = np.random.default_rng(0).integers(0, 5, 2400)
    ax = nk.plot.values(nk.baselines.Euclidean().fit(X, y), "x0")
    n_dots = len(ax.collections[0].get_offsets())
    *names, last = labels(ax)
    assert n_dots > 100
    assert 20 <= len(names) <= 40
    assert last == f"{n_dots - len(names)} dots without a label"


def test_values_that_crowd_on_one_line_are_slanted_from_left_to_right():
    X = [[f"a long value {k}"] for k in range(12)] * 50
    y = [int(row % 50 < 20 + k) for row in range(50) for k in range(12)]
    ax = nk.plot.values(nk.baselines.Euclidean().fit(X, y), "x0")
    slanted = [text for text in ax.texts if text.get_rotation() == 45.0]
    assert len(slanted) == 12
    at = [text.xy[0] for text in slanted]
    assert at == sorted(at)


def test_two_axes_say_what_they_hold():
    ax = nk.plot.values(many_classes().model, "a")
    assert ax.get_xlabel().startswith("distance along axis 1 (")
    assert ax.get_ylabel().startswith("distance along axis 2 (")
    assert ax.get_aspect() == 1.0
