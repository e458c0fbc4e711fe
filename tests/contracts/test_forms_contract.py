"""The laws of fitted distances, over every form and every estimator that learns it."""

import pickle
import warnings
from dataclasses import FrozenInstanceError, fields, is_dataclass, replace

import numpy as np
import pytest

import nearkind as nk
from helpers.estimator_tables import labelled_table
from helpers.forms import damaged, read_again
from helpers.model_files import assert_same
from nearkind.distances import FORMS
from nearkind.errors import RefusedError

ESTIMATORS = {"cpml": nk.CPML} | nk.baselines.all()
LIGHT = {
    "max_iter": 3,
    "n_bits": 4,
    "n_triplets": 20,
    "max_rows": 30,
    "random_state": 0,
}
NOT_ZERO = {"goodall1", "goodall2", "goodall3", "goodall4", "smirnov", "gambaryan"}
"""Frequency measures by which equal rows of frequent values are not quite alike."""
X, Y = labelled_table(40, seed=11)
NEW = labelled_table(15, seed=12)[0].replace({"noise": {"c": "never seen"}})
NEW.iloc[3, 1] = None
pytestmark = pytest.mark.filterwarnings("ignore::nearkind.errors.UnseenValueWarning")


@pytest.fixture(scope="module")
def forms():
    """Return the form that each estimator learns."""
    found = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name, kind in ESTIMATORS.items():
            known = kind().get_params(deep=False)
            light = {key: LIGHT[key] for key in LIGHT if key in known}
            found[name] = kind(**light).fit(X, Y).distance_
    return found


@pytest.fixture(params=ESTIMATORS)
def name(request):
    return request.param


@pytest.fixture
def form(forms, name):
    return forms[name]


def test_estimators_learn_every_form_and_no_other(forms):
    assert {type(form) for form in forms.values()} == set(FORMS.values())


def test_it_is_a_frozen_dataclass(form):
    assert is_dataclass(form)
    with pytest.raises(FrozenInstanceError):
        form.codebook = None


def test_distances_are_symmetric_non_negative_and_zero_on_equal_rows(form, name):
    codes = form.encode(NEW)
    rows, others = form.represent(codes), form.represent(form.encode(X))
    np.testing.assert_allclose(
        form.compare(rows, others), form.compare(others, rows).T, atol=1e-12
    )
    D = form.compare(rows, rows)
    assert (D >= 0.0).all()
    one_by_one = [form.compare(each, each) for each in np.split(rows, len(rows))]
    is_zero = not np.concatenate(one_by_one).any()
    assert is_zero == (name not in NOT_ZERO)


def test_a_comparison_costs_something(form):
    assert type(form.cost) is int
    assert form.cost > 0


def test_contributions_are_one_per_feature(form):
    a, b = form.encode(NEW)[:2]
    assert form.contributions(a, b).shape == (len(form.codebook.n_values),)
    assert form.contributions_to in ("distance", "squared distance")


def test_what_was_fitted_passes_its_check(form):
    form.check()


@pytest.mark.parametrize(
    "copied", [read_again, lambda x: pickle.loads(pickle.dumps(x))]
)
def test_files_and_pickles_keep_every_bit(form, copied):
    again = copied(form)
    assert type(again) is type(form)
    for field in fields(form):
        name = field.name
        assert_same(getattr(again, name), getattr(form, name), f".{name}")
    rows = form.represent(form.encode(NEW))
    again_rows = again.represent(again.encode(NEW))
    np.testing.assert_array_equal(
        again.compare(again_rows, again_rows), form.compare(rows, rows)
    )


def test_every_single_damage_is_refused(form):
    let_through = []
    for field in fields(form)[1:]:
        value = getattr(form, field.name)
        for what, odd in damaged(value, field.name):
            try:
                replace(form, **{field.name: odd}).check()
            except RefusedError:
                continue
            let_through.append(f"{field.name}: {what}")
    assert not let_through


SIGNED = {
    "MismatchWeights": ("weights",),
    "PairTables": ("tables",),
    "ChiSquareVectors": ("tables",),
    "MeanSimilarity": ("divisor",),
    "KernelLandmarks": ("length",),
    "MixedTables": ("weights", "scales"),
}
"""Fields that hold no negative number."""


def test_negative_numbers_are_refused_where_there_are_none(form):
    for name in SIGNED.get(type(form).__name__, ()):
        value = getattr(form, name)
        odd = negative(value)
        with pytest.raises(RefusedError):
            replace(form, **{name: odd}).check()


def negative(value):
    """Return a value whose last number is below zero."""
    if isinstance(value, float | int):
        return -1.0
    if isinstance(value, np.ndarray):
        value = value.copy()
        value.flat[-1] = -1e-9
        return value
    if isinstance(value, list | tuple):
        return [*value[:-1], negative(value[-1])]
    return replace(value, vectors=negative(value.vectors))


def test_a_field_of_another_type_is_not_read(form):
    for field in fields(form):
        for odd in (3.5j, {"a": 1}, object, b"x", True):
            with pytest.raises(RefusedError):
                read_again(replace(form, **{field.name: odd}))
