"""Every export read by a program that does not have nearkind.

Each reader takes a fitted model, a data frame and a folder, and returns the vectors of
the first member, probabilities and labels; None for what there is not. Numbers that a
regressor predicts are one column (n, 1), without labels.
"""

import csv
import json
import sqlite3
from bisect import bisect_right
from contextlib import closing
from typing import NamedTuple

import duckdb
import numpy as np
import onnxruntime
import pandas as pd

from helpers.postgres_server import psql
from nearkind import export
from nearkind.model_view import ModelView

LEAST_EXPONENT = -103.9


def by_json(model, X, folder):
    (path,) = export.write(model, folder / "model.json", "json")
    tree = json.loads(path.read_text("utf-8"))
    rows = X.astype(object).where(X.notna(), None).to_dict("records")
    members = [_json_member(member, rows) for member in tree["members"]]
    U = members[0][0]
    if "numbers" in tree:
        return U, json_numbers(tree, X)[:, None], []
    if tree["classes"] is None:
        return U, None, None
    P = np.average(
        [shares for _, shares in members], axis=0, weights=tree.get("weights")
    )
    if tree["calibration"]:
        P = calibrated(P, **tree["calibration"])
    return U, P, _labels(tree["classes"], P)


def json_numbers(tree, X):
    """Return the numbers that the JSON of a regressor gives rows."""
    rows = X.astype(object).where(X.notna(), None).to_dict("records")
    means = []
    for member in tree["members"]:
        mean = _json_member(member, rows)[1] @ member["knots"]
        for at, row in enumerate(rows):
            coded = zip(
                member["features"], _json_codes(member["features"], row), strict=True
            )
            mean[at] += sum(f["trend"][code] for f, code in coded if "trend" in f)
        means.append(mean)
    how = tree["numbers"]
    t = np.clip(np.mean(means, axis=0), how["low"], how["high"])
    return {
        "linear": lambda: t * how["unit"] + how["centre"],
        "log": lambda: np.exp(t) - how["shift"],
        "quantile": lambda: np.interp(t, how["scores"], how["numbers"]),
    }[how["scale"]]()


def _json_member(member, rows):
    """Return vectors and shares of the classes."""
    features, votes = member["features"], member["votes"]
    codes = np.array([_json_codes(features, row) for row in rows])
    name = "vectors" if member["size"] is not None else "distances"
    tables = [np.array(feature[name]) for feature in features]
    U = _sum_of_vectors(tables, codes) if name == "vectors" else None
    if votes is None:
        return U, None
    kept = {name: np.array(column) for name, column in votes["rows"].items()}
    if U is None:
        distances = _distances_by_tables(tables, codes, kept["codes"])
        ties = votes["tie"] * distances.max(axis=1)
    else:
        V = _sum_of_vectors(tables, kept["codes"])
        distances = np.array([np.linalg.norm(V - u, axis=1) for u in U])
        from_centre = np.linalg.norm(U - votes["centre"], axis=1)
        ties = votes["tie"] * (from_centre + votes["radius"])
    how = votes["weights"], votes["n_neighbors"], votes["temperature"]
    pairs = zip(distances, ties, strict=True)
    P = [vote(d, tie, kept["count"], kept["shares"], *how) for d, tie in pairs]
    return U, np.array(P)


def _json_codes(features, row):
    codes = []
    for feature in features:
        if "parts" in feature:
            pair = [codes[part] for part in feature["parts"]]
            pairs = feature["pairs"]
            codes.append(pairs.index(pair) if pair in pairs else len(pairs))
        else:
            codes.append(_json_code(feature, row[feature["name"]]))
    return codes


def _json_code(feature, x):
    if x is None:
        return feature["missing"]
    if "edges" in feature:
        return bisect_right(feature["edges"], x)
    unseen = len(feature.get("vectors") or feature["distances"]) - 1
    return feature["values"].index(x) if x in feature["values"] else unseen


def _sum_of_vectors(tables, codes):
    return sum(table[code] for table, code in zip(tables, codes.T, strict=True))


def _distances_by_tables(tables, a, b):
    columns = zip(tables, a.T, b.T, strict=True)
    return sum(table[x][:, y] for table, x, y in columns)


