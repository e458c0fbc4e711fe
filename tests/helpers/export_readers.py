"""Every export read by a program that does not have nearkind.

Each reader takes a fitted model, a data frame and a folder, and returns vectors,
probabilities and labels, the last two None for a distance.
"""

import csv
import json
import os
import subprocess
from bisect import bisect_right
from typing import NamedTuple

import duckdb
import numpy as np
import onnxruntime
import pandas as pd

from nearkind import export

POSTGRES = os.environ.get("NEARKIND_POSTGRES")
"""What psql calls a database in which a schema may be made and dropped."""


def by_json(model, X, folder):
    (path,) = export.write(model, folder / "model.json", "json")
    tree = json.loads(path.read_text("utf-8"))
    rows = X.astype(object).where(X.notna(), None).to_dict("records")
    U = np.array([_json_vector(tree, row) for row in rows])
    voting = tree["classifier"]
    if voting is None:
        return U, None, None
    P = _json_shares(voting, U)
    return U, P, _labels(voting["classes"], P)


def _json_vector(tree, row):
    total, places = np.zeros(tree["size"]), []
    for feature in tree["features"]:
        if "pairs" in feature:
            pair = [places[part] for part in feature["parts"]]
            is_known = pair in feature["pairs"]
            places.append(feature["pairs"].index(pair) if is_known else -1)
        else:
            places.append(_json_place(feature, row[feature["name"]]))
        total += feature["vectors"][places[-1]]
    return total


def _json_place(feature, x):
    if x is None:
        return feature["missing"]
    if "edges" in feature:
        return bisect_right(feature["edges"], x)
    return feature["values"].index(x) if x in feature["values"] else -1


def _json_shares(voting, U):
    rows = {name: np.array(column) for name, column in voting["rows"].items()}
    how = voting["n_neighbors"], voting["weights"], voting["tie"]
    return _shares(U, rows["vectors"], rows["count"], rows["shares"], *how)


def _shares(U, V, counts, shares, *how):
    distances = (np.linalg.norm(V - u, axis=1) for u in U)
    return np.array([vote(d, counts, shares, *how) for d in distances])


def vote(d, count, shares, k, weights, tie):
    """Return the share of each class, slowly: the k-th row, then who is as near."""
    order = np.argsort(d)
    kth = d[order][np.cumsum(count[order]) >= k * (1 - 1e-12)][0]
    near, tied = d < kth - tie * d.max(), abs(d - kth) <= tie * d.max()
    left = k - count[near].sum()
    votes = count * (near + tied * left / count[tied].sum())
    if weights == "distance":
        votes = votes * (d == 0) if (d == 0).any() else votes / d
    return votes @ shares / votes.sum()


def _labels(classes, P):
    best = P.max(axis=1, keepdims=True) - 1e-9 <= P
    return [classes[i] for i in best.argmax(axis=1)]


def by_csv(model, X, folder):
    path, *rows = export.write(model, folder / "model.csv", "csv")
    table = _csv(path)
    size = sum(name.startswith("v") for name in table[0]) - 1
    U, places = np.zeros((len(X), size)), {}
    for name in dict.fromkeys(entry["feature"] for entry in table):
        entries = [entry for entry in table if entry["feature"] == name]
        vectors = np.array([[e[f"v{a}"] for a in range(size)] for e in entries], float)
        if name in X:
            places[name] = [_csv_place(entries, x) for x in X[name]]
        else:
            parts = (places[part] for part in _csv_parts(name, X))
            pairs = [f"{a} {b}" for a, b in zip(*parts, strict=True)]
            known = [entry["value"] for entry in entries]
            places[name] = [known.index(p) if p in known else -1 for p in pairs]
        U += vectors[places[name]]
    if not rows:
        return U, None, None
    kept = _csv(rows[0])
    columns = {name: np.array([row[name] for row in kept]) for name in kept[0]}
    V = np.column_stack([columns[f"v{a}"] for a in range(size)]).astype(float)
    classes = [name for name in columns if name.startswith("class ")]
    shares = np.column_stack([columns[name] for name in classes]).astype(float)
    counts = columns["count"].astype(float)
    k = min(model.n_neighbors, counts.sum())
    P = _shares(U, V, counts, shares, k, model.weights, 1e-7)
    return U, P, _labels(model.classes_.tolist(), P)


def _csv_parts(name, X):
    """Return the two columns whose names a cross has."""
    return next((a, b) for a in X for b in X if f"{a} x {b}" == name)


def _csv(path):
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def _csv_place(entries, x):
    kinds = [entry["kind"] for entry in entries]
    if pd.isna(x):
        return kinds.index("missing") if "missing" in kinds else -1
    if "from" in kinds:
        edges = [float(e["value"]) for e in entries if e["kind"] == "from"]
        return bisect_right(edges, x) - 1
    return next((i for i, e in enumerate(entries) if _csv_is(e, x)), -1)


def _csv_is(entry, x):
    if isinstance(x, str):
        return entry["kind"] == "text" and entry["value"] == x
    if entry["kind"] == "boolean":
        return x == (entry["value"] == "true")
    return entry["kind"] == "number" and float(entry["value"]) == x


def by_duckdb(model, X, folder):
    (path,) = export.write(model, folder / "model.sql", "sql", key="the key")
    base = duckdb.connect(config={"threads": 1})
    frame = X.assign(**{"the key": np.arange(len(X))})
    base.register("given", frame.astype(_duckdb_types(frame)))
    base.execute("CREATE TABLE new_rows AS SELECT * FROM given")
    base.execute(path.read_text("utf-8"))

    def ask(what):
        found = base.execute(f"SELECT * FROM {what}")
        return pd.DataFrame(found.fetchall(), columns=[d[0] for d in found.description])

    return _from_views(model, ask, len(X))


