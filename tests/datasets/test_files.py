"""Files of sets: loading by name, what is said of bad ones, and writing."""

import csv
import gzip
import hashlib
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nearkind import datasets
from nearkind.datasets import files
from nearkind.datasets.catalogue import CATALOGUE, CHECKSUMS
from nearkind.datasets.dataset import Dataset
from nearkind.datasets.rules import RULES
from nearkind.io import write_columns

LISTED = (
    "adult audiology balance car census connect4 credit_risk dna_nominal dna_promoter "
    "housevotes krkopt krvskp led24 lymphography monks1 monks2 monks3 mushroom nursery "
    "soybean_large spect splice tic_tac_toe voting zoo"
)
PUBLIC_NAMES = LISTED.split()
SMALL = sorted(set(PUBLIC_NAMES) - set(RULES) - {"census", "connect4"})


@pytest.fixture
def write(tmp_path, monkeypatch):
    monkeypatch.setenv("NEARKIND_DATA", str(tmp_path))

    def _write(name, text):
        data = text if isinstance(text, bytes) else gzip.compress(text.encode())
        (tmp_path / f"{name}.csv.gz").write_bytes(data)

    return _write


@pytest.fixture
def use_real_file(real_file, monkeypatch):
    def _use(name):
        path = real_file(name)
        monkeypatch.setenv("NEARKIND_DATA", str(path.parent))
        return path

    return _use


def test_names_are_the_public_ones(no_folder):
    assert datasets.names() == PUBLIC_NAMES


def test_names_hold_the_files_of_the_folder(write):
    write("pets", "legs,class\n4,dog\n")
    write("adult", "age,class\n4,a\n")
    assert datasets.names() == sorted([*PUBLIC_NAMES, "pets"])


def test_names_of_a_folder_that_is_not_there(tmp_path, monkeypatch):
    monkeypatch.setenv("NEARKIND_DATA", str(tmp_path / "nowhere"))
    assert datasets.names() == PUBLIC_NAMES


def test_frame(write):
    write("pets", "legs,voice,class\n4,,dog\n2,NA,bird\n")
    data = datasets.load("pets")
    assert data.name == "pets"
    assert data.source == "file pets.csv.gz in NEARKIND_DATA"
    assert data.licence == data.citation == "unknown"
    assert data.feature_names == list(data.X.columns) == ["legs", "voice"]
    assert data.X["legs"].tolist() == ["4", "2"]
    assert data.X["voice"].isna().tolist() == [True, False]
    assert data.X["voice"][1] == "NA"
    assert data.y.name == "class"
    assert data.y.tolist() == ["dog", "bird"]


def test_arrays(write):
    write("pets", "legs,voice,class\n4,,dog\n2,NA,bird\n")
    data = datasets.load("pets", as_frame=False)
    assert data.X.dtype == data.y.dtype == object
    assert data.X.tolist() == [["4", None], ["2", "NA"]]
    assert data.y.tolist() == ["dog", "bird"]


def test_quotes_byte_order_mark_and_line_ends(write):
    write("odd", '\ufeff"a,b",class\r\n"x\ny","é ""q"""\r\n')
    data = datasets.load("odd", as_frame=False)
    assert data.feature_names == ["a,b"]
    assert data.X.tolist() == [["x\ny"]]
    assert data.y.tolist() == ['é "q"']


@pytest.mark.parametrize("name", sorted(RULES))
def test_frame_and_arrays_agree(name):
    frame, arrays = datasets.load(name), datasets.load(name, as_frame=False)
    np.testing.assert_array_equal(frame.X.to_numpy(dtype=object), arrays.X)
    np.testing.assert_array_equal(frame.y.to_numpy(dtype=object), arrays.y)
    assert frame.source == arrays.source
    assert frame.source == f"{CATALOGUE[name].about}, computed from its rule"
    assert frame.licence == CATALOGUE[name].licence
    assert frame.citation == CATALOGUE[name].citation


@pytest.mark.parametrize("name", SMALL)
def test_real_file_as_pandas_reads_it(name, use_real_file):
    path = use_real_file(name)
    wanted = pd.read_csv(path, dtype=str, keep_default_na=False, na_values=[""])
    wanted = wanted.astype(object).where(wanted.notna(), None)
    data, entry = datasets.load(name, as_frame=False), CATALOGUE[name]
    assert [*data.feature_names, "class"] == list(wanted.columns)
    assert data.X.tolist() == wanted.drop(columns="class").to_numpy().tolist()
    assert data.y.tolist() == wanted["class"].tolist()
    assert data.X.shape == (entry.n_samples, entry.n_features)
    assert len(set(data.y)) == entry.n_classes
    assert data.source == f"{entry.about}, file {name}.csv.gz in NEARKIND_DATA"


