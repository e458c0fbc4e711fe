"""Every field of every saved class, replaced by a value of another kind."""

import copy
import warnings

import numpy as np
import pytest
from nearkind.persistence.distances import KEPT

import nearkind as nk
from helpers.model_files import loaded, mixed_table, saved
from helpers.mutants import assert_answers
from nearkind.errors import ModelFileError
from nearkind.persistence.container import RefusedError, pack_container
from nearkind.persistence.models import to_json

pytestmark = pytest.mark.filterwarnings("ignore")
LIGHT = {"max_iter": 2, "n_bits": 4, "n_triplets": 20, "n_rounds": 1, "max_rows": 50}
ODD = [
    None, True, "", "x", -1, 0, 0.5, 2**62, -1e300, np.nan, np.inf, [], (), {},
    [1, "a"],
    np.array(["a", "b"]), np.empty(0), np.empty((0, 0)), np.full((3, 2), np.nan),
    np.full(2, -1.0), np.full((2, 2), 1e200), np.arange(4), np.ones((1, 1, 1)),
]  # fmt: skip
X, Y = mixed_table(20)
QUICK = {nk.CPML, nk.baselines.Eskin, nk.baselines.DM3, nk.baselines.NCA}
KINDS = [
    kind if kind in QUICK else pytest.param(kind, marks=pytest.mark.slow)
    for kind in KEPT
]


def fitted(kind):
    known = kind().get_params(deep=False)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return kind(**{n: LIGHT[n] for n in LIGHT if n in known}).fit(X, Y)


def forged(model):
    """Return the file of a model, without the checks that ``save`` makes."""
    return pack_container(*to_json(model))


def check_forgeries(model, names):
    """Each is refused in a sentence, or the model answers."""
    for name in names:
        for odd in ODD:
            strange = copy.copy(model)
            setattr(strange, name, odd)
            try:
                data = forged(strange)
            except (RefusedError, AttributeError, TypeError, ValueError):
                continue  # there is no such file
            try:
                again = loaded(data)
            except ModelFileError:
                continue
            try:
                assert_answers(again, X)
            except Exception as error:
                error.add_note(f"{name} = {odd!r} of {type(model).__name__}")
                raise


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_a_distance(kind):
    model = fitted(kind)
    check_forgeries(model, [*KEPT[kind], *model.get_params(deep=False)])


def test_a_classifier():
    model = nk.CPMLClassifier("hamming", weights="soft").fit(X, Y)
    fields = ("classes_", "temperature_", "n_samples_fit_")
    check_forgeries(model, [*fields, *model.get_params(deep=False)])


def test_a_search():
    model = nk.CPMLClassifierCV(["hamming"], cv=2).fit(X, Y)
    fields = [name for name in vars(model) if name.endswith("_")]
    check_forgeries(model, [*fields, *model.get_params(deep=False)])


@pytest.mark.parametrize("kernel", [np.array(["rbf"]), "x", None, 3])
def test_a_kernel_is_named(kernel):
    model = fitted(nk.baselines.KernelLMCA)
    model.kernel = kernel
    with pytest.raises(ModelFileError, match="'kernel' parameter of KernelLMCA"):
        loaded(forged(model))


def test_a_mean_is_over_the_values_at_most():
    model = fitted(nk.baselines.Eskin)
    model.divisor_ = 2**62
    with pytest.raises(ModelFileError, match="divisor_ is larger"):
        saved(model)
