"""A regularizer of the user's own, passed as ``p``."""

import numpy as np
import pytest
from sklearn.base import clone

import nearkind as nk
from nearkind.regularizers.schatten import Schatten, SchattenPower

DATA = nk.datasets.load("credit_risk", as_frame=False)


def learned(**settings):
    model = nk.CPML(strength=0.02, tol=1e-2, max_iter=1000, **settings)
    return model.fit(DATA.X, DATA.y)


@pytest.mark.parametrize("p", [1.0, 1.5, np.inf])
def test_a_schatten_norm_is_what_its_exponent_stands_for(p):
    np.testing.assert_array_equal(learned(p=Schatten(p)).metric_, learned(p=p).metric_)


def test_a_power_is_what_powered_stands_for():
    by_object, by_name = learned(p=SchattenPower(2.0)), learned(p=2.0, powered=True)
    np.testing.assert_array_equal(by_object.metric_, by_name.metric_)


def test_it_survives_cloning():
    assert clone(nk.CPML(p=Schatten(3.0))).p == Schatten(3.0)


def test_powered_is_for_exponents():
    with pytest.raises(ValueError, match=r"'powered' .* must be False when p is a"):
        learned(p=Schatten(2.0), powered=True)


@pytest.mark.parametrize("p", [Schatten, object(), "2"])
def test_what_is_no_regularizer_is_refused(p):
    with pytest.raises(ValueError, match="'p' parameter of CPML must be a number >= 1"):
        learned(p=p)


def test_neighbors_want_it_smooth():
    with pytest.raises(ValueError, match="'p' parameter of CPML must be finite when"):
        learned(p=Schatten(np.inf), constraints="neighbors")


def test_theorems_want_an_exponent():
    model = learned(p=Schatten(2.0), constraints="pairs")
    for ask in (model.generalization_bound, model.difference_matrices):
        with pytest.raises(ValueError, match="'p' parameter of CPML must be a number"):
            ask(DATA.X)


def test_a_model_file_refuses_it_by_name(tmp_path):
    with pytest.raises(ValueError, match="Schatten"):
        nk.save(learned(p=Schatten(2.0)), tmp_path / "model.nearkind")
