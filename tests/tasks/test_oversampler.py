"""New rows take their values from near rows of their class, and nothing else."""

import tracemalloc
from collections import Counter

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.utils.estimator_checks import estimator_checks_generator

import nearkind as nk
from helpers.estimator_tables import labelled_table
from nearkind.tasks.oversampler import weighted_places

N = 60
X, _ = labelled_table(N)
LABELS = np.array(["rare"] * 6 + ["some"] * 14 + ["many"] * 40)
SAMPLER = nk.Oversampler("hamming", random_state=0)


def checks(generator, left_out):
    for estimator, check in generator(SAMPLER):
        name = check.func.__name__
        if name not in left_out:
            yield pytest.param(estimator, check, id=name)


OF_SCIKIT_LEARN = list(checks(estimator_checks_generator, {"check_array_api_input"}))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("estimator", "check"), OF_SCIKIT_LEARN)
def test_scikit_learns_own_check(estimator, check):
    check(estimator)


OF_IMBALANCED_LEARN = [
    "check_target_type",
    "check_samplers_one_label",
    "check_samplers_fit",
    "check_samplers_fit_resample",
    "check_samplers_sampling_strategy_fit_resample",
    "check_samplers_pandas",
    "check_samplers_pandas_sparse",
    "check_samplers_string",
    "check_samplers_nan",
    "check_samplers_list",
    "check_samplers_preserve_dtype",
    "check_samplers_2d_target",
    "check_sampler_get_feature_names_out",
    "check_sampler_get_feature_names_out_pandas",
]  # of the others, sparse tables and labels one-hot are not taken here; the last asks
# for imbalanced-learn's own tags


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", OF_IMBALANCED_LEARN)
def test_imbalanced_learns_own_check(name):
    checks = pytest.importorskip("imblearn.utils.estimator_checks")
    getattr(checks, name)("Oversampler", SAMPLER)


STRATEGIES = [
    "auto",
    "all",
    "minority",
    "not minority",
    "not majority",
    {"rare": 30, "many": 45},
    lambda y: {"some": 15},
]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("strategy", STRATEGIES)
def test_classes_become_as_large_as_imbalanced_learn_makes_them(strategy):
    imblearn = pytest.importorskip("imblearn.over_sampling")
    peer = imblearn.RandomOverSampler(sampling_strategy=strategy)
    _, wanted = peer.fit_resample(X, LABELS)
    sampler = nk.Oversampler("hamming", sampling_strategy=strategy, random_state=0)
    _, y = sampler.fit_resample(X, LABELS)
    assert Counter(y) == Counter(wanted)
    assert sampler.sampling_strategy_ == dict(peer.sampling_strategy_)


def test_a_ratio_is_that_of_two_classes():
    y = np.where(LABELS == "rare", "rare", "many")
    _, made = SAMPLER.set_params(sampling_strategy=0.5).fit_resample(X, y)
    SAMPLER.set_params(sampling_strategy="auto")
    assert Counter(made.tolist()) == {"rare": 27, "many": 54}


@pytest.mark.parametrize(
    ("strategy", "message"),
    [
        ("majority", "must be one of 'auto'"),
        (0.5, "for two classes, else a dict"),
        ({"none": 9}, "of classes of y, which 'none' is not"),
        ({"many": 9}, "for 'many' at least the 40 rows"),
        (["rare"], "a dict of class to size"),
    ],
)
def test_wrong_strategies_are_refused(strategy, message):
    sampler = nk.Oversampler("hamming", sampling_strategy=strategy)
    with pytest.raises(ValueError, match=message):
        sampler.fit_resample(X, LABELS)


def test_a_ratio_below_what_there_is_is_refused():
    y = np.where(LABELS == "many", "many", "other")
    with pytest.raises(ValueError, match=r"more than 0\.5, the ratio"):
        nk.Oversampler("hamming", sampling_strategy=0.3).fit_resample(X, y)


def test_the_rows_come_first_and_are_left_alone():
    before = X.copy()
    made, y = SAMPLER.fit_resample(X, LABELS)
    pd.testing.assert_frame_equal(X, before)
    pd.testing.assert_frame_equal(made[:N], X)
    assert y[:N].tolist() == LABELS.tolist()
    assert len(made) == len(y) == 120


