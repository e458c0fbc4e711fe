"""A short search, the same each time; `make fuzz` searches for as long as one likes."""

import warnings
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given

import nearkind as nk
from fuzz import model_files
from fuzz.search import PROPERTIES
from helpers.model_files import loaded, saved
from helpers.strategies import examples

FEW = {"export": 3}
"""Examples of properties that take long."""
pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.mark.parametrize(
    "name", [n for n, (s, _) in PROPERTIES.items() if s is not None]
)
def test_a_sentence_or_a_right_answer(name):
    strategy, check = PROPERTIES[name]

    @examples(
        FEW.get(name, 20),
        suppress_health_check=[HealthCheck.too_slow],
        print_blob=False,
    )
    @given(strategy)
    def search(case):
        check(*case)

    search()


def test_damaged_files_are_refused_or_answer():
    went = [model_files.load_or_refuse(seed) for seed in range(150)]
    assert {*went} >= {"refused", "answered"}


# --- what searches found --------------------------------------------------------------

COLOURS = [["red", 1], ["blue", 2], ["red", 2], ["green", 1], ["red", 1], ["blue", 1]]
KINDS = ["ham", "egg", "ham", "egg", "egg", "ham"]


@pytest.mark.parametrize("weight", [10**400, "x", None, [1.0]])
def test_weights_that_are_no_floats_are_refused(weight):
    with pytest.raises(ValueError, match="sample_weight must be"):
        nk.CPML(max_iter=2).fit(COLOURS, KINDS, sample_weight=[weight] * 6)


def test_infinite_labels_are_named_also_among_objects():
    labels = pd.Series([0.0, np.inf, 1.0, 0.0, 1.0, 0.0], dtype=object)
    with pytest.raises(ValueError, match="infinity: 1 of 6, the first in row 1"):
        nk.CPML().fit(COLOURS, labels)


@pytest.mark.filterwarnings("error::RuntimeWarning")
class TestExtremes:
    def test_huge_whole_floats_may_name_classes(self):
        model = nk.CPMLClassifier("hamming").fit(COLOURS, [1e300, -1e300] * 3)
        assert model.classes_.tolist() == [-1e300, 1e300]

    def test_a_huge_label_among_fractions_is_a_measurement(self):
        with pytest.raises(ValueError, match="not whole"):
            nk.CPMLClassifier("hamming").fit(COLOURS, [0.5, 1e308] * 3)

    @pytest.mark.parametrize("name", ["smirnov", "burnaby", "anderberg", "goodall1"])
    def test_values_of_vanishing_weight_have_finite_distances(self, name):
        model = nk.baselines.all()[name]()
        model.fit(COLOURS, sample_weight=[1e300, 1e-300, 1e-100, 1e-300, 1.0, 5e-324])
        assert np.isfinite(model.pairwise_distances(COLOURS)).all()

    def test_soft_neighbours_of_vanishing_weight(self):
        weights = [1e100, 5e-324, 1e-300, 1.0, 1e300, 1.0]
        model = nk.baselines.MCML(max_iter=3)
        model.fit(COLOURS, KINDS, sample_weight=weights)
        assert np.isfinite(model.pairwise_distances(COLOURS)).all()

    def test_huge_class_weights_and_weights(self):
        factors, huge = {"ham": 1e300, "egg": 1e300}, [1e300] * 6
        model = nk.CPMLClassifier("hamming", class_weight=factors)
        model.fit(COLOURS, KINDS, sample_weight=huge)
        plain = nk.CPMLClassifier("hamming").fit(COLOURS, KINDS, sample_weight=huge)
        np.testing.assert_allclose(
            model.predict_proba(COLOURS), plain.predict_proba(COLOURS)
        )

    @pytest.mark.parametrize("factors", ["balanced", {"egg": 1e-300, "ham": 1e300}])
    def test_class_weights_of_a_class_of_vanishing_weight(self, factors):
        weights = [0.5 if kind == "ham" else 5e-324 for kind in KINDS]
        model = nk.CPMLClassifier("hamming", n_neighbors=1, class_weight=factors)
        model.fit(COLOURS, KINDS, sample_weight=weights)
        np.testing.assert_allclose(model.predict_proba(COLOURS).sum(axis=1), 1.0)

    @pytest.mark.parametrize(
        "learner",
        [
            nk.baselines.RFM(bandwidth=5e-324),
            nk.baselines.LMCA(tol=1e300, max_iter=3),
            nk.baselines.NCA(tol=1e300, max_iter=3),
            nk.baselines.Chi2LMNN(margin=5e-324, max_iter=3),
            nk.baselines.Chi2LMNN(margin=1e300, max_iter=1, tol=0.0),
            nk.baselines.KernelLMCA(bandwidth=5e-324, max_iter=3),
            nk.baselines.KernelLMCA(bandwidth=1.7e308, max_iter=3),
        ],
        ids=repr,
    )
    def test_settings_at_the_ends_of_what_a_float_can_hold(self, learner):
        D = learner.fit(COLOURS, KINDS).pairwise_distances(COLOURS)
        assert np.isfinite(D).all()
        np.testing.assert_array_equal(
            loaded(saved(learner)).pairwise_distances(COLOURS), D
        )