def vote(d, tie, count, shares, weights, k, temperature):
    """Return the share of each class, slowly: the k-th row, then who is as near."""
    if weights == "soft":
        beyond = d - d.min()
        if temperature < 1e-9 * (tie / 1e-7) ** 2:
            beyond[beyond <= tie] = 0.0
        x = -beyond * (d.min() + d) / temperature
        votes = count * np.where(x > LEAST_EXPONENT, np.exp(x), 0.0)
        return votes @ shares / votes.sum()
    order = np.argsort(d)
    kth = d[order][np.cumsum(count[order]) >= k * (1 - 1e-12)][0]
    near, tied = d < kth - tie, (d >= kth - tie) & (d <= kth + tie)
    left = k - count[near].sum()
    votes = count * (near + tied * left / count[tied].sum())
    if weights == "distance":
        votes = votes * (d == 0) if (d == 0).any() else votes / d
    return votes @ shares / votes.sum()


def calibrated(shares, sharpness, prior_share, prior):
    """Return probabilities from the mean shares of members."""
    power = shares**sharpness
    sharp = power / power.sum(axis=1, keepdims=True)
    return (1 - prior_share) * sharp + prior_share * np.array(prior)


def _labels(classes, P):
    best = P.max(axis=1, keepdims=True) - 1e-9 <= P
    return [classes[i] for i in best.argmax(axis=1)]


def by_csv(model, X, folder):
    """Read the tables of each member; how rows vote is not in them."""
    paths = {path.name for path in export.write(model, folder / "model.csv", "csv")}
    view, shares = ModelView(model), []
    voters = view.committee.voters if view.committee else [None]
    for number, voter in enumerate(voters, start=1):
        stem = "model" if len(voters) == 1 else f"model.{number}"
        book = (voter or view).distance.codebook
        table = _csv(folder / f"{stem}.csv")
        features = list(dict.fromkeys(line["feature"] for line in table))
        entries = [[x for x in table if x["feature"] == name] for name in features]
        codes = _csv_codes(features, entries, X, book)
        is_embedded = f"{stem}.distances.csv" not in paths
        if is_embedded:
            tables = [_csv_vectors(lines) for lines in entries]
            found = _sum_of_vectors(tables, codes)
            U = found if number == 1 else U  # noqa: F821
        elif number == 1:
            U = None
        if voter is None:
            return U, None, None
        kept = _csv(folder / f"{stem}.rows.csv")
        rows = np.array([[line[f"code {name}"] for name in features] for line in kept])
        rows = rows.astype(int)
        if is_embedded:
            V = _csv_vectors(kept)
            distances = np.array([np.linalg.norm(V - u, axis=1) for u in found])
            centre = V.mean(axis=0)
            radius = np.linalg.norm(V - centre, axis=1).max()
            ties = 1e-7 * (np.linalg.norm(found - centre, axis=1) + radius)
        else:
            lines = _csv(folder / f"{stem}.distances.csv")
            tables = [_csv_square(lines, name) for name in features]
            distances = _distances_by_tables(tables, codes, rows)
            ties = 1e-7 * distances.max(axis=1)
        counts = np.array([float(line["count"]) for line in kept])
        named = [name for name in kept[0] if name.startswith("class ")]
        of = np.array([[float(line[name]) for name in named] for line in kept])
        k = min(voter.rule.n_neighbors, counts.sum())
        temperature = voter.rule.temperature if voter.is_soft else None
        how = "soft" if voter.is_soft else voter.rule.weights, k, temperature
        pairs = zip(distances, ties, strict=True)
        shares.append(np.array([vote(d, tie, counts, of, *how) for d, tie in pairs]))
    P = np.average(shares, axis=0, weights=view.committee.weights)
    known = view.committee.calibration
    if known is not None:
        P = calibrated(P, known.sharpness, known.prior_share, known.prior)
    return U, P, _labels(model.classes_.tolist(), P)


