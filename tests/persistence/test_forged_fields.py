"""Every field of every saved class, replaced by a value of another kind."""

import copy
import warnings
from dataclasses import fields, replace

import numpy as np
import pytest

import nearkind as nk
from helpers.model_files import loaded, mixed_table
from helpers.mutants import assert_answers
from nearkind.errors import ModelFileError, RefusedError
from nearkind.estimators.classifier import hold
from nearkind.estimators.distance_names import distance_classes
from nearkind.estimators.fit_report import fit_report
from nearkind.persistence.container import pack_container
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
    for kind in distance_classes().values()
]


def fitted(kind):
    known = kind().get_params(deep=False)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        y = range(len(Y)) if kind is nk.baselines.MLKR else Y
        return kind(**{n: LIGHT[n] for n in LIGHT if n in known}).fit(X, y)


def forged(model):
    """Return the file of a model, without the checks that ``save`` makes."""
    return pack_container(*to_json(model))


def check_forgeries(model, names, put=setattr):
    """Each is refused in a sentence, or the model answers.

    ``put`` sets what a name stands for in a copy of the model.
    """
    for name in names:
        for odd in ODD:
            strange = copy.copy(model)
            try:
                put(strange, name, odd)
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


def named(value):
    """Return the names of the fields of a dataclass."""
    return [field.name for field in fields(value)]


def in_form(model, name, odd):
    model.distance_ = replace(model.distance_, **{name: odd})


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_a_distance(kind):
    model = fitted(kind)
    diagnostics = fit_report(model).diagnostics
    check_forgeries(model, [*diagnostics, *model.get_params(deep=False)])
    check_forgeries(model, named(model.distance_), in_form)


def in_rows(model, name, odd):
    (voter,) = model.committee_.voters
    rows = replace(voter.rows, **{name: odd})
    hold(model, voter.with_rows(rows), model.classes_, model.n_samples_fit_)


def test_a_classifier():
    model = nk.CPMLClassifier("hamming", weights="soft").fit(X, Y)
    names = ("classes_", "n_samples_fit_", *model.get_params(deep=False))
    check_forgeries(model, names)
    check_forgeries(model, named(model.committee_.voters[0].rows), in_rows)


def in_committee(model, name, odd):
    model.committee_ = replace(model.committee_, **{name: odd})


def in_first_voter(model, name, odd):
    first, *others = model.committee_.voters
    in_committee(model, "voters", (replace(first, **{name: odd}), *others))


def in_first_rule(model, name, odd):
    rule = replace(model.committee_.voters[0].rule, **{name: odd})
    in_first_voter(model, "rule", rule)


@pytest.mark.parametrize(
    "weights", ["soft", pytest.param("uniform", marks=pytest.mark.slow)]
)
def test_a_search(weights):
    model = nk.CPMLClassifierCV(["hamming"], cv=2, weights=weights).fit(X, Y)
    names = [name for name in vars(model) if name.endswith("_")]
    check_forgeries(model, [*names, *model.get_params(deep=False)])
    voter = model.committee_.voters[0]
    check_forgeries(model, named(model.committee_), in_committee)
    check_forgeries(model, named(voter), in_first_voter)
    check_forgeries(model, named(voter.rule), in_first_rule)


@pytest.mark.parametrize("kernel", [np.array(["rbf"]), "x", None, 3])
def test_a_kernel_is_named(kernel):
    model = fitted(nk.baselines.KernelLMCA)
    in_form(model, "kernel", kernel)
    with pytest.raises(ModelFileError, match="kernel"):
        loaded(forged(model))
