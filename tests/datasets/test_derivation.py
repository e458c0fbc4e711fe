"""Sets made of other sets equal the published ones."""

from collections import Counter

from nearkind import datasets
from nearkind.datasets import files
from nearkind.datasets.derivation import DERIVED


def rows(table):
    return [(*x, y) for x, y in zip(table.X, table.y, strict=True)]


def only(path, tmp_path, monkeypatch):
    """Let NEARKIND_DATA hold this file and no other."""
    (tmp_path / path.name).write_bytes(path.read_bytes())
    monkeypatch.setenv("NEARKIND_DATA", str(tmp_path))


def test_housevotes_are_the_complete_rows_of_voting(real_file, tmp_path, monkeypatch):
    only(real_file("voting"), tmp_path, monkeypatch)
    data = datasets.load("housevotes", as_frame=False)
    published = files.read(real_file("housevotes"))
    assert data.feature_names == published.feature_names
    assert rows(data) == rows(published)
    assert data.source.endswith(
        "derived from voting (rows without a missing value), "
        "file voting.csv.gz in NEARKIND_DATA"
    )


def test_dna_nominal_has_the_rows_of_the_file(real_file, tmp_path, monkeypatch):
    only(real_file("splice"), tmp_path, monkeypatch)
    data = datasets.load("dna_nominal", as_frame=False)
    published = files.read(real_file("dna_nominal"))
    assert data.feature_names == published.feature_names
    assert Counter(rows(data)) == Counter(rows(published))
    assert rows(data) != rows(published)  # as the source says
    assert "rows in its order" in data.source


def test_the_parent_is_left_as_it_was(real_file):
    for name in DERIVED:
        parent = files.read(real_file(DERIVED[name].parent))
        before = rows(parent)
        DERIVED[name].derive(parent)
        assert rows(parent) == before


def test_a_file_of_its_own_is_preferred(real_file, monkeypatch):
    path = real_file("dna_nominal")
    monkeypatch.setenv("NEARKIND_DATA", str(path.parent))
    data = datasets.load("dna_nominal", as_frame=False)
    assert rows(data) == rows(files.read(path))
    assert data.source.endswith("file dna_nominal.csv.gz in NEARKIND_DATA")