def _csv_codes(features, entries, X, book):
    columns = {}
    for d, (name, lines) in enumerate(zip(features, entries, strict=True)):
        if lines[0]["kind"] == "pair":
            parts = book.crosses_[d - len(book.features_)].parts
            pairs = zip(*(columns[features[part]] for part in parts), strict=True)
            texts = [f"{a} {b}" for a, b in pairs]
            known = [line["value"] for line in lines[:-1]]
            found = [known.index(x) if x in known else len(known) for x in texts]
        else:
            found = [_csv_place(lines, x) % len(lines) for x in X[name]]
        columns[name] = found
    return np.array(list(columns.values())).T


def _csv_vectors(lines):
    axes = [name for name in lines[0] if name[0] == "v" and name[1:].isdigit()]
    return np.array([[line[axis] for axis in axes] for line in lines], float)


def _csv_square(lines, name):
    mine = [float(line["distance"]) for line in lines if line["feature"] == name]
    size = int(np.sqrt(len(mine)))
    return np.reshape(mine, (size, size))


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


NAME = 'it\'s "m"; --\n🙂'
"""Word with which tables begin: one that must be quoted."""


def quoted(name):
    """Return a name as SQL has it."""
    return '"' + name.replace('"', '""') + '"'


def by_duckdb(model, X, folder):
    options = {"key": "the key", "name": NAME}
    (path,) = export.write(model, folder / "model.sql", "sql", **options)
    frame = X.assign(**{"the key": np.arange(len(X))})
    with duckdb.connect(config={"threads": 1}) as base:
        base.register("given", frame.astype(_duckdb_types(frame)))
        base.execute("CREATE TABLE new_rows AS SELECT * FROM given")
        base.execute(path.read_text("utf-8"))
        return _from_views(model, lambda query: _frame(base.execute(query)), len(X))


def _frame(found):
    names = [about[0] for about in found.description]
    return pd.DataFrame(found.fetchall(), columns=names)


def _duckdb_types(frame):
    """Return types that keep whole numbers, booleans and text beside gaps."""
    kinds = {"bigint": "Int64", "boolean": "boolean", "double precision": "float64"}
    return {name: kinds.get(_column_type(frame[name]), "string") for name in frame}


def by_sqlite(model, X, folder):
    options = {"key": "the key", "name": NAME, "dialect": "sqlite"}
    (path,) = export.write(model, folder / "model.sql", "sql", **options)
    frame = X.assign(**{"the key": np.arange(len(X))}).astype(object)
    cells = frame.where(frame.notna(), None).to_numpy().tolist()
    names = ", ".join(map(quoted, frame))
    marks = ", ".join("?" * len(frame.columns))
    with closing(sqlite3.connect(":memory:")) as base:
        base.execute(f"CREATE TABLE new_rows ({names})")
        base.executemany(f"INSERT INTO new_rows VALUES ({marks})", cells)
        base.executescript(path.read_text("utf-8"))
        return _from_views(model, lambda query: _frame(base.execute(query)), len(X))


def _from_views(model, ask, n_rows):
    view = ModelView(model)
    word = NAME if len(view.distances) == 1 else f"{NAME}_1"
    U = None
    if view.distance.has_vectors:
        found = ask(f"SELECT * FROM {quoted(word + '_vectors')}").set_index("key")
        found = found.loc[range(n_rows)]
        is_array = list(found) == ["vector"]
        U = np.array(found["vector"].tolist()) if is_array else found.to_numpy()
    if view.committee is None:
        return U, None, None
    if not hasattr(model, "classes_"):
        found = ask(f"SELECT key, number FROM {quoted(NAME + '_numbers')}")
        return U, found.set_index("key").loc[range(n_rows)].to_numpy(float), []
    long = ask(f"SELECT * FROM {quoted(NAME + '_probabilities')}")
    P = np.full((n_rows, len(model.classes_)), np.nan)
    P[long["key"], long["class"]] = long["probability"]
    labels = ask(f"SELECT key, label FROM {quoted(NAME + '_classes')}")
    return U, P, labels.set_index("key").loc[range(n_rows), "label"].tolist()


