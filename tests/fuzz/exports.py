"""Exports and the JavaScript reader against Python, on drawn models and rows."""

import json
import shutil
import subprocess
import tempfile
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
from hypothesis import strategies as st

import nearkind as nk
from fuzz.options import distances, settings_of
from fuzz.properties import RefusedError, in_a_sentence
from fuzz.tables import CELLS, GAPS, HOSTILE, SELDOM
from helpers.export_readers import READERS, assert_equal, expected
from nearkind.io import match_levels
from nearkind.model_view import ModelView

TEXT = [x for x in HOSTILE if ("\0" not in x and x.isprintable()) or x == "\r\n"]
KINDS = {
    "words": CELLS["words"],
    "text": st.sampled_from(TEXT),
    "digits": st.sampled_from(["1", "1.0", "2", "x", "2.50"]),
    "small": CELLS["small"],
    "tenths": CELLS["tenths"],
}
SQL = ["sqlite", "duckdb"]
MODELS = [nk.CPMLClassifier, nk.CPMLRegressor] * 3
MODELS += [nk.CPMLClassifierCV, nk.CPMLRegressorCV]
FOLDER = tempfile.TemporaryDirectory()
PLACE = Path(FOLDER.name)
DOCS = Path(__file__).parents[2] / "docs"
SERVER = """
import { readFileSync } from "node:fs";
import { webcrypto } from "node:crypto";
import { createInterface } from "node:readline";
globalThis.crypto ??= webcrypto;
const { readModel, valueTables, embed } = await import(process.argv[1]);
for await (const line of createInterface({ input: process.stdin })) {
  const { path, codes } = JSON.parse(line);
  const { model } = await readModel(new Uint8Array(readFileSync(path)));
  console.log(JSON.stringify(embed(valueTables(model), codes)));
}
"""


@st.composite
def examples(draw):
    """A model, a table to fit it on, and rows with unseen and missing cells."""
    n, kinds = (
        draw(st.integers(6, 14)),
        draw(st.lists(st.sampled_from([*KINDS]), min_size=1, max_size=3)),
    )
    columns = {}
    for d, kind in enumerate(kinds):
        cells = KINDS[kind]
        if draw(SELDOM):
            cells = cells | GAPS.map(lambda _: None)
        columns[f"{kind} {d}" if d else "a"] = draw(
            st.lists(cells, min_size=n, max_size=n)
        )
    kind = draw(st.sampled_from(MODELS))
    settings = draw(settings_of(kind, sound=True))
    plain = {"index": "exact", "class_weight": None, "cv": 2, "scoring": "accuracy"}
    settings |= {k: x for k, x in plain.items() if k in kind().get_params()}
    metric = draw(distances(sound=True))
    for name, value in {"unseen": "prior", "missing": "level", "crosses": 1}.items():
        if getattr(metric, name, value) in ("error", "x") or name == "crosses":
            metric.set_params(**{name: value} if hasattr(metric, name) else {})
    is_search = "candidates" in kind().get_params()
    model = kind([metric, "hamming"] if is_search else metric, **settings)
    labels = draw(st.lists(st.sampled_from(["egg", "ham"]), min_size=n, max_size=n))
    labels = ["egg", "ham", *labels[2:]]
    if kind in (nk.CPMLRegressor, nk.CPMLRegressorCV):
        labels = draw(st.lists(st.floats(-1e3, 1e3), min_size=n, max_size=n))
    return model, columns, labels


def same_everywhere(model, columns, labels):
    """Every export that is not refused says what Python says, typed and as text."""
    half = len(labels) // 2 + 1
    frame = pd.DataFrame({n: pd.Series(c, dtype=object) for n, c in columns.items()})
    frame = frame.infer_objects()
    try:
        in_a_sentence(model.fit, frame[:half], labels[:half])
        known = {
            name: [x for x in values if isinstance(x, str)]
            if any(isinstance(x, str) for x in values)
            else values
            for name, values in levels_of(model).items()
        }
        typed = pd.DataFrame(as_read(columns, known), columns=list(columns))
        texts = {n: list(map(as_text, cells)) for n, cells in columns.items()}
        read = pd.DataFrame(as_read(texts, known), columns=list(columns))
        wanted = in_a_sentence(expected, model, typed)
        wanted_of_text = in_a_sentence(expected, model, read)
    except RefusedError as refusal:
        return f"refused by Python: {str(refusal)[:40]}"
    went = []
    for name in [*SQL, "json", "onnx"]:
        try:
            found = in_a_sentence(READERS[name], model, typed, PLACE)
        except RefusedError:
            continue
        assert_equal(found, wanted)
        went.append(name)
    for name in set(SQL).intersection(went):
        found = READERS[name](model, pd.DataFrame(texts, dtype=object), PLACE)
        assert_equal(found, wanted_of_text)
    if shutil.which("node") and ModelView(model).distance.has_vectors:
        assert_javascript(model, typed)
        went.append("javascript")
    return f"compared: {', '.join(went) or 'nothing'}"


def levels_of(model):
    """Return the values of each column, none where numbers are between edges."""
    book = model.codebook_
    return {
        name: [*getattr(feature, "code_of", ())]
        for name, feature in zip(book.names_, book.features_, strict=True)
    }


def as_text(cell):
    return cell if cell is None or isinstance(cell, str) else str(cell)


def as_read(columns, levels):
    """Return cells as the command line reads those of a CSV file."""
    cells = {
        name: [_stripped(cell, levels[name]) for cell in column]
        for name, column in columns.items()
    }
    found = match_levels(cells, levels)
    return {name: pd.Series(x, dtype=object) for name, x in found.items()}


def _stripped(cell, known):
    if not isinstance(cell, str) or cell in known:
        return cell
    keeps_blanks = any(isinstance(x, str) and x != x.strip() for x in known)
    return (cell if keeps_blanks and cell.strip() else cell.strip()) or None


@cache
def node():
    """Return a process that reads models and embeds rows, one line each."""
    reader = str(DOCS / "model_reader.mjs")
    command = ["node", "--input-type=module", "-e", SERVER, reader]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    return subprocess.Popen(command, **pipes)


def assert_javascript(model, rows):
    """The vectors of rows are those of Python, bit for bit."""
    path, distance = PLACE / "model.nearkind", ModelView(model).distance
    try:
        in_a_sentence(nk.save, model, path)
    except RefusedError:
        return
    codes = np.asarray(in_a_sentence(distance.encode, rows))
    server = node()
    print(
        json.dumps({"path": str(path), "codes": codes.tolist()}),
        file=server.stdin,
        flush=True,
    )
    vectors = np.array(json.loads(server.stdout.readline()))
    wanted = np.asarray(distance.represent(codes))
    assert np.array_equal(vectors.reshape(wanted.shape), wanted)
