"""Every public estimator keeps every law; estimators made to break them do not."""

from itertools import product

import numpy as np
import pytest
from sklearn.base import BaseEstimator
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder
from sklearn.tree import DecisionTreeClassifier

import nearkind as nk
from helpers.estimator_tables import labelled_table
from nearkind import laws
from nearkind.laws import LAWS

pytestmark = [
    pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning"),
    pytest.mark.filterwarnings("ignore::nearkind.errors.UnseenValueWarning"),
    pytest.mark.filterwarnings("ignore:Such a row only repels"),
]
X, y = labelled_table(30, seed=11)
NUMBERS = X.assign(
    height=np.round(np.random.default_rng(0).normal(size=30), 1),
    count=np.arange(30) % 4,
)
FEW = 5  # iterations; rounding, which renaming changes, grows along a descent
FEWER = {"random_state": 0, "max_iter": FEW, "n_triplets": 200, "n_bits": 8}
QUICK = {
    name: kind().set_params(
        **{k: v for k, v in FEWER.items() if k in kind().get_params()}
    )
    for name, kind in nk.baselines.all().items()
}
VOTERS = [nk.CPML(max_iter=FEW), nk.baselines.Hamming(), nk.baselines.Euclidean()]
SETTINGS = [
    *({"projection": p} for p in ("onehot", "vdm+onehot", "cooccurrence")),
    {"projection": "vdm+cooccurrence", "p": np.inf},
    {"scope": "local"},
    {"scope": "local", "projection": "onehot", "n_targets": 1},
    {"cross_fit": True},
    {"smoothing": "auto", "p": 2.0},
    {"p": 1.5, "powered": True},
    {"penalty": "l1"},
    {"crosses": "auto"},
    {"crosses": 2},
    {"missing": "prior"},
    {"solver": "subgradient"},
    {"solver": "paper"},
    {"strength": 0.0},
]
SEARCH = nk.CPMLClassifierCV(
    [nk.baselines.Euclidean()], n_neighbors=3, weights="distance", calibrate=False, cv=2
)
ESTIMATORS = [
    *(
        nk.CPML(structure=s, constraints=c, max_iter=FEW)
        for s, c in product(
            ("single", "multi", "diagonal", "full"),
            ("triplets", "pairs", "quadruplets", "neighbors"),
        )
    ),
    *(nk.CPML(max_iter=FEW, **settings) for settings in SETTINGS),
    *(
        nk.CPMLClassifier(metric, weights=weights)
        for metric, weights in product(VOTERS, ("uniform", "distance", "soft"))
    ),
    nk.CPMLClassifier("hamming", class_weight="balanced"),
    SEARCH,
    *QUICK.values(),
]
DRAWN = {"ITML", "POLA", "HDML"}  # rows by their numbers, as random_state says
DRAWN_BY_CODES = {"OCL", "ForestNeighbors"}  # rows, or values that count alike
ROUNDED = {"DMLEig", "MMC", "NCA"}  # sums of rows in their order
EXACT = {laws.check_integer_weights, laws.check_row_order}


def tolerance(estimator, law):
    """No bit, where equal rows are merged first; else rounding along a descent."""
    is_rounded = type(estimator).__name__ in ROUNDED or (
        getattr(estimator, "class_weight", None) is not None
    )
    if law in EXACT and not is_rounded:
        return 0.0
    return 1e-4 if getattr(estimator, "scope", "") == "local" else 1e-6


@pytest.mark.covering(1)
@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.__name__)
@pytest.mark.parametrize("estimator", ESTIMATORS, ids=repr)
def test_every_estimator_keeps_every_law(estimator, law):
    if law is laws.check_row_order and type(estimator).__name__ in DRAWN:
        pytest.skip("rows are drawn by their numbers")
    if law is laws.check_value_names and type(estimator).__name__ in DRAWN_BY_CODES:
        pytest.skip("rows are drawn in the order of their codes")
    if law is laws.check_input_unchanged:
        law(estimator, NUMBERS, y)
    elif law is laws.check_own_label:
        law(estimator, X, y, n_rows=1)
    else:
        law(estimator, X, y, tol=tolerance(estimator, law))


@pytest.mark.covering(1)
@pytest.mark.parametrize("law", LAWS[:5], ids=lambda law: law.__name__)
@pytest.mark.parametrize("numeric", ["auto", "scale", "bin"])
def test_laws_hold_on_numbers(law, numeric):
    law(nk.CPML(numeric=numeric, max_iter=FEW), NUMBERS, y)


LOCAL = [
    nk.CPML(scope="local", projection="onehot", tol=1e-3),
    nk.CPML(scope="local", tol=1e-3),
    nk.baselines.LMNN(),
]


@pytest.mark.parametrize(
    "learner", [pytest.param(LOCAL[0], marks=pytest.mark.slow), *LOCAL[1:]], ids=repr
)
def test_targets_that_tie_are_not_chosen_by_order_or_name(learner):
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 3, 60)
    table = (rng.integers(0, 3, (60, 4)) + labels[:, None] * [1, 0, 1, 0]) % 3
    for law in (laws.check_column_order, laws.check_value_names):
        law(learner, table.astype(str), labels, tol=1e-3)