@pytest.mark.parametrize("value", [pd.NA, np.array([]), np.array(["a", "b"])], ids=repr)
@pytest.mark.parametrize("name", ["numeric", "missing", "unseen"])
def test_policies_that_are_no_words_are_refused_by_name(name, value):
    with pytest.raises(ValueError, match=f"'{name}' parameter of Goodall2 must be"):
        nk.baselines.Goodall2(**{name: value}).fit(COLOURS)


def test_fractions_are_numbers_and_those_beyond_all_floats_are_refused():
    third = nk.CPML(tol=Fraction(1, 3), max_iter=2).fit(COLOURS, KINDS)
    plain = nk.CPML(tol=1 / 3, max_iter=2).fit(COLOURS, KINDS)
    np.testing.assert_array_equal(third.metric_, plain.metric_)
    for name in ("tol", "p", "margin", "strength"):
        with pytest.raises(ValueError, match=f"'{name}' parameter of CPML must be"):
            nk.CPML(**{name: 10**400}).fit(COLOURS, KINDS)


@pytest.mark.parametrize("penalty", ["schatten", "l1"])
@pytest.mark.parametrize("value", [np.array([]), np.array([1, 2]), [], None], ids=repr)
def test_a_setting_of_another_kind_is_refused_by_name(value, penalty):
    with pytest.raises(ValueError, match="'powered' parameter of CPML must be"):
        nk.CPML(powered=value, penalty=penalty).fit(COLOURS, KINDS)


def test_one_row_of_more_classes_may_be_drawn():
    rows, labels = [[f"id {i}"] for i in range(10)], [0, 0, 0, 1, 0, 0, 0, 0, 2, 1]
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        model = nk.baselines.MCML(max_iter=3, max_rows=1).fit(rows, labels)
    assert np.isfinite(model.pairwise_distances(rows)).all()


def test_kernels_of_rows_whose_weights_are_far_apart():
    table = {"a": list("abcdef"), "b": [*"xbbsfs"], "c": [0.5] * 3 + [0.8] * 3}
    model = nk.baselines.Cheng(missing="prior", numeric="bin", random_state=2)
    weights = [1.7e308, 0.5, 1e-100, 1e-100, 0.5, 0.5]
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        model.fit(table, [False, False, False, True, False, True], weights)
    assert np.isfinite(model.pairwise_distances(table)).all()


@pytest.mark.parametrize("value", [pd.NA, None, 1, "yes"], ids=repr)
def test_warm_start_is_true_or_false(value):
    with pytest.raises(ValueError, match="'warm_start' parameter of CPML must be"):
        nk.CPML(warm_start=value).fit(COLOURS, KINDS)


def test_labels_that_are_sequences_are_refused():
    with pytest.raises(TypeError, match=r"one label per row, got \[1\] in row 0"):
        nk.CPML().fit(COLOURS, [[1], [2, 3]] * 3)
    labels = np.empty(6, dtype=object)
    labels[:] = [(1, 2), (2, 1)] * 3
    with pytest.raises(TypeError, match=r"one label per row, got \(1, 2\) in row 0"):
        nk.CPML().fit(COLOURS, labels)


def test_a_metric_of_rounding_alone_is_zero():
    flags = np.array([0, 0, 1, 0, 0, 0, 1, 1, 1, 0, 1, 1], dtype=bool)
    labels = np.array([*"abbbgfebdgca"])
    table = np.array([[flag, "grey", "grey"] for flag in flags], dtype=object)
    for columns in ([0, 1, 2], [1, 2, 0]):
        model = nk.baselines.LMNN(coding="vdm").fit(table[:, columns], labels)
        assert not model.metric_.any()


def test_trees_on_one_constant_column():
    D = nk.baselines.GBLMNN(max_iter=3).fit([["red"]] * 4, [0, 1, 0, 0])
    assert not D.pairwise_distances([["red"], ["red"]]).any()


def test_groups_of_halves_of_characters_are_described():
    model = nk.KMedoids("hamming", n_clusters=2).fit([["\ud800"], ["b"]])
    assert sorted(model.medoids_["x0"]) == ["b", "\ud800"]
    assert len(model.describe()) == 2


def test_soft_neighbours_of_the_smallest_margin():
    table = {"a": [*range(8)], "b": [*"xyzxxyyz"], "c": [0, 0, 2, 1, 0, 0, 2, 1]}
    metric = nk.CPML(constraints="neighbors", margin=5e-324, max_iter=3)
    model = nk.CPMLRegressorCV([metric], cv=50).fit(table, [*range(8)])
    assert np.isfinite(model.predict(table)).all()
