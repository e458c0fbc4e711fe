"""The nearest change: valid always, the fewest and nearest against full enumeration."""

from dataclasses import replace
from itertools import product

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.frozen import FrozenEstimator

import nearkind as nk
from nearkind.encoding import Bins
from nearkind.tasks.change import Change

pytestmark = pytest.mark.filterwarnings(
    "ignore::sklearn.exceptions.ConvergenceWarning",
    "ignore::nearkind.errors.UnseenValueWarning",
    "ignore::nearkind.errors.NearlyUniqueWarning",
)
QUICK = [
    "hamming", "eskin", "lin", "goodall3", "of", "vdm", "euclidean", "discriminant",
    "dilca", "association",
]  # fmt: skip


def soft_neighbors(**more):
    metric = nk.CPML(constraints="neighbors", projection="onehot", max_iter=8, **more)
    return nk.CPMLClassifier(metric, weights="soft")


def committee(X, y, before, *classifiers):
    """Return a committee in which others vote."""
    voters = (each.fit(X, y).committee_.voters[0] for each in classifiers)
    return replace(before, voters=tuple(voters))


def enumerated(model, row, to=None, fixed=()):
    """Return the least number of changes and distance: all rows, one by one."""
    values = [
        [old] if name in fixed else model.categories_[name] for name, old in row.items()
    ]
    rows = [dict(zip(row, cells, strict=True)) for cells in product(*values)]
    said, before = model.predict(rows), model.predict([row])[0]
    wins = said != before if to is None else said == to
    n_changes = np.array([sum(r[n] != row[n] for n in row) for r in rows])
    if not wins.any():
        return None, None
    fewest = int(n_changes[wins].min())
    kept = [r for r, ok in zip(rows, wins & (n_changes == fewest), strict=True) if ok]
    distance = model.distance_
    here = distance.represent(distance.encode([row]))
    there = distance.represent(distance.encode(kept))
    return fewest, float(distance.compare(here, there).min())


def assert_is_fewest(model, row, **settings):
    change = nk.nearest_change(model, row, **settings)
    fewest, distance = enumerated(model, row, **settings)
    assert change.proven, change
    assert change.n_changes == fewest, change
    assert change.found == (fewest is not None)
    if fewest is not None:
        assert change.distance == pytest.approx(distance, rel=1e-6, abs=1e-9)
        assert_is_valid(model, row, change, **settings)


def assert_is_valid(model, row, change, to=None, fixed=()):
    """The changed row has the class, and differs where it says so."""
    assert model.predict([change.row])[0] == change.predicted
    assert (
        change.predicted == to if to is not None else change.predicted != change.before
    )
    p = model.predict_proba([change.row])[0]
    assert change.probability == pytest.approx(p.max(), abs=1e-6)
    different = [name for name in row if not same(change.row[name], row[name])]
    assert sorted(different) == sorted(change.changes["column"])
    assert not set(different) & set(fixed)
    assert change.n_changes == len(different)


def same(a, b):
    return a == b or (a is None and b is None) or (a != a and b != b)


def small_table(seed, n_rows=40, sizes=(3, 2, 3, 2), n_classes=3):
    rng = np.random.default_rng(seed)
    cells = [rng.integers(0, size, n_rows).astype(str) for size in sizes]
    X = pd.DataFrame({name: c for name, c in zip("abcd", cells, strict=False)})
    y = (
        cells[0].astype(int) + cells[2].astype(int) * (rng.random(n_rows) < 0.8)
    ) % n_classes
    return X, np.array(["no", "maybe", "yes"])[y]


MODELS = {
    "overlap": lambda: nk.CPMLClassifier("hamming", weights="soft"),
    "cold overlap": lambda: nk.CPMLClassifier(
        "hamming", n_neighbors=5, weights="soft", temperature=1e-4
    ),
    "vectors": lambda: soft_neighbors(structure="full"),
    "cold vectors": lambda: nk.CPMLClassifier(
        "euclidean", n_neighbors=5, weights="soft", temperature=1e-5
    ),
    "k votes": lambda: nk.CPMLClassifier(nk.CPML(max_iter=20), n_neighbors=3),
    "by distance": lambda: nk.CPMLClassifier("lin", n_neighbors=5, weights="distance"),
    "crosses": lambda: soft_neighbors(crosses=[("a", "c")]),
    "multi": lambda: nk.CPMLClassifier(
        nk.CPML(structure="multi", max_iter=20), n_neighbors=1
    ),
}


@pytest.mark.parametrize("kind", MODELS)
def test_it_is_the_best_of_all_rows(kind):
    X, y = small_table(0)
    model = MODELS[kind]().fit(X, y)
    for i in range(4):
        row = X.iloc[i].to_dict()
        assert_is_fewest(model, row)
        assert_is_fewest(model, row, fixed=["c"])
        other = next(c for c in model.classes_ if c != model.predict([row])[0])
        assert_is_fewest(model, row, to=other)