def _duckdb_types(frame):
    """Return types that keep whole numbers, booleans and text beside gaps."""
    kinds = {"bigint": "Int64", "boolean": "boolean", "double precision": "float64"}
    return {name: kinds.get(_column_type(frame[name]), "string") for name in frame}


def _from_views(model, ask, n_rows):
    vectors = ask("nearkind_vectors").set_index("key").loc[range(n_rows)]
    if not hasattr(model, "predict"):
        return vectors.to_numpy(), None, None
    long = ask("nearkind_probabilities")
    P = np.zeros((n_rows, len(model.classes_)))
    P[long["key"], long["class"]] = long["probability"]
    labels = ask("nearkind_classes").set_index("key").loc[range(n_rows), "label"]
    return vectors.to_numpy(), P, labels.tolist()


def by_postgres(model, X, folder):
    """Load with psql, in a schema of its own; tables come back as CSV."""
    options = {"dialect": "postgres", "key": "the key", "table": "nk_test.new_rows"}
    (path,) = export.write(model, folder / "model.sql", "sql", **options)
    frame = X.assign(**{"the key": np.arange(len(X))})
    frame.to_csv(folder / "rows.csv", index=False, na_rep="\\N")
    columns = ", ".join(
        f'"{name.replace(chr(34), chr(34) * 2)}" {_column_type(frame[name])}'
        for name in frame
    )
    _psql(
        "DROP SCHEMA IF EXISTS nk_test CASCADE; CREATE SCHEMA nk_test;"
        f"SET search_path = nk_test; CREATE TABLE new_rows ({columns});"
        f"\n\\copy new_rows FROM '{folder}/rows.csv' (FORMAT csv, HEADER, NULL '\\N')\n"
        "ANALYZE;"
        f"\\i {path}\n"
    )

    def ask(what):
        text = f"\\copy (SELECT * FROM nk_test.{what}) TO '{folder}/out.csv' CSV HEADER"
        _psql(text)
        flags = {"true_values": ["t"], "false_values": ["f"]}
        return pd.read_csv(folder / "out.csv", keep_default_na=False, **flags)

    return _from_views(model, ask, len(X))


def _psql(text):
    command = ["psql", POSTGRES, "-q", "-v", "ON_ERROR_STOP=1"]
    subprocess.run(command, input=text, text=True, check=True, capture_output=True)


def _column_type(column):
    kinds = {type(cell) for cell in column.dropna()}
    if kinds <= {bool, np.bool_}:
        return "boolean"
    if kinds <= {int, np.int64}:
        return "bigint"
    return "double precision" if kinds <= {float, int} else "text"


def by_onnx(model, X, folder):
    (path,) = export.write(model, folder / "model.onnx", "onnx")
    session = _session(path)
    about = json.loads(session.get_modelmeta().custom_metadata_map["nearkind"])
    feed = {
        asked["name"]: _tensor(X[name], asked)
        for name, asked in zip(X, about["inputs"], strict=True)
    }
    return _run(session, feed)


def _tensor(column, asked):
    if asked["kind"] == "number":
        return column.to_numpy(float, na_value=np.nan)
    cells = column.astype(object)
    return cells.where(cells.notna(), asked["missing"]).to_numpy(object)


def by_onnx_codes(model, X, folder):
    (path,) = export.write(model, folder / "model.onnx", "onnx", inputs="codes")
    codes = model.codebook_.encode(X).astype(np.int64)
    return _run(_session(path), {"codes": codes})


def _session(path):
    return onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])


def _run(session, feed):
    U, *rest = session.run(None, feed)
    P, labels = rest or (None, None)
    return U, P, None if labels is None else labels.tolist()


READERS = {
    "json": by_json,
    "csv": by_csv,
    "duckdb": by_duckdb,
    "onnx": by_onnx,
    "onnx codes": by_onnx_codes,
}
if POSTGRES:
    READERS["postgres"] = by_postgres


def expected(model, X):
    """Return what Python says."""
    if not hasattr(model, "predict"):
        return model.transform(X), None, None
    U = model.metric_.transform(X)
    return U, model.predict_proba(X), model.predict(X).tolist()


class Differences(NamedTuple):
    """How far an export is from Python."""

    vectors: float
    probabilities: float
    labels: int  # where the two best probabilities are apart
    tied_labels: int  # where they are not


def differences(found, wanted):
    """Return the largest of numbers, and how many labels differ."""
    (U, P, labels), (U_wanted, P_wanted, labels_wanted) = found, wanted
    vectors = abs(U - U_wanted).max()
    if P_wanted is None:
        return Differences(vectors, 0.0, 0, 0)
    best = np.sort(P_wanted, axis=1)[:, -2:]
    is_tied = best[:, 1] - best[:, 0] < 1e-6
    is_other = np.array([a != b for a, b in zip(labels, labels_wanted, strict=True)])
    n_other, n_tied = (is_other & ~is_tied).sum(), (is_other & is_tied).sum()
    return Differences(vectors, abs(P - P_wanted).max(), int(n_other), int(n_tied))


def assert_equal(found, wanted):
    """Hold an export to Python's answers; where classes tie, to their probabilities."""
    apart = differences(found, wanted)
    assert apart.vectors < 1e-5
    assert apart.probabilities < 1e-5
    assert apart.labels == 0
