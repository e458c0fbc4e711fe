"""Which source is asked first, and what is said of files that were changed."""

import gzip
import hashlib
import sys
import warnings
from pathlib import Path

import pytest

from nearkind import datasets
from nearkind.datasets import files
from nearkind.datasets.catalogue import CATALOGUE, CHECKSUMS
from nearkind.datasets.sources import find_offer, overview

CHANGED = gzip.compress(b"a,class\n1,x\n2,y\n", mtime=0)


def where(name):
    return next(row for row in overview() if row["name"] == name)["where"]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("NEARKIND_DATA", str(tmp_path))
    return tmp_path


def test_folder_comes_before_cache_and_cache_before_openml(folder, home):
    assert where("adult") == "not here"
    assert find_offer("adult").says == "OpenML data set 1590"
    home.mkdir(parents=True)
    (home / "adult.csv.gz").write_bytes(CHANGED)
    assert where("adult") == "cache"
    assert find_offer("adult").says == "file adult.csv.gz in the cache"
    (folder / "adult.csv.gz").write_bytes(CHANGED)
    assert where("adult") == "folder"
    assert find_offer("adult").says == "file adult.csv.gz in NEARKIND_DATA"


def test_a_derived_set_is_where_its_parent_is(folder):
    assert where("housevotes") == "not here"
    (folder / "voting.csv.gz").write_bytes(CHANGED)
    assert where("housevotes") == "folder"


def test_rules_need_nothing(no_folder):
    assert {row["name"] for row in overview() if row["where"] == "rule"} == {
        *("balance", "credit_risk", "krkopt", "led24"),
        *("monks1", "monks2", "monks3", "tic_tac_toe"),
    }


def test_a_file_that_is_no_known_set(folder):
    (folder / "pets.csv.gz").write_bytes(CHANGED)
    row = next(row for row in overview() if row["name"] == "pets")
    assert row["where"] == "folder"
    assert row["rows"] is row["openml"] is row["about"] is None


def test_sets_in_the_cache_have_names_too(home, no_folder):
    home.mkdir(parents=True)
    (home / "pets.csv.gz").write_bytes(CHANGED)
    assert "pets" in datasets.names()
    assert datasets.load("pets").source == "file pets.csv.gz in the cache"


def test_a_changed_file_is_loaded_with_a_warning(folder):
    (folder / "adult.csv.gz").write_bytes(CHANGED)
    with pytest.warns(datasets.ChangedDataWarning) as caught:
        data = datasets.load("adult", as_frame=False)
    assert data.y.tolist() == ["x", "y"]
    said = str(caught[0].message)
    assert said.startswith("adult.csv.gz is not the copy")
    assert CHECKSUMS["adult"] in said
    text = gzip.decompress(CHANGED)
    assert hashlib.sha256(text).hexdigest() in said


@pytest.mark.parametrize("name", sorted(set(CHECKSUMS) - {"census", "connect4"}))
def test_known_files_are_known_however_they_are_packed(name, real_file, folder):
    text = gzip.decompress(real_file(name).read_bytes())
    (folder / f"{name}.csv.gz").write_bytes(gzip.compress(text, compresslevel=1))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        datasets.load(name, as_frame=False)


def test_every_file_of_the_catalogue_has_a_checksum():
    assert set(CATALOGUE) - set(CHECKSUMS) == {"credit_risk"}
    assert all(len(value) == 64 for value in CHECKSUMS.values())


@pytest.mark.parametrize(
    ("platform", "variable", "default"),
    [
        ("linux", "XDG_CACHE_HOME", "~/.cache"),
        ("darwin", "XDG_CACHE_HOME", "~/Library/Caches"),
        ("win32", "LOCALAPPDATA", "~/AppData/Local"),
    ],
)
def test_cache_is_where_the_system_keeps_caches(
    platform, variable, default, monkeypatch, tmp_path
):
    monkeypatch.setattr(sys, "platform", platform)
    monkeypatch.setenv(variable, str(tmp_path))
    assert files.cache() == tmp_path / "nearkind"
    monkeypatch.delenv(variable)
    assert files.cache() == Path(default).expanduser() / "nearkind"