@pytest.mark.slow
@pytest.mark.parametrize("name", ["census", "connect4"])
def test_large_real_file_has_the_size_in_the_catalogue(name, use_real_file):
    use_real_file(name)
    data, entry = datasets.load(name, as_frame=False), CATALOGUE[name]
    assert data.X.shape == (entry.n_samples, entry.n_features)
    assert len(set(data.y)) == entry.n_classes


def test_without_pandas_rows_are_dicts(monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    assert datasets.load("credit_risk", as_frame=False).X.shape == (6, 3)
    data = datasets.load("credit_risk")
    assert [list(row) for row in data.X] == [data.feature_names] * 6
    assert data.X[2]["Occupation"] == "Plumber"
    assert data.y.tolist()[2] == "High"


def test_import_is_light():
    code = (
        "import sys, nearkind.datasets as d; d.names(); "
        "print([m for m in ('pandas', 'sklearn', 'scipy') if m in sys.modules])"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert run.stdout.strip() == "[]", run.stderr


def test_known_name_without_a_folder(no_folder, home):
    with pytest.raises(FileNotFoundError) as caught:
        datasets.load("adult")
    said = str(caught.value)
    assert "'adult'" in said
    assert f"the cache {str(home)!r} has none" in said
    assert "no network in tests" in said
    assert "Set NEARKIND_DATA to a folder that holds adult.csv.gz" in said
    assert ", ".join(sorted([*RULES, "led24"])) in said


def test_known_name_without_a_file(tmp_path, monkeypatch):
    monkeypatch.setenv("NEARKIND_DATA", str(tmp_path))
    with pytest.raises(FileNotFoundError, match=f"names '.*{tmp_path.name}'"):
        datasets.load("adult")


def test_both_files_that_would_do_are_named(no_folder):
    with pytest.raises(
        FileNotFoundError, match=r"housevotes.csv.gz \(or voting.csv.gz"
    ):
        datasets.load("housevotes")


def test_unknown_name_suggests_the_nearest():
    with pytest.raises(ValueError, match="Did you mean 'mushroom'"):
        datasets.load("Mushrooms")
    with pytest.raises(ValueError, match="Did you mean 'tic_tac_toe'"):
        datasets.load("tic-tac-toe")


def test_unknown_name_like_no_other_lists_them_all():
    with pytest.raises(ValueError, match="Choose from 'adult', 'audiology'"):
        datasets.load("qqqqqqqq")


@pytest.mark.parametrize(
    "name", ["../x", "a/b", "a\\b", "/etc/x", "", ".", "..", "x\n"]
)
def test_names_that_leave_the_folder_are_refused(name, tmp_path, monkeypatch):
    inner = tmp_path / "inner"
    inner.mkdir()
    (tmp_path / "x.csv.gz").write_bytes(gzip.compress(b"a,class\n1,2\n", mtime=0))
    monkeypatch.setenv("NEARKIND_DATA", str(inner))
    with pytest.raises(ValueError, match="has only letters"):
        datasets.load(name)


def test_name_must_be_a_string():
    with pytest.raises(TypeError, match="got 3"):
        datasets.load(3)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", r"line 1: expected a header, but the file is empty\.$"),
        (b"", r"line 1: expected a header, but the file is empty\.$"),
        ("a,b\n1,2\n", r"line 1: the last column must be .* 'class', got 'b'\.$"),
        ("class,b\n1,2\n", r"line 1: the last column must be .* 'class', got 'b'\.$"),
        ("class\n1\n", r"line 1: expected at least one column"),
        (
            "a,a,class\n1,2,3\n",
            r"line 1: column 'a' occurs more than once; rename the copies\.$",
        ),
        ("a,class\n", r"line 1: expected rows after the header"),
        ("a,class\n1,2\n1\n", r"line 3: 2 cells in the header, 1 cell here;"),
        ("a,class\n1,2,3\n", r"line 2: 2 cells in the header, 3 cells here;"),
        ("a,class\n1,2\n\n1,2\n", r"line 3: 2 cells in the header, 0 cells here;"),
        ('a,class\n1,2\n"1,2\n', r"line 3: .+\.$"),
        (b"a,class\n1,2\n", r"damaged after line 0 \(.+\); copy it again\.$"),
        (
            gzip.compress(b"a,class\n\xff,2\n", mtime=0),
            r"line 2: it is not utf-8 \(.+\)\.$",
        ),
        (
            gzip.compress(b"a,class\n1,2\n", mtime=0)[:-9],
            r"damaged after line \d+ \(.+\)",
        ),
        (
            gzip.compress(b"a,class\n1,2\n", mtime=0)[:-8] + bytes(8),
            r"damaged after line \d+",
        ),
    ],
)
def test_bad_file_is_named_with_its_line(text, message, write):
    write("bad", text)
    with pytest.raises(ValueError, match=r"^bad\.csv\.gz.*" + message):
        datasets.load("bad")


