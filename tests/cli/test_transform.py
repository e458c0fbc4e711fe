"""``nearkind transform``."""

import numpy as np
import pytest

import nearkind as nk
from helpers.commands import complaint, done
from nearkind.io import read_columns


def test_vectors_have_the_distances_of_the_model(models, pets, tmp_path):
    output = tmp_path / "vectors.csv"
    done("transform", models["single"], pets, "-o", output)
    columns = read_columns(str(output))
    U = np.array([list(map(float, cells)) for cells in columns.values()]).T
    metric = nk.load(models["single"]).distance_
    X = {name: read_columns(str(pets))[name] for name in ("legs", "coat", "weight")}
    apart = np.linalg.norm(U[:, None] - U[None], axis=2)
    np.testing.assert_allclose(apart, metric.pairwise_distances(X), atol=1e-9)


@pytest.mark.parametrize("ending", ["parquet", "jsonl"])
def test_columns_may_stand_beside(models, pets, tmp_path, ending):
    output = tmp_path / f"vectors.{ending}"
    done("transform", models["single"], pets, "--keep", "-o", output)
    assert list(read_columns(str(output)))[:6] == [
        "name", "legs", "coat", "weight", "kind", "v0",
    ]  # fmt: skip
    assert done("transform", models["single"], pets).startswith("v0,")


def test_a_distance_without_vectors_is_refused(pets, tmp_path):
    path = tmp_path / "lin.nearkind"
    done("fit", pets, "-t", "kind", "--drop", "name", "-m", "lin", "-o", path)
    assert "Lin has no vectors" in complaint("transform", path, pets)
    told = complaint("transform", path, pets, "-o", tmp_path / "x.pdf", code=2)
    assert "must end in" in told
