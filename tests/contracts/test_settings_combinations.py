"""Every two values of public parameters meet: fitted, saved, loaded and exported."""

import json
import warnings
from itertools import combinations, product

import numpy as np
import pandas as pd
import pytest

import nearkind as nk
from helpers.covering import covering, least_covering
from helpers.model_files import assert_same, assert_same_answers, loaded, saved
from helpers.settings_tables import METRICS, REGRESSORS, TABLES, public_estimators

REFUSALS = (ValueError, TypeError)
"""What a combination that makes no sense may raise, in a sentence."""
QUICK = {"cpml": {"max_iter": 2}, "gb_lmnn": {"max_iter": 2}}


def small_table(has_gaps=True):
    """Return mixed columns (24, 4), labels and weights."""
    rng = np.random.default_rng(5)
    y = np.arange(24) % 3
    X = pd.DataFrame(
        {
            "a": np.array(["x", "y", "z"])[(y + (rng.random(24) < 0.3)) % 3],
            "b": np.array(["p", "q"])[(y + rng.integers(0, 2, 24)) % 2],
            "few": rng.integers(0, 3, 24),
            "höhe": np.round(rng.normal(3.0 * y, 2.0), 1),
        }
    )
    X["b"] = X["b"].astype(object)
    if has_gaps:
        X.loc[[2, 9], "b"] = None
        X.loc[[4], "höhe"] = np.nan
    return X, np.array(["ham", "egg", "jam"])[y], rng.integers(1, 4, 24).astype(float)


def metric_named(name):
    kind = nk.CPML if name == "cpml" else nk.baselines.all()[name]
    return kind(**QUICK.get(name, {}))


def check_sentence(error, where):
    text = str(error)
    is_sentence = len(text.split()) > 3 and text[0].isupper() and text[-1] in ".)"
    assert is_sentence, (where, text)


def fitted(kind, settings):
    """Return a fitted estimator, or None if the settings are refused in a sentence."""
    if settings.get("metric") in METRICS:
        settings = {**settings, "metric": metric_named(settings["metric"])}
    X, y, weights = small_table(has_gaps=settings.get("missing") != "error")
    if kind in REGRESSORS:
        y = 1.0 + X["few"].to_numpy() + (y == "ham") * weights
    model = kind(**settings)
    try:
        try:
            return model.fit(X, y, sample_weight=weights)
        except TypeError as error:
            if "sample_weight" not in str(error):
                raise
            return model.fit(X, y)
    except REFUSALS as error:
        check_sentence(error, settings)
        return None


def check_file(model):
    """What is loaded has the same settings and answers, and is the same file."""
    data = saved(model)
    again = loaded(data)
    assert saved(again) == data
    assert_same(model.get_params(deep=False), again.get_params(deep=False), "settings")
    X, y, _ = small_table(has_gaps=False)
    assert_same_answers(model, again, X, y)


def check_exports(model, folder):
    """Every export is written, or refused in a sentence."""
    for ending in ("json", "sql", "onnx"):
        try:
            (path,) = nk.export.write(model, folder / f"model.{ending}")
        except REFUSALS as error:
            check_sentence(error, ending)
        else:
            assert path.stat().st_size > 0
            if ending == "json":
                json.loads(path.read_text())


def check_combinations(kind, folder, strength, seed=0):
    settings = covering(TABLES[kind], strength, seed)
    accepted = 0
    for n, given in enumerate(settings):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                model = fitted(kind, given)
                if model is None:
                    continue
                accepted += 1
                check_file(model)
                if strength == 2 or n % 4 == 0:
                    check_exports(model, folder)
            except Exception as error:
                error.add_note(f"{kind.__name__}(**{given!r})")
                raise
    assert accepted, "every combination was refused"


@pytest.mark.parametrize("kind", TABLES, ids=lambda kind: kind.__name__)
def test_every_pair_of_values(kind, tmp_path):
    check_combinations(kind, tmp_path, 2)


@pytest.mark.slow
@pytest.mark.parametrize("kind", TABLES, ids=lambda kind: kind.__name__)
def test_every_three_values(kind, tmp_path):
    check_combinations(kind, tmp_path, 2 if kind is nk.CPML else 3, seed=1)


def test_no_parameter_is_forgotten():
    assert set(TABLES) == set(public_estimators())
    for kind, table in TABLES.items():
        assert set(table) == set(kind().get_params(deep=False)), kind.__name__


@pytest.mark.parametrize("strength", [2, 3])
def test_a_covering_array_covers(strength):
    values = {"a": [1, 2, 3], "b": ["x", "y"], "c": [None, True], "d": [[], {}, ()]}
    found = covering(values, strength)
    for names in combinations(values, strength):
        met = [[given[name] for name in names] for given in found]
        for wanted in product(*(values[name] for name in names)):
            assert list(wanted) in met
    assert len(found) < 3 * 2 * 2 * 3


@pytest.mark.parametrize("strength", [1, 2])
def test_a_few_of_a_product_cover_it(strength):
    sizes = {"a": 5, "b": 3, "c": 4}
    rows = [
        dict(zip(sizes, numbers, strict=True))
        for numbers in np.ndindex(*sizes.values())
    ]
    found = least_covering(rows, strength)
    assert len(found) == {1: 5, 2: 20}[strength]  # as few as there can be
    for names in combinations(sizes, strength):
        met = {tuple(rows[i][name] for name in names) for i in found}
        assert met == {*np.ndindex(*(sizes[name] for name in names))}