@pytest.mark.parametrize("metric", ["hamming", "euclidean", "lin"])
@pytest.mark.parametrize("k", [1, 3])
def test_values_come_from_the_nearest_rows_of_the_class(metric, k):
    sampler = nk.Oversampler(metric, n_neighbors=k, random_state=1)
    made, y = sampler.fit_resample(X, LABELS)
    d = sampler.distance_.pairwise_distances(X)
    cells = X.astype(object).where(X.notna(), None).to_numpy()
    made = made.astype(object).where(made.notna(), None).to_numpy()
    for row, label, begun in zip(made, y, sampler.sample_indices_, strict=True):
        assert LABELS[begun] == label
        same = np.flatnonzero(label == LABELS)
        k_nearest = np.sort(d[begun, same])[min(k, len(same) - 1)] + 1e-6
        near = cells[same[d[begun, same] <= k_nearest]]
        assert all(row[c] in near[:, c] for c in range(4))


def test_a_class_of_one_row_repeats_it():
    y = np.where(np.arange(N) == 5, "one", "other")
    made, labels = SAMPLER.fit_resample(X, y)
    alone = made[labels == "one"].drop_duplicates()
    assert alone.to_numpy().tolist() == X[5:6].to_numpy().tolist()


def test_a_seed_gives_the_same_rows():
    a, b = SAMPLER.fit_resample(X, LABELS)[0], SAMPLER.fit_resample(X, LABELS)[0]
    pd.testing.assert_frame_equal(a, b)
    c = nk.Oversampler("hamming", random_state=1).fit_resample(X, LABELS)[0]
    assert not a.equals(c)


def test_numbers_are_drawn_not_made():
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"size": rng.normal(size=N), "n": rng.integers(0, 99, N)})
    made, y = nk.Oversampler("hamming", random_state=0).fit_resample(table, LABELS)
    assert made.dtypes.tolist() == table.dtypes.tolist()
    for label in set(LABELS):
        assert set(made["size"][y == label]) <= set(table["size"][label == LABELS])
    begun = made["size"][N:].nunique()
    assert begun > 10  # not the first number of each bin alone


def test_tables_of_polars_come_back_as_such():
    table = pl.from_pandas(X).cast({"shape": pl.Categorical})
    made, y = SAMPLER.fit_resample(table, pl.Series("class", LABELS.tolist()))
    assert made.schema == table.schema
    assert isinstance(y, pl.Series)
    assert y.name == "class"
    assert made[:N].equals(table)


def test_a_column_of_many_levels_needs_no_matrix_of_them():
    n = 4_000
    table = {"id": [f"v{i}" for i in range(n)], "kind": ["a", "b"] * (n // 2)}
    y = np.array(["rare"] * 40 + ["many"] * (n - 40))
    tracemalloc.start()
    with pytest.warns(UserWarning, match="id"):
        made, _ = SAMPLER.fit_resample(table, y)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert len(made["id"]) == 2 * (n - 40)
    assert peak < n * n  # bytes; one-hot they are eight times as many


@pytest.mark.filterwarnings("ignore")
def test_it_works_in_a_pipeline_of_imbalanced_learn():
    pipeline = pytest.importorskip("imblearn.pipeline")
    steps = [nk.Oversampler("hamming", random_state=0), nk.CPMLClassifier("hamming")]
    model = pipeline.make_pipeline(*steps).fit(X, LABELS)
    assert set(model.predict(X)) <= set(LABELS)
    assert model[-1].n_samples_fit_ == 120


@given(st.lists(st.integers(1, 4), min_size=1, max_size=4), st.integers(0, 99))
def test_places_are_drawn_within_their_group_by_weight(sizes, seed):
    group = np.repeat(np.arange(len(sizes)), sizes)
    rng = np.random.default_rng(seed)
    weights = rng.integers(0, 3, len(group)).astype(float)
    weights[np.cumsum(sizes) - 1] = 1.0  # some weight in each
    which = rng.integers(0, len(sizes), 5)
    drawn = weighted_places(group, weights, which, 8, rng)
    assert (group[drawn] == which[:, None]).all()
    assert (weights[drawn] > 0.0).all()


def test_places_are_drawn_in_proportion():
    rng = np.random.default_rng(0)
    group, weights = np.array([0, 0, 1, 1]), np.array([1.0, 3.0, 2.0, 2.0])
    drawn = weighted_places(group, weights, np.zeros(1, dtype=int), 4_000, rng)
    assert np.bincount(drawn[0], minlength=4) == pytest.approx(
        [1000, 3000, 0, 0], abs=90
    )