@pytest.mark.parametrize("share", [0.01, 0.1, 0.5, 0.9, 0.999])
def test_truncated_file_at_any_place(share, write):
    text = "a,class\n" + "".join(f"{i * i % 7919},{i % 3}\n" for i in range(5000))
    data = gzip.compress(text.encode())
    write("cut", data[: int(share * len(data))])
    with pytest.raises(ValueError, match=r"cut\.csv\.gz is damaged after line \d+"):
        datasets.load("cut")


CELL = st.none() | st.text(st.characters(codec="utf-8"), min_size=1, max_size=4)
LABEL = st.sampled_from(["a", "b,c", 'd"e', "f\ng", "h\ri"])
ROWS = st.lists(st.tuples(CELL, CELL, LABEL), min_size=1, max_size=6)


def table_of(rows, names=("left", "right")):
    cells = np.array(rows, dtype=object)
    return Dataset(list(names), "class", cells[:, :-1], cells[:, -1])


TABLE = table_of([("1", None, "x"), ("é", 'a,"b"', "y")])


@given(ROWS)
def test_reading_gives_back_what_was_written(tmp_path_factory, rows):
    path = tmp_path_factory.mktemp("written") / "drawn.csv.gz"
    written = table_of(rows)
    write_columns(written.columns(), path)
    again = files.read(path, files.text_digest(written))  # another checksum would warn
    assert again.feature_names == written.feature_names
    assert again.X.tolist() == written.X.tolist()
    assert again.y.tolist() == written.y.tolist()


@pytest.mark.parametrize("name", sorted(set(CHECKSUMS) - {"census", "connect4"}))
def test_known_files_are_written_letter_for_letter(name, real_file, tmp_path):
    table = files.read(real_file(name))
    write_columns(table.columns(), tmp_path / "again.csv")
    text = gzip.decompress(real_file(name).read_bytes())
    assert (tmp_path / "again.csv").read_bytes() == text
    assert (
        files.text_digest(table) == CHECKSUMS[name] == hashlib.sha256(text).hexdigest()
    )


def test_plain_and_packed_hold_the_same_and_always_the_same(tmp_path):
    write_columns(TABLE.columns(), tmp_path / "a.csv")
    write_columns(TABLE.columns(), tmp_path / "b.csv.gz")
    write_columns(TABLE.columns(), tmp_path / "c.csv.gz")
    packed = (tmp_path / "b.csv.gz").read_bytes()
    assert gzip.decompress(packed) == (tmp_path / "a.csv").read_bytes()
    assert packed == (tmp_path / "c.csv.gz").read_bytes()
    with (tmp_path / "a.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file))
    assert rows == [
        ["left", "right", "class"],
        ["1", "", "x"],
        ["é", 'a,"b"', "y"],
    ]


@pytest.mark.parametrize("name", ["out.csv", "out.csv.gz"])
def test_a_failure_leaves_the_old_file_and_nothing_else(name, tmp_path):
    path = tmp_path / name
    path.write_text("old")
    lone = table_of([("1", "\ud800", "x")])  # half a character cannot be written
    with pytest.raises(ValueError, match="half of a character"):
        write_columns(lone.columns(), path)
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]
    write_columns(TABLE.columns(), path)
    assert list(tmp_path.iterdir()) == [path]
    assert path.read_bytes() != b"old"


@pytest.mark.parametrize("name", ["zoo", "zoo.txt", "zoo.gz", "zoo.csv.zip", "csv"])
def test_other_endings_are_refused(name, tmp_path):
    with pytest.raises(ValueError, match=rf"must end in \.csv, .*, got '{name}'"):
        write_columns(TABLE.columns(), tmp_path / name)
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_is_not_there_is_named(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"There is no folder .*nowhere"):
        write_columns(TABLE.columns(), tmp_path / "nowhere" / "zoo.csv")
