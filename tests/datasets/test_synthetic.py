"""Laws of the synthetic generator."""

from hashlib import sha256

import numpy as np
import pandas as pd
import pytest
from scipy.stats import chi2, chi2_contingency

from nearkind.datasets import make_synthetic

LARGE = {"n_samples": 40_000, "n_features": 4, "n_noisy": 4, "random_state": 7}


@pytest.fixture(scope="module")
def large():
    return make_synthetic(**LARGE)


def counts(data, d):
    """Return rows of class c with value v, (C, s)."""
    return pd.crosstab(data.y, data.X.iloc[:, d]).to_numpy()


def test_form():
    data = make_synthetic(103, 3, 4, n_noisy=2, random_state=0)
    names = ["feature0", "feature1", "feature2", "noise0", "noise1"]
    assert list(data.X.columns) == data.feature_names == names
    assert data.informative.tolist() == [True] * 3 + [False] * 2
    assert data.X.shape == (103, 5)
    assert data.probabilities.shape == (5, 4, 5)
    assert set(np.unique(data.X.astype(object))) == {f"v{v}" for v in range(5)}
    assert (data.name, data.y.name) == ("synthetic", "class")
    assert sorted(data.y.unique()) == ["c0", "c1", "c2", "c3"]


def test_defaults_are_those_of_the_paper():
    data = make_synthetic(random_state=0)
    assert data.X.shape == (1000, 10)
    assert data.probabilities.shape == (10, 4, 5)
    assert data.informative.all()


@pytest.mark.parametrize(("n_samples", "n_classes"), [(1000, 4), (103, 4), (20, 20)])
def test_classes_are_as_equal_as_they_can_be(n_samples, n_classes):
    y = make_synthetic(n_samples, 1, n_classes, random_state=0).y
    sizes = y.value_counts()
    assert len(sizes) == n_classes
    assert sizes.max() - sizes.min() == (n_samples % n_classes > 0)


def test_rows_are_shuffled():
    y = make_synthetic(1000, 1, 2, random_state=0).y.to_numpy()
    # Sorted rows change class once, alternating ones 999 times, shuffled ones half.
    assert 400 < (y[1:] != y[:-1]).sum() < 600


def test_noise_is_independent_of_the_class_and_the_rest_is_not(large):
    p_values = np.array([chi2_contingency(counts(large, d)).pvalue for d in range(8)])
    assert (p_values[~large.informative] > 0.001).all()
    assert (p_values[large.informative] < 1e-9).all()


def test_weight_zero_makes_all_noise():
    data = make_synthetic(40_000, 4, weight=0.0, random_state=0)
    assert all(chi2_contingency(counts(data, d)).pvalue > 0.001 for d in range(4))


@pytest.mark.parametrize("d", range(8))
def test_shares_match_the_law_within_sampling_error(large, d):
    seen, law = counts(large, d), large.probabilities[d]
    expected = law * seen.sum(axis=1, keepdims=True)
    statistic = ((seen - expected) ** 2 / expected).sum()
    assert statistic < chi2.isf(0.001, df=4 * (5 - 1))


def test_law_is_a_distribution_with_one_value_raised(large):
    law = large.probabilities
    np.testing.assert_allclose(law.sum(axis=2), 1.0, rtol=1e-12)
    assert (law > 0).all()
    base = make_synthetic(**LARGE | {"weight": 0.0}).probabilities
    np.testing.assert_array_equal(law[~large.informative], base[~large.informative])
    # Normalised, one value gains and all others lose by one common factor.
    ratio = np.sort(law / base, axis=2)[large.informative]
    np.testing.assert_allclose(ratio[..., :-1], ratio[..., :1].repeat(4, axis=2))
    assert (ratio[..., -1] > 1).all()
    assert (ratio[..., 0] < 1).all()


def test_raised_value_is_more_frequent_where_it_is_raised(large):
    base = make_synthetic(**LARGE | {"weight": 0.0}).probabilities
    for d in np.flatnonzero(large.informative):
        share = counts(large, d) / counts(large, d).sum(axis=1, keepdims=True)
        raised = (large.probabilities[d] / base[d]).argmax(axis=1)  # a value a class
        for c, v in enumerate(raised):
            others = raised != v
            assert (share[c, v] > share[others, v]).all()


def test_same_seed_same_data():
    one, two = (make_synthetic(50, 3, n_noisy=1, random_state=3) for _ in range(2))
    pd.testing.assert_frame_equal(one.X, two.X)
    pd.testing.assert_series_equal(one.y, two.y)
    other = make_synthetic(50, 3, n_noisy=1, random_state=4)
    assert not one.X.equals(other.X)