@pytest.mark.parametrize("calibrate", [True, False])
def test_it_is_the_best_of_all_rows_by_several_votes(calibrate):
    X, y = small_table(1)
    model = nk.CPMLClassifierCV(["hamming"], cv=2, calibrate=calibrate).fit(X, y)
    voters = soft_neighbors(), nk.CPMLClassifier("hamming", weights="soft")
    model.committee_ = committee(X, y, model.committee_, *voters)
    for i in range(6):
        row = X.iloc[i].to_dict()
        for wish in ({}, {"to": "yes"}, {"to": "no", "fixed": ["a"]}):
            if model.predict([row])[0] != wish.get("to"):
                assert_is_fewest(model, row, **wish)


@given(st.integers(0, 10**6), st.sampled_from(["overlap", "vectors", "k votes"]))
def test_it_is_the_best_of_all_rows_of_any_table(seed, kind):
    X, y = small_table(seed, n_rows=25, sizes=(3, 2, 4))
    if len(set(y)) > 1:
        assert_is_fewest(MODELS[kind]().fit(X, y), X.iloc[0].to_dict())


@pytest.mark.parametrize("name", ["monks1", "monks2", "balance", "tic_tac_toe"])
def test_it_is_the_best_of_all_rows_of_real_tables(name):
    data = nk.datasets.load(name)
    X, y = data.X.iloc[::3], np.asarray(data.y)[::3]
    model = nk.CPMLClassifier("hamming", weights="soft").fit(X, y)
    for i in (0, 50, 100):
        assert_is_fewest(model, data.X.iloc[i].to_dict())


@pytest.mark.parametrize("name", QUICK)
@pytest.mark.parametrize("weights", ["uniform", "soft"])
def test_it_is_valid_for_every_distance(name, weights):
    data = nk.datasets.load("balance")
    model = nk.CPMLClassifier(name, n_neighbors=5, weights=weights).fit(
        data.X.iloc[::2], data.y[::2]
    )
    for i in range(0, 600, 97):
        row = data.X.iloc[i].to_dict()
        change = nk.nearest_change(model, row, to="L")
        if change.before != "L":
            assert_is_valid(model, row, change, to="L")


@pytest.mark.parametrize("kind", ["overlap", "vectors", "k votes"])
def test_few_trials_leave_it_to_rules_of_thumb(kind):
    X, y = small_table(2, n_rows=60)
    model = MODELS[kind]().fit(X, y)
    for i in range(5):
        row = X.iloc[i].to_dict()
        fewest, _ = enumerated(model, row)
        change = nk.nearest_change(model, row, max_trials=1)
        assert_is_valid(model, row, change)
        assert change.at_least == 1
        assert not change.proven
        assert fewest <= change.n_changes
        assert change.reason.startswith("Not proven")


def numbers_table(n_rows=120):
    rng = np.random.default_rng(3)
    X = pd.DataFrame(
        {
            "age": rng.integers(18, 80, n_rows),
            "income": rng.normal(30.0, 10.0, n_rows).round(1),
            "job": rng.choice(["a", "b", None], n_rows),
        }
    )
    return X, np.where(X["age"] + X["income"] > 80.0, "old", "young")


@pytest.mark.parametrize("numeric", ["auto", "category", "scale"])
def test_numbers_change_to_ranges_or_to_values_that_occur(numeric):
    X, y = numbers_table()
    model = nk.CPMLClassifier(nk.CPML(numeric=numeric, max_iter=20), n_neighbors=3).fit(
        X, y
    )
    for i in range(5):
        row = X.iloc[i].to_dict()
        change = nk.nearest_change(model, row)
        assert_is_valid(model, row, change)
        for name, new in zip(
            change.changes["column"], change.changes["to"], strict=True
        ):
            feature = model.codebook_.features_[[*X].index(name)]
            if isinstance(feature, Bins):
                assert new in feature.values
                assert feature.values[feature.code(change.row[name])] == new


def test_members_that_cut_numbers_otherwise_agree_on_the_row():
    X, y = numbers_table()
    model = nk.CPMLClassifierCV(["hamming"], cv=2).fit(X, y)
    model.committee_ = committee(
        X, y, model.committee_,
        nk.CPMLClassifier(nk.CPML(max_iter=9), n_neighbors=3),
        nk.CPMLClassifier(nk.baselines.Hamming(numeric="category"), n_neighbors=3),
    )  # fmt: skip
    for i in range(4):
        row = X.iloc[i].to_dict()
        assert_is_valid(model, row, nk.nearest_change(model, row, max_trials=3_000))


def test_only_allowed_values_are_taken():
    X, y = numbers_table()
    model = nk.CPMLClassifier("vdm", n_neighbors=3).fit(X, y)
    row = {"age": 20, "income": 20.0, "job": "a"}
    change = nk.nearest_change(model, row, fixed="job", allowed={"age": [21, 44, 79]})
    assert_is_valid(model, row, change)
    assert change.row["age"] in (20, 21, 44, 79)
    assert change.row["job"] == "a"