def by_postgres(model, X, folder):
    """Load with psql, in a schema of its own; tables come back as CSV."""
    options = {"dialect": "postgres", "key": "the key", "table": "nk_test.new_rows"}
    (path,) = export.write(model, folder / "model.sql", "sql", name=NAME, **options)
    frame = X.assign(**{"the key": np.arange(len(X))})
    frame.to_csv(folder / "rows.csv", index=False, na_rep="\\N")
    columns = ", ".join(f"{quoted(name)} {_column_type(frame[name])}" for name in frame)
    psql(
        "SET client_min_messages = warning;"
        "DROP SCHEMA IF EXISTS nk_test CASCADE; CREATE SCHEMA nk_test;"
        f"SET search_path = nk_test; CREATE TABLE new_rows ({columns});"
        f"\n\\copy new_rows FROM '{folder}/rows.csv' (FORMAT csv, HEADER, NULL '\\N')\n"
        "ANALYZE;"
        f"\\i {path}\n"
    )

    def ask(query):
        out = folder / "out.csv"
        psql(f"SET search_path = nk_test;\nCREATE TEMP VIEW v AS {query};\n"
             f"\\copy (SELECT * FROM v) TO '{out}' CSV HEADER\n")  # fmt: skip
        flags = {"true_values": ["t"], "false_values": ["f"]}
        return pd.read_csv(out, keep_default_na=False, **flags)

    return _from_views(model, ask, len(X))


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
    return _run(session, _feed(session, X))


def onnx_numbers(path, X):
    """Return the numbers that the ONNX file of a regressor gives rows."""
    session = _session(path)
    return session.run(["number"], _feed(session, X))[0]


def _feed(session, X):
    about = json.loads(session.get_modelmeta().custom_metadata_map["nearkind"])
    return {
        asked["name"]: _tensor(X[name], asked)
        for name, asked in zip(X, about["inputs"], strict=True)
    }


def _tensor(column, asked):
    if asked["kind"] == "number":
        return column.to_numpy(float, na_value=np.nan)
    cells = column.astype(object)
    return cells.where(cells.notna(), asked["missing"]).to_numpy(object)


def by_onnx_codes(model, X, folder):
    (path,) = export.write(model, folder / "model.onnx", "onnx", inputs="codes")
    session, view = _session(path), ModelView(model)
    names = [each.name for each in session.get_inputs()]
    owners = view.committee.voters if view.committee else [view]
    books = [owner.distance.codebook for owner in owners]
    codes = [book.encode(X).astype(np.int64) for book in books]
    return _run(session, dict(zip(names, codes, strict=True)))


def _session(path):
    return onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])


def _run(session, feed):
    names = [each.name for each in session.get_outputs()]
    found = dict(zip(names, session.run(None, feed), strict=True))
    labels = found.get("label")
    U = found.get("vector", found.get("vector_1"))
    if "number" in found:
        return U, found["number"][:, None], []
    return U, found.get("probabilities"), None if labels is None else labels.tolist()


READERS = {
    "json": by_json,
    "csv": by_csv,
    "duckdb": by_duckdb,
    "sqlite": by_sqlite,
    "postgres": by_postgres,
    "onnx": by_onnx,
    "onnx codes": by_onnx_codes,
}


def expected(model, X):
    """Return what Python says."""
    view = ModelView(model)
    U = view.distance.transform(X) if view.distance.has_vectors else None
    if view.committee is None:
        return U, None, None
    if not hasattr(model, "classes_"):
        return U, model.predict(X)[:, None], []
    return U, model.predict_proba(X), model.predict(X).tolist()


class Differences(NamedTuple):
    """How far an export is from Python: in numbers above 1, relative to the largest."""

    vectors: float
    probabilities: float
    labels: int


def differences(found, wanted):
    """Return the largest of numbers, and how many labels differ."""
    (U, P, labels), (U_wanted, P_wanted, labels_wanted) = found, wanted
    vectors = 0.0 if U_wanted is None else abs(U - U_wanted).max()
    if P_wanted is None:
        return Differences(vectors, 0.0, 0)
    is_other = [a != b for a, b in zip(labels, labels_wanted, strict=True)]
    apart = abs(P - P_wanted).max() / max(1.0, abs(P_wanted).max())
    return Differences(vectors, apart, sum(is_other))


def assert_equal(found, wanted):
    """Hold an export to Python's answers."""
    apart = differences(found, wanted)
    assert apart.vectors < 1e-6
    assert apart.probabilities < 1e-6
    assert apart.labels == 0
