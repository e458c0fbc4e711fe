"""Objects of settings: none that others hold can change, and each prints as made."""

import dataclasses
import importlib
import inspect
import pkgutil

import numpy as np
import pytest

from nearkind.losses.hinge import Hinge
from nearkind.metrics.structures import Diagonal, Full, Multi, Single
from nearkind.projections.concatenation import ChannelConcatenation, Concatenation
from nearkind.projections.cooccurrence import Cooccurrence
from nearkind.projections.coordinates import Coordinates
from nearkind.projections.onehot import OneHot
from nearkind.projections.vdm import VDM
from nearkind.regularizers.entrywise import EntrywiseL1
from nearkind.solvers.adam import AdamState
from nearkind.solvers.proximal import Proximal, State

PACKAGES = "constraints", "losses", "metrics", "neighbors", "regularizers", "solvers"
WORKING = {AdamState, State}
"""What a loop changes as it goes."""


def dataclasses_of(package):
    """Return the dataclasses that the modules of a package define."""
    home = f"nearkind.{package}"
    path = importlib.import_module(home).__path__
    names = [module.name for module in pkgutil.walk_packages(path, f"{home}.")]
    return {
        thing
        for name in names
        for thing in vars(importlib.import_module(name)).values()
        if dataclasses.is_dataclass(thing) and thing.__module__ == name
    }


@pytest.mark.parametrize("package", PACKAGES)
def test_what_is_shared_cannot_change(package):
    found = dataclasses_of(package)
    assert found
    changeable = {c for c in found if not c.__dataclass_params__.frozen}
    assert changeable <= WORKING


PARAMETERS = {
    VDM: ["smoothing", "cross_fit"],
    OneHot: [],
    Cooccurrence: [],
    Concatenation: ["first", "second"],
    ChannelConcatenation: ["first", "second"],
    Coordinates: ["others", "positions"],
}


MADE = [
    VDM(),
    VDM(smoothing=0.5, cross_fit=True),
    OneHot(),
    Cooccurrence(),
    Concatenation(VDM(), OneHot()),
    ChannelConcatenation(VDM(), VDM()),
]


@pytest.mark.parametrize("kind", PARAMETERS)
def test_a_projection_takes_its_settings_and_nothing_learned(kind):
    assert list(inspect.signature(kind).parameters) == PARAMETERS[kind]


@pytest.mark.parametrize("projection", MADE, ids=repr)
def test_a_projection_prints_its_settings_before_and_after_fit(projection):
    made, kind = repr(projection), type(projection)
    shown = [f"{name}={getattr(projection, name)!r}" for name in PARAMETERS[kind]]
    assert made == f"{kind.__name__}({', '.join(shown)})"
    codes = np.random.default_rng(0).integers(0, 3, (20, 2))
    fitted = projection.fit(codes, [3, 3], np.arange(20) % 2, np.ones(20))
    assert repr(fitted) == made


@pytest.mark.parametrize(
    "kind", [EntrywiseL1, Single, Multi, Diagonal, Full, Hinge, Proximal]
)
def test_equal_settings_are_equal(kind):
    assert kind() == kind()
    assert hash(kind()) == hash(kind())
