"""Models of numbers as JSON, SQL and ONNX give the numbers that Python gives."""

import json
import sqlite3
from contextlib import closing

import duckdb
import numpy as np
import pandas as pd
import pytest

import nearkind as nk
from helpers.export_readers import json_numbers, onnx_numbers
from nearkind import export

SCALES = {"linear": True, "log": False, "quantile": True}
new_values = pytest.mark.filterwarnings("ignore::nearkind.errors.UnseenValueWarning")
every_scale = pytest.mark.parametrize("scale", SCALES)


def table(n=60):
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"make": rng.choice(list("abcd"), n), "size": rng.normal(size=n)})
    return X, np.exp(X["size"] + (X["make"] == "a"))


def fitted(scale):
    X, y = table()
    metric = nk.baselines.MLKR(numeric="scale", max_iter=3)
    model = nk.CPMLRegressor(metric, scale=scale, trend=SCALES[scale]).fit(X, y)
    new = pd.concat([X[:12], pd.DataFrame({"make": ["z", None], "size": [9.0, None]})])
    return model, new.reset_index(drop=True)


@new_values
@every_scale
def test_numbers_by_duckdb_and_sqlite(scale, tmp_path):
    model, X = fitted(scale)
    frame = X.assign(id=np.arange(len(X)))
    asked = "SELECT number FROM model_numbers ORDER BY key"
    wanted = pytest.approx(model.predict(X), rel=1e-6)
    (path,) = export.write(model, tmp_path / "model.sql")
    with duckdb.connect() as base:
        base.register("given", frame)
        base.execute("CREATE TABLE new_rows AS SELECT * FROM given")
        base.execute(path.read_text("utf-8"))
        assert [number for (number,) in base.execute(asked).fetchall()] == wanted
    (path,) = export.write(model, tmp_path / "model.sql", dialect="sqlite")
    with closing(sqlite3.connect(":memory:")) as base:
        frame.to_sql("new_rows", base, index=False)
        base.executescript(path.read_text("utf-8"))
        assert [number for (number,) in base.execute(asked).fetchall()] == wanted


@new_values
@every_scale
def test_numbers_by_json(scale, tmp_path):
    model, X = fitted(scale)
    (path,) = export.write(model, tmp_path / "model.json")
    found = json_numbers(json.loads(path.read_text("utf-8")), X)
    assert found == pytest.approx(model.predict(X), rel=1e-6)


@new_values
@every_scale
def test_numbers_by_onnx(scale, tmp_path):
    model, X = fitted(scale)
    (path,) = export.write(model, tmp_path / "model.onnx")
    assert onnx_numbers(path, X) == pytest.approx(model.predict(X), rel=1e-6)


def test_several_voters_count_alike(tmp_path):
    X, y = table()
    model = nk.CPMLRegressorCV(["euclidean", "hamming"], cv=2).fit(X, y)
    (path,) = export.write(model, tmp_path / "model.onnx")
    assert onnx_numbers(path, X) == pytest.approx(model.predict(X), rel=1e-6)
    (path,) = export.write(model, tmp_path / "model.json")
    found = json_numbers(json.loads(path.read_text("utf-8")), X)
    assert found == pytest.approx(model.predict(X), rel=1e-6)


def test_csv_is_refused(tmp_path):
    with pytest.raises(ValueError, match="json, sql, onnx, but not to csv"):
        export.write(fitted("linear")[0], tmp_path / "model", "csv")
    assert list(tmp_path.iterdir()) == []