def test_the_row_comes_back_as_it_was_given():
    data = nk.datasets.load("monks1")
    model = nk.CPMLClassifier("hamming", n_neighbors=1).fit(data.X, data.y)
    frame = data.X.iloc[[0]]
    change = nk.nearest_change(model, frame)
    assert isinstance(change.row, pd.DataFrame)
    assert [*change.row] == [*frame]
    rows = (
        frame.iloc[0], frame.iloc[0].to_dict(), frame.iloc[0].tolist(),
        frame.iloc[0].to_numpy(), frame.to_numpy(), [frame.iloc[0].to_dict()],
    )  # fmt: skip
    for row in rows:
        before = str(row)
        found = nk.nearest_change(model, row)
        assert type(found.row) is type(row)
        assert str(row) == before
        assert found.to_dict() == change.to_dict()
        holds_rows = getattr(row, "ndim", 1) == 2 or row is rows[-1]
        table = found.row if holds_rows else [found.row]
        assert model.predict(table)[0] == change.predicted


def test_polars_in_polars_out():
    pl = pytest.importorskip("polars")
    X, y = small_table(0)
    model = MODELS["overlap"]().fit(pl.DataFrame(X.to_dict("list")), y)
    change = nk.nearest_change(
        model, pl.DataFrame({k: [v] for k, v in X.iloc[0].items()})
    )
    assert isinstance(change.row, pl.DataFrame)
    assert isinstance(change.changes, pl.DataFrame)


def test_arrays_have_columns_by_place():
    X, y = small_table(0)
    model = MODELS["overlap"]().fit(X.to_numpy(), y)
    change = nk.nearest_change(model, X.to_numpy()[0], fixed=["x0"])
    assert change.row[0] == X.iloc[0, 0]
    assert set(change.changes["column"]) <= {"x1", "x2", "x3"}


def test_order_of_rows_and_columns_does_not_matter():
    X, y = small_table(4)
    other = X.iloc[::-1, ::-1]
    for kind in ("overlap", "vectors"):
        a = nk.nearest_change(MODELS[kind]().fit(X, y), X.iloc[0].to_dict())
        b = nk.nearest_change(MODELS[kind]().fit(other, y[::-1]), X.iloc[0].to_dict())
        assert a.n_changes == b.n_changes
        assert a.distance == pytest.approx(b.distance, rel=1e-5)
        assert a.probability == pytest.approx(b.probability, abs=1e-5)


def test_what_cannot_change_is_said():
    X, y = small_table(0)
    model = MODELS["overlap"]().fit(X, y)
    row = X.iloc[0].to_dict()
    before = model.predict([row])[0]
    same_class = nk.nearest_change(model, row, to=before)
    assert same_class.n_changes == 0
    assert same_class.row == row
    assert same_class.proven
    assert "as it is" in repr(same_class)
    stays = nk.nearest_change(model, row, fixed=[*X])
    assert not stays.found
    assert stays.proven
    assert stays.row is None
    assert "No column that may change" in repr(stays)
    one_class = nk.CPMLClassifier("hamming", n_neighbors=40).fit(X, y)
    nowhere = nk.nearest_change(one_class, row, fixed=["a"])
    assert not nowhere.found
    assert nowhere.proven
    assert nowhere.to_dict()["n_changes"] is None
    assert "does not predict another class" in nowhere.reason


def test_an_unseen_value_of_the_row_may_stay_or_change():
    X, y = small_table(0)
    model = MODELS["overlap"]().fit(X, y)
    row = {**X.iloc[0].to_dict(), "b": "strange"}
    change = nk.nearest_change(model, row)
    assert_is_valid(model, row, change)


def test_bad_input_is_refused():
    X, y = small_table(0)
    model = MODELS["overlap"]().fit(X, y)
    row = X.iloc[0].to_dict()
    with pytest.raises(ValueError, match=r"no class 'Yes'. Did you mean 'yes'"):
        nk.nearest_change(model, row, to="Yes")
    with pytest.raises(ValueError, match=r"fixed names 'A'.*Did you mean 'a'"):
        nk.nearest_change(model, row, fixed=["A"])
    with pytest.raises(ValueError, match="allowed names 'z'"):
        nk.nearest_change(model, row, allowed={"z": ["1"]})
    with pytest.raises(ValueError, match="allowed has '9' for column 'a'"):
        nk.nearest_change(model, row, allowed={"a": ["9"]})
    with pytest.raises(ValueError, match="max_trials"):
        nk.nearest_change(model, row, max_trials=0)
    with pytest.raises(TypeError, match="got Hamming"):
        nk.nearest_change(nk.baselines.Hamming().fit(X), row)
    with pytest.raises(ValueError, match="Expected one row"):
        nk.nearest_change(model, X)
    with pytest.raises(ValueError, match="not fitted"):
        nk.nearest_change(nk.CPMLClassifier(), row)


def test_a_frozen_model_is_taken():
    X, y = small_table(0)
    model = FrozenEstimator(MODELS["overlap"]().fit(X, y))
    assert isinstance(nk.nearest_change(model, X.iloc[0]), Change)
