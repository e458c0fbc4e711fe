"""The reader in JavaScript of docs/model-file.md reads what nearkind writes."""

import json
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

import nearkind as nk
from helpers.model_files import taken_apart

READER = Path(__file__).parents[2] / "docs" / "model_reader.mjs"
FILES = sorted((Path(__file__).parent / "files").glob("*.nearkind"))
NODE = shutil.which("node")
SCRIPT = """
import { readFileSync } from "node:fs";
import { webcrypto } from "node:crypto";
globalThis.crypto ??= webcrypto;
const [reader, path, codes] = process.argv.slice(1);
const { readModel, valueTables, embed } = await import(reader);
try {
  const found = await readModel(new Uint8Array(readFileSync(path)));
  const vectors = codes ? embed(valueTables(found.model), JSON.parse(codes)) : null;
  const shown = (_, x) => (typeof x === "number" && !isFinite(x) ? String(x) : x);
  console.log(JSON.stringify({ found, vectors }, shown));
} catch (error) {
  console.log(JSON.stringify({ error: error.message }));
}
"""
pytestmark = pytest.mark.skipif(NODE is None, reason="there is no Node.js")


def read(path, codes=None):
    command = [NODE, "--input-type=module", "-e", SCRIPT, str(READER), str(path)]
    if codes is not None:
        command.append(json.dumps(codes.tolist()))
    run = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout)


def as_json(number):
    """Return a number, or what JavaScript calls one that JSON has no word for."""
    names = {"nan": "NaN", "inf": "Infinity", "-inf": "-Infinity"}
    return names.get(str(number), number)


def with_arrays(node, arrays):
    """Return JSON with each array as shape and list: what the reader returns."""
    if isinstance(node, list):
        return [with_arrays(item, arrays) for item in node]
    if not isinstance(node, dict):
        return node
    if set(node) == {"array"}:
        dtype, order, shape, at = node["array"]
        flat = np.frombuffer(arrays, dtype, int(np.prod(shape)), at)
        data = flat.reshape(shape, order=order).ravel(order="C")
        return {"shape": shape, "data": [as_json(x) for x in data.tolist()]}
    return {name: with_arrays(item, arrays) for name, item in node.items()}


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_it_reads_every_number_of_every_kept_file(path):
    tree, arrays = taken_apart(path.read_bytes())
    assert read(path)["found"] == with_arrays(tree, arrays)


@pytest.mark.parametrize("kind", [nk.CPML, nk.CPMLClassifier])
def test_it_embeds_rows_as_python_does(kind, tmp_path):
    data = nk.datasets.load("monks1", as_frame=False)
    model = kind().fit(data.X, data.y)
    nk.save(model, tmp_path / "model.nearkind")
    assert_embeds(tmp_path / "model.nearkind", model.distance_)


@pytest.mark.parametrize("name", ["six_persons", "mixed_crosses", "calibrated"])
def test_it_embeds_rows_by_files_of_older_versions(name):
    path = FILES[0].with_stem(name)
    assert_embeds(path, nk.load(path).distance_)


def assert_embeds(path, distance):
    """Compare vectors of drawn rows, some of values never seen, bit for bit."""
    n_values = distance.codebook.n_values
    codes = np.random.default_rng(0).integers(-1, n_values, (50, len(n_values)))
    vectors = read(path, codes)["vectors"]
    assert np.array_equal(vectors, distance.represent(codes))


def changed(data, place):
    return data[:place] + bytes([data[place] ^ 1]) + data[place + 1 :]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda data: data[:-1], "cut short"),
        (lambda data: data[:20], "cut short"),
        (lambda data: changed(data, 0), "no nearkind model"),
        (lambda data: changed(data, 13), "this reader knows 1"),
        (lambda data: changed(data, 21), "larger than the limit"),
        (lambda data: changed(data, 60), "changed after it was written"),
    ],
)
def test_it_refuses_what_is_damaged(change, message, tmp_path):
    path = tmp_path / "damaged.nearkind"
    path.write_bytes(change(FILES[0].read_bytes()))
    assert message in read(path)["error"]
