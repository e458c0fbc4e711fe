"""What else a distance is for is kept in files too: the same answers, bit for bit."""

import numpy as np
import pandas as pd
import pytest
from sklearn.frozen import FrozenEstimator

import nearkind as nk
from helpers.model_files import (
    loaded,
    mixed_table,
    put_together,
    saved,
    taken_apart,
)
from nearkind.errors import ModelFileError

pytestmark = pytest.mark.filterwarnings("ignore")
X, Y = mixed_table(40)
TASKS = [
    nk.NearestRows(n_neighbors=3),
    nk.NearestOutliers("gower", 5, contamination=0.1),
    nk.NearestOutliers("dilca", 5, "lof"),
    nk.NeighborImputer("hamming", add_indicator=True),
    nk.KMedoids("gower", "auto", random_state=0),
    nk.Prototypes("hamming", n_rows=9),
    nk.Oversampler("vdm", random_state=0),
]


@pytest.mark.parametrize("task", TASKS, ids=str)
def test_a_task_answers_as_it_did(task):
    model = task.fit(X, Y)
    data = saved(model)
    again = loaded(data)
    assert saved(again) == data
    assert again.get_params() == model.get_params()
    new = mixed_table(40, seed=3)[0]
    for method in {"predict", "transform", "kneighbors", "score_samples"} & {
        *dir(model)
    }:
        found, wanted = getattr(again, method)(new), getattr(model, method)(new)
        for mine, theirs in zip(
            np.atleast_1d(found), np.atleast_1d(wanted), strict=True
        ):
            np.testing.assert_array_equal(mine, theirs)
    for name, part in vars(model).items():
        if name.endswith("_") and isinstance(part, np.ndarray | int | float):
            np.testing.assert_array_equal(getattr(again, name), part)
    if hasattr(model, "score_samples"):
        np.testing.assert_array_equal(again.score_samples(), model.score_samples())
    if hasattr(model, "describe"):
        assert again.silhouettes_ == model.silhouettes_
        pd.testing.assert_frame_equal(again.describe(), model.describe())
        pd.testing.assert_frame_equal(again.medoids_, model.medoids_)
    if hasattr(model, "certainty"):
        pd.testing.assert_frame_equal(again.transform(X), model.transform(X))
    if hasattr(model, "prototypes_"):
        assert again.prototypes_.shape == model.prototypes_.shape
        found = again.classifier_.predict(X)
        np.testing.assert_array_equal(found, model.classifier_.predict(X))


def test_a_distance_given_fitted_is_kept_and_used_again():
    metric = nk.CPML(max_iter=5).fit(X, Y)
    for given in (metric, FrozenEstimator(metric), metric.distance_):
        model = nk.KMedoids(given, 3, random_state=0).fit(X)
        again = loaded(saved(model))
        np.testing.assert_array_equal(again.transform(X), model.transform(X))
        np.testing.assert_array_equal(again.fit(X).labels_, model.labels_)


@pytest.mark.parametrize(
    "task",
    [nk.NearestRows, nk.NearestOutliers, nk.NeighborImputer, nk.KMedoids],
    ids=lambda task: task.__name__,
)
def test_rows_with_values_new_to_a_fitted_distance_are_kept(task):
    known = pd.DataFrame({"size": [1.5, 2.5, 9.0], "coat": ["fur", "wool", "fur"]})
    metric = nk.baselines.all()["gower"]().fit(known)
    size = [1.25, 99.0, -7.0, np.nan, 2.5]
    new = pd.DataFrame({"size": size, "coat": ["silk", "fur", None, "wool", "fur"]})
    model = task(metric)
    size_of = "n_clusters" if task is nk.KMedoids else "n_neighbors"
    model.set_params(**{size_of: 2}).fit(new)
    again = loaded(saved(model))
    for method in {"kneighbors", "transform", "score_samples"} & {*dir(model)}:
        found, wanted = getattr(again, method)(new), getattr(model, method)(new)
        np.testing.assert_array_equal(found, wanted)
    if task is nk.NearestOutliers:
        assert len(again.explain(0)) == 2
    if task is nk.NearestRows:
        assert again.neighbors()["differs"][1].startswith("size: 1.25, 99")


def test_output_and_dtype_of_transform_are_kept():
    model = nk.NeighborImputer().set_output(transform="polars").fit(X)
    assert type(loaded(saved(model)).transform(X)) is type(model.transform(X))


def test_a_task_that_is_not_fitted_is_refused():
    with pytest.raises(ModelFileError, match="not fitted"):
        saved(nk.KMedoids())


@pytest.mark.parametrize("task", TASKS, ids=str)
def test_a_forged_part_is_refused_or_answers(task):
    tree, arrays = taken_apart(saved(task.fit(X, Y)))
    ((name, node),) = tree["model"].items()
    for part in list(node["fitted"]):
        for odd in (None, 3, -1, "x", {"float": "nan"}, [], {"dict": []}):
            forged = {**node, "fitted": {**node["fitted"], part: odd}}
            strange = {**tree, "model": {name: forged}}
            try:
                again = loaded(put_together(strange, arrays))
            except ModelFileError:
                continue
            for ask in ("predict", "transform", "kneighbors", "describe"):
                if hasattr(again, ask):
                    getattr(again, ask)(*[] if ask == "describe" else [X])
    lacking = {key: value for key, value in node["fitted"].items() if key[0] != "_"}
    lacking.pop("classes_", None)
    lacking.pop("classifier_", None)
    with pytest.raises(ModelFileError):
        loaded(
            put_together({**tree, "model": {name: {**node, "fitted": lacking}}}, arrays)
        )