@pytest.mark.parametrize("kind", [np.random.default_rng, np.random.RandomState])
def test_generators_are_seeds_too_and_move_on(kind):
    rng = kind(0)
    one, two = (make_synthetic(50, 3, random_state=rng) for _ in range(2))
    again = make_synthetic(50, 3, random_state=kind(0))
    pd.testing.assert_frame_equal(one.X, again.X)
    assert not one.X.equals(two.X)


def test_further_features_leave_the_rest_of_the_draw():
    few = make_synthetic(80, 3, random_state=1)
    noisy = make_synthetic(80, 3, n_noisy=5, random_state=1)
    pd.testing.assert_frame_equal(few.X, noisy.X.iloc[:, :3])
    pd.testing.assert_series_equal(few.y, noisy.y)
    more = make_synthetic(80, 6, random_state=1)
    pd.testing.assert_frame_equal(few.X, more.X.iloc[:, :3])


def test_arrays_hold_what_the_frame_holds():
    frame = make_synthetic(30, 2, random_state=5)
    arrays = make_synthetic(30, 2, random_state=5, as_frame=False)
    assert arrays.X.dtype == arrays.y.dtype == object
    assert arrays.X.tolist() == frame.X.to_numpy().tolist()
    assert arrays.y.tolist() == frame.y.tolist()


def test_the_default_draw_never_changes():
    """Published rows name their draw by its settings and seed alone."""
    data = make_synthetic(200, 6, 7, 0.9, n_noisy=2, random_state=11, as_frame=False)
    cells = "\n".join(map(" ".join, [*data.X.tolist(), data.y.tolist()]))
    assert sha256(cells.encode()).hexdigest()[:16] == "e720cc8e47f05783"


def drawn_law(**settings):
    """Return the law (D, C, s), that without a weight, and the raised values (D, C)."""
    settings = {"n_samples": 40, "random_state": 2, **settings}
    law = make_synthetic(**settings).probabilities
    base = make_synthetic(**settings | {"weight": 0.0}).probabilities
    return law, base, (law / base).argmax(axis=2)


@pytest.mark.parametrize("weight", [0.3, 0.9])
def test_the_normalised_reading_adds_the_weight_to_probabilities(weight):
    law, base, raised = drawn_law(weight=weight, reading="normalised")
    for d, c in np.ndindex(raised.shape):
        expected = base[d, c].copy()
        expected[raised[d, c]] += weight
        np.testing.assert_allclose(law[d, c], expected / expected.sum(), rtol=1e-12)


def test_readings_differ_by_what_the_weight_is_worth():
    raw, base, raised = drawn_law(n_features=50)
    law, same_base, same = drawn_law(n_features=50, reading="normalised")
    np.testing.assert_array_equal(same, raised)
    np.testing.assert_allclose(same_base, base, rtol=1e-12)
    # Five uniforms sum to 2.5 on average, and the weight is added to them or to 1.
    gained = np.take_along_axis(law - raw, raised[..., None], axis=2)
    assert gained.mean() > 0.05


@pytest.mark.parametrize(("n_classes", "n_values"), [(4, 5), (5, 5), (7, 5), (20, 3)])
def test_distinct_favours_no_value_twice_before_all_are_once(n_classes, n_values):
    _, _, raised = drawn_law(n_classes=n_classes, n_values=n_values, distinct=True)
    for values in raised:
        times = np.bincount(values, minlength=n_values)
        assert times.max() - times.min() <= 1
        assert (np.bincount(values[:n_values]) <= 1).all()


def test_by_default_two_classes_may_favour_one_value():
    _, _, raised = drawn_law(n_classes=5)
    assert any(len(set(values)) < 5 for values in raised.tolist())


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"n_samples": 3}, "n_samples must be an integer >= 4 .*got 3"),
        ({"n_samples": 10.0}, "n_samples must be an integer"),
        ({"n_samples": "10"}, "n_samples must be an integer"),
        ({"n_features": 0}, "n_features must be an integer >= 1, got 0"),
        ({"n_features": True}, "n_features must be an integer"),
        ({"n_classes": 1}, "n_classes must be an integer >= 2, got 1"),
        ({"n_noisy": -1}, "n_noisy must be an integer >= 0, got -1"),
        ({"n_values": 1}, "n_values must be an integer >= 2, got 1"),
        ({"weight": -0.1}, "weight must be a finite number >= 0, got -0.1"),
        ({"weight": float("nan")}, "weight must be a finite number"),
        ({"weight": float("inf")}, "weight must be a finite number"),
        ({"weight": "big"}, "weight must be a finite number"),
        ({"reading": "cooked"}, "reading must be 'raw' or 'normalised', got 'cooked'"),
        ({"distinct": 1}, "distinct must be True or False, got 1"),
        ({"random_state": -1}, "random_state must be .*got -1"),
        ({"random_state": "seed"}, "random_state must be .*got 'seed'"),
    ],
)
def test_arguments_that_define_no_data_are_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        make_synthetic(**arguments)