def test_laws_have_no_estimator_left_out():
    kinds = {type(estimator) for estimator in ESTIMATORS}
    public = {nk.CPML, nk.CPMLClassifier, nk.CPMLClassifierCV}
    assert kinds == public | {*nk.baselines.all().values()}


SHARES_ALONE = [
    "euclidean", "hamming", "eskin", "of", "lin", "lin1", "smirnov", "burnaby",
    "anderberg", "gambaryan", "vdm", "association", "dilca", "gower", "ocl",
    "forest",
]  # fmt: skip


@pytest.mark.parametrize("name", nk.baselines.all())
def test_those_who_know_shares_alone_do_not_see_a_table_twice(name):
    if name in SHARES_ALONE:
        laws.check_duplicated_table(QUICK[name], X, y)
    else:
        with pytest.raises(AssertionError, match="given its table twice"):
            laws.check_duplicated_table(QUICK[name], X, y)


def alone(search, table, labels, row):
    """Return the class that a search predicts for the one row that it holds out."""
    others = np.delete(np.arange(len(labels)), row)
    search.set_params(cv=[(others, [row])]).fit(table, labels)
    return search.classes_[search.confusion_.sum(axis=0) > 0]


def of_others(model, table, labels, row):
    """Return the neighbours of a training row among the others, and their distance."""
    return model.fit(table, labels).kneighbors()[0][row]


def by_cross_fit(model, table, labels, row):
    """Return the histograms that a row's own label is left out of."""
    model.fit(table, labels)
    codes, numbers = (
        model.codebook_.encode(table),
        np.unique(labels, return_inverse=True)[1],
    )
    return model.projection_.transform_training(codes, numbers)[row]


HELD_OUT = {
    alone: nk.CPMLClassifierCV(
        [nk.CPML(max_iter=FEW, crosses="auto")], n_neighbors=3, weights="uniform"
    ),
    of_others: nk.CPMLClassifier("hamming"),
    by_cross_fit: nk.CPML(cross_fit=True, max_iter=2),
}


@pytest.mark.filterwarnings("ignore::nearkind.errors.FewHeldRowsWarning")
@pytest.mark.parametrize("held_out", HELD_OUT, ids=lambda f: f.__name__)
def test_what_a_model_says_of_its_own_rows_does_not_know_their_labels(held_out):
    laws.check_own_label(HELD_OUT[held_out], X, y, held_out=held_out, n_rows=6)


# --- that they can be broken ------------------------------------------------------


class Broken(BaseEstimator):
    """Distances between rows that know what they should not."""

    def __init__(self, know=None):
        self.know = know

    def fit(self, X, y, sample_weight=None):
        self.table = np.asarray(X)
        if self.know == "fits":  # it does not forget
            self.number = getattr(self, "number", 0.0) + (y == max(y)).mean()
        elif self.know == "input":
            X.iloc[0, 0] = "changed"
        elif self.know == "first row":
            self.number = float(y[0] == max(y))
        elif self.know == "names":
            self.number = float(max(map(str, self.table.ravel())) == "xl")
        elif self.know == "columns":
            self.number = float(len(set(map(str, self.table[:, 0]))))
        elif self.know == "weights":
            self.number = 0.0 if sample_weight is None else sample_weight.mean()
        return self

    def pairwise_distances(self, A, B):
        n = getattr(self, "number", 1.0)
        return np.full((len(A), len(B)), n)


BROKEN = {
    "weights": (laws.check_integer_weights, "rows repeated instead of weighted"),
    "first row": (laws.check_row_order, "its rows in another order"),
    "columns": (laws.check_column_order, "its columns in another order"),
    "names": (laws.check_value_names, "its values under other names"),
    "fits": (laws.check_own_label, "another label of row"),
    "input": (laws.check_input_unchanged, "changed the X"),
}


@pytest.mark.parametrize("know", BROKEN)
def test_a_broken_law_is_noticed(know):
    law, said = BROKEN[know]
    with pytest.raises(AssertionError, match=said):
        law(Broken(know), X.copy(), y)


def test_every_law_can_be_broken():
    assert [law for law, _ in BROKEN.values()] == LAWS


def test_what_is_not_ours_is_held_to_the_laws_too():
    text = X.fillna("none")
    names = DecisionTreeClassifier(max_depth=2, random_state=0)
    with pytest.raises(AssertionError, match="values under other names"):
        laws.check_value_names(make_pipeline(OrdinalEncoder(), names), text, y)
    indicators = OneHotEncoder(handle_unknown="ignore", sparse_output=False)
    for law in LAWS:
        law(make_pipeline(indicators, LogisticRegression(tol=1e-9)), text, y)
        law(DummyClassifier(), text, y)
    laws.check_row_order(indicators, text, y)  # a transformer
