"""What is particular to SQL: types of columns, keys, and what is quoted."""

import re
import sqlite3
from contextlib import closing

import duckdb
import numpy as np
import pandas as pd
import pytest

import nearkind as nk
from nearkind import export
from nearkind.export.portable import places
from nearkind.export.sql_dialects import (
    DIALECTS,
    identifier,
    number,
    qualified,
    text,
)
from nearkind.io.cells import infer_types

ROWS = [["1"], [1], ["true"], ["x"], [None], [2.5]]
LABELS = ["a", "b", "a", "b", "b", "a"]


@pytest.fixture
def base():
    with duckdb.connect() as connection:
        yield connection


def loaded(base, model, folder, **options):
    (path,) = export.write(model, folder / "model.sql", "sql", **options)
    base.execute(path.read_text("utf-8"))


@pytest.mark.parametrize(
    ("kind", "cells", "codes"),
    [
        ("VARCHAR", ["1", "true", "2.5", "x", " ", "huge"], [2, 3, 1, 4, 5, 6]),
        ("INTEGER", [1, 2, None], [0, 6, 5]),
        ("HUGEINT", [1, 2, None], [0, 6, 5]),
        ("DECIMAL(4, 2)", [1, 2.5, None], [0, 1, 5]),
        ("DOUBLE", [1.0, 2.5, float("nan"), None], [0, 1, 5, 5]),
        ("BOOLEAN", [True, False, None], [0, 6, 5]),
    ],
)
def test_text_numbers_and_booleans_are_not_confused(base, kind, cells, codes, tmp_path):
    """As in Python, TRUE is 1 and '1' is another value."""
    model = nk.baselines.Euclidean(numeric="category").fit(ROWS, LABELS)
    assert model.categories_["x0"] == [1, 2.5, "1", "true", "x", None]
    base.execute(f"CREATE TABLE new_rows (id INTEGER, x0 {kind})")
    base.executemany("INSERT INTO new_rows VALUES (?, ?)", list(enumerate(cells)))
    loaded(base, model, tmp_path)
    found = base.execute("SELECT code FROM model_codes ORDER BY key").fetchall()
    assert [code for (code,) in found] == codes


def test_a_key_that_is_missing_or_comes_twice_gets_no_answer(base, tmp_path):
    X = pd.DataFrame({"a": ["x", "y", "x", "y"]})
    model = nk.CPMLClassifier(nk.baselines.Euclidean(), n_neighbors=1)
    model.fit(X, ["p", "q", "p", "q"])
    base.execute("CREATE SCHEMA sales")
    base.execute('CREATE TABLE sales."my rows" ("my key" TEXT, a TEXT)')
    base.execute(
        """INSERT INTO sales."my rows" VALUES
        ('one', 'y'), ('two', 'x'), ('two', 'y'), (NULL, 'x')"""
    )
    names = {"table": "sales.my rows", "key": "my key", "name": 'it\'s "m"'}
    loaded(base, model, tmp_path, **names)
    view = identifier('it\'s "m"_classes')
    assert base.execute(f"SELECT * FROM {view}").fetchall() == [("one", "q", 1.0)]


def test_nearest_rows_have_numbers_distances_and_votes(base, tmp_path):
    X = [["x"], ["y"], ["x"], ["z"]]
    model = nk.CPMLClassifier(nk.baselines.Euclidean(), n_neighbors=3)
    model.fit(X, ["p", "q", "p", "q"])
    base.execute("CREATE TABLE new_rows AS SELECT 7 AS id, 'x' AS x0")
    loaded(base, model, tmp_path)
    asked = "SELECT first_row, distance, votes FROM model_nearest ORDER BY first_row"
    near = base.execute(asked).fetchall()
    assert near == [(0, 0.0, 2.0), (1, np.sqrt(2.0), 0.5), (3, np.sqrt(2.0), 0.5)]


@pytest.mark.parametrize("dialect", DIALECTS)
def test_all_dialects_write_whole_statements(dialect, tmp_path):
    model = nk.CPMLClassifier(nk.baselines.Euclidean(), n_neighbors=1)
    model.fit([["a;'"], ["b"]] * 600, [0, 1] * 600)
    (path,) = export.write(model, tmp_path / "m.sql", "sql", dialect=dialect)
    script = path.read_text("utf-8")
    outside = re.sub(r"'(''|[^'])*'", "", script)
    statements = [part.strip() for part in outside.split(";")]
    assert statements[0].endswith("BEGIN")
    assert statements[-2:] == ["COMMIT", ""]
    words = {part.split()[0] for part in statements[1:-2]}
    assert words - {"--", "ANALYZE", "SET"} == {"CREATE", "INSERT"}
    assert outside.count("(") == outside.count(")")


def test_pgvector_keeps_vectors_whole_and_asks_its_index(tmp_path):
    model = nk.CPMLClassifier(nk.baselines.Euclidean(), n_neighbors=1)
    model.fit([["a"], ["b"]], [0, 1])
    (path,) = export.write(model, tmp_path / "m.sql", "sql", dialect="pgvector")
    script = path.read_text("utf-8")
    assert "vector vector(2)" in script
    assert "(0, 0, 'text', 'a', NULL, NULL, NULL, NULL, NULL, '[1.0, 0.0]')" in script
    assert "USING hnsw (vector vector_l2_ops)" in script
    assert "ORDER BY x.vector <-> u.vector\n  LIMIT 101" in script


def test_many_rows_are_inserted_in_portions(base, tmp_path):
    X = [[f"v{i}", f"w{i % 7}"] for i in range(1_201)]
    model = nk.CPMLClassifier(nk.baselines.Euclidean(), n_neighbors=1)
    with pytest.warns(nk.errors.NearlyUniqueWarning):
        model.fit(X, ["p", "q", "r"] * 400 + ["p"])
    base.execute("CREATE TABLE new_rows (id INTEGER, x0 TEXT, x1 TEXT)")
    loaded(base, model, tmp_path)
    script = (tmp_path / "model.sql").read_text()
    assert script.count('INSERT INTO "model_rows"') == 3
    rows = base.execute("SELECT COUNT(*) FROM model_rows").fetchone()
    assert rows == (1_201,)


@pytest.mark.parametrize("x", [0.1, -1e-300, 1.7976931348623157e308, 1 / 3, 5e-324])
def test_numbers_come_back_to_the_last_bit(base, x):
    base.execute("CREATE TABLE t (x DOUBLE PRECISION)")
    base.execute(f"INSERT INTO t VALUES ({number(x)})")
    assert base.execute("SELECT x FROM t").fetchall() == [(x,)]
    for infinite in (np.inf, -np.inf):
        found = base.execute(f"SELECT {DIALECTS['duckdb'].number(infinite)}")
        assert found.fetchall() == [(infinite,)]
        with closing(sqlite3.connect(":memory:")) as other:
            found = other.execute(f"SELECT {DIALECTS['sqlite'].number(infinite)}")
            assert found.fetchall() == [(infinite,)]


@pytest.mark.parametrize("odd", ["'", '"', "''\"", "\\'", "a'; DROP TABLE t; --", "\n"])
def test_names_and_texts_come_back(base, odd):
    found = base.execute(f"SELECT {text(odd)} AS {identifier(odd)}")
    assert found.description[0][0] == odd
    assert found.fetchall() == [(odd,)]


def test_names_and_texts_that_no_database_takes():
    with pytest.raises(ValueError, match="number zero"):
        text("a\0b")
    with pytest.raises(ValueError, match="without a name"):
        qualified("sales.")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"dialect": "postgress"}, "Did you mean 'postgres'"),
        (
            {"dialect": "oracle"},
            "Choose from 'duckdb', 'postgres', 'pgvector', 'sqlite'",
        ),
        ({"table": ""}, "without a name"),
    ],
)
def test_options_that_cannot_be(options, words, tmp_path):
    model = nk.baselines.Euclidean().fit([["a"], ["b"]], [0, 1])
    with pytest.raises(ValueError, match=words):
        export.write(model, tmp_path / "m.sql", "sql", **options)
    assert list(tmp_path.iterdir()) == []


def test_vectors_too_long_for_a_table(tmp_path, monkeypatch):
    monkeypatch.setattr(DIALECTS["postgres"], "max_axes", 1)
    model = nk.baselines.Euclidean().fit([["a"], ["b"]], [0, 1])
    with pytest.raises(ValueError, match=r"have 2 numbers.* at most 1 in dialect"):
        export.write(model, tmp_path / "m.sql", "sql", dialect="postgres")


def test_a_name_that_a_database_would_cut(tmp_path):
    model = nk.baselines.Euclidean().fit([["a"], ["b"]], [0, 1])
    options = {"dialect": "postgres", "name": "ü" * 28}
    with pytest.raises(ValueError, match="more than 63 bytes, and the database would"):
        export.write(model, tmp_path / "m.sql", "sql", **options)
    assert export.write(model, tmp_path / "m.sql", "sql", name="ü" * 28)


def test_two_models_stand_side_by_side(base, tmp_path):
    base.execute("CREATE TABLE new_rows AS SELECT 7 AS id, 'x' AS x0")
    for name, labels in {"first": ["p", "q"], "second": ["r", "s"]}.items():
        model = nk.CPMLClassifier(nk.baselines.Hamming(), n_neighbors=1)
        loaded(base, model.fit([["x"], ["y"]], labels), tmp_path, name=name)
    for name, label in {"first": "p", "second": "r"}.items():
        found = base.execute(f"SELECT label FROM {name}_classes").fetchall()
        assert found == [(label,)]


def test_sqlite_tells_numbers_from_their_digits_in_one_column(tmp_path):
    model = nk.baselines.Hamming(numeric="category").fit(ROWS)
    (path,) = export.write(model, tmp_path / "m.sql", "sql", dialect="sqlite")
    with closing(sqlite3.connect(":memory:")) as base:
        base.execute("CREATE TABLE new_rows (id, x0)")
        cells = ["1", 1, 1.0, "true", True, None, 2.5, "2.5", b"x", 3]
        base.executemany("INSERT INTO new_rows VALUES (?, ?)", list(enumerate(cells)))
        base.executescript(path.read_text("utf-8"))
        found = base.execute("SELECT code FROM m_codes ORDER BY key").fetchall()
    assert [code for (code,) in found] == [2, 0, 0, 3, 0, 5, 1, 1, 4, 6]


def test_sqlite_prints_nothing_and_still_asks_for_its_functions():
    (check,) = DIALECTS["sqlite"].head
    with closing(sqlite3.connect(":memory:")) as base:
        assert base.execute(check).fetchall() == []
        with pytest.raises(sqlite3.OperationalError, match="no such function"):
            base.execute(check.replace("EXP(", "EXPONENTIAL("))


def answer(model, kind, cell, folder, dialect):
    """Return the code of one cell in a column of this type, or raise."""
    (path,) = export.write(model, folder / "m.sql", "sql", dialect=dialect)
    connect = {"duckdb": duckdb.connect, "sqlite": sqlite3.connect}[dialect]
    with closing(connect(":memory:")) as base:
        base.execute(f"CREATE TABLE new_rows (id INTEGER, x0 {kind})")
        base.execute("INSERT INTO new_rows VALUES (7, ?)", [cell])
        with path.open(encoding="utf-8") as file:  # line breaks are translated
            script = file.read()
        (base.executescript if dialect == "sqlite" else base.execute)(script)
        ((code,),) = base.execute("SELECT code FROM m_codes").fetchall()
    return code


here = pytest.mark.parametrize("dialect", ["duckdb", "sqlite"])


@here
@pytest.mark.parametrize(
    "cell",
    ["3.5", " 5", "5.", ".5", "-.5", "1e1", "1E+1", "-0", "nan", "NA", "", " ", "?"],
)
@pytest.mark.parametrize("numeric", ["bin", "category"])
def test_text_is_read_as_a_csv_file_is(dialect, cell, numeric, tmp_path):
    rows = [[float(i)] for i in range(30)] + [[0.5], [3.5], [-0.5], [None]]
    model = nk.baselines.Hamming(numeric=numeric).fit(rows)
    (read,) = infer_types({"x0": [cell.strip() or None]})["x0"]
    ((code,),) = places(
        model.codebook_.encode([[read]]), model.codebook_.n_values
    ).tolist()
    assert answer(model, "TEXT", cell, tmp_path, dialect) == code


@here
@pytest.mark.parametrize(
    "cell", ["abc", "1,5", "007", "+5", "inf", ".", "-", "1e", ".e1", "1e100", "1" * 16]
)
def test_text_that_is_no_number_is_refused_by_bins(dialect, cell, tmp_path):
    rows = [[float(i)] for i in range(30)]
    model = nk.baselines.Hamming(numeric="bin").fit(rows)
    with pytest.raises(ValueError, match="held numbers in fit, but now holds"):
        model.codebook_.encode([[cell]])
    words = re.escape(f'Column "x0" held numbers in fit, but now holds {cell}')
    with pytest.raises((duckdb.Error, sqlite3.Error), match=words):
        answer(model, "TEXT", cell, tmp_path, dialect)
    model = nk.baselines.Hamming(numeric="category").fit(rows)
    assert answer(model, "TEXT", cell, tmp_path, dialect) == 30


@here
@pytest.mark.parametrize("cell", [2, 5])
def test_digits_learned_as_text_match_numbers(dialect, cell, tmp_path):
    model = nk.baselines.Hamming().fit([["x"], ["2"], ["5.0"]])
    ((code,),) = model.codebook_.encode([[cell]]).tolist()
    for kind in ("INTEGER", "DOUBLE"):
        assert answer(model, kind, cell, tmp_path, dialect) == code
    unseen = {"2.0": 3, "5": 3, "2": 0, "5.0": 1}
    for text_cell, wanted in unseen.items():
        assert answer(model, "TEXT", text_cell, tmp_path, dialect) == wanted


@here
@pytest.mark.parametrize("level", ["007", "+7", "7"])
def test_numbers_that_texts_write_in_two_ways_are_refused(dialect, level, tmp_path):
    model = nk.baselines.Hamming().fit([[level], ["7.0"], ["x"]])
    with pytest.raises((duckdb.Error, sqlite3.Error), match="Store it as text"):
        answer(model, "INTEGER", 7, tmp_path, dialect)
    assert answer(model, "TEXT", level, tmp_path, dialect) == model.categories_[
        "x0"
    ].index(level)


def test_words_that_a_database_reads_as_other_types(tmp_path):
    model = nk.baselines.Hamming().fit([["True"], ["False"], ["2020-02-03"]])
    for kind, cell in {"BOOLEAN": True, "DATE": "2020-02-03"}.items():
        wanted = model.categories_["x0"].index(str(cell))
        assert answer(model, kind, cell, tmp_path, "duckdb") == wanted
    with pytest.raises(duckdb.Error, match='"x0" is stored as times'):
        answer(model, "TIMESTAMP", "2020-02-03", tmp_path, "duckdb")


@here
@pytest.mark.parametrize(
    "level", ["", "a\r\nb", "a\nb", "a\rb", "\t'\x85\u2028", "🙂\ufeff"]
)
def test_no_line_break_is_changed_on_the_way(dialect, level, tmp_path):
    model = nk.CPMLClassifier(nk.baselines.Hamming(), n_neighbors=1)
    model.fit([[level], ["b"]], [level, "b"])
    wanted = model.codebook_.values(0).index(level)
    assert answer(model, "TEXT", level, tmp_path, dialect) == wanted
    script = (tmp_path / "m.sql").read_bytes()
    assert b"\r" not in script
    assert not level or level.encode() not in script


@pytest.mark.parametrize("dialect", DIALECTS)
def test_values_and_labels_with_line_breaks_are_written_in_one_line(dialect, tmp_path):
    model = nk.CPMLClassifier(nk.baselines.Euclidean(), n_neighbors=1)
    levels = ["a\r\nb", "a\nb", "a\rb", "c"]
    model.fit([[level] for level in levels], levels)
    (path,) = export.write(model, tmp_path / "m.sql", "sql", dialect=dialect)
    script = path.read_bytes()
    assert b"\r" not in script
    assert b"a\nb" not in script


def classes_of_text(dialect, path, rows):
    """Return the classes by a script of rows that were all imported as text."""
    connect = {"duckdb": duckdb.connect, "sqlite": sqlite3.connect}[dialect]
    with closing(connect(":memory:")) as base:
        base.execute("CREATE TABLE new_rows (id INTEGER, x0 TEXT, x1 TEXT, x2 TEXT)")
        base.executemany(
            "INSERT INTO new_rows VALUES (?, ?, ?, ?)",
            [[i, *row] for i, row in enumerate(rows)],
        )
        script = path.read_text("utf-8")
        (base.executescript if dialect == "sqlite" else base.execute)(script)
        found = base.execute("SELECT label FROM m_classes ORDER BY key")
        return [label for (label,) in found.fetchall()]


@here
@pytest.mark.filterwarnings("ignore::nearkind.errors.UnseenValueWarning")
@pytest.mark.parametrize("numeric", ["auto", "bin", "category", "scale"])
def test_columns_imported_as_text_have_the_classes_of_python(
    dialect, numeric, tmp_path
):
    rng = np.random.default_rng(8)
    words = np.array(["a\r\nb", "a\rb", "a\nb", "w"], dtype=object)
    codes = rng.integers(0, 4, 80)
    whole, part = rng.integers(0, 40, 80), rng.normal(codes, 1.0, 80).round(2)
    rows = [[words[codes[i]], int(whole[i]), float(part[i])] for i in range(80)]
    labels = words[(codes + (rng.random(80) < 0.2)) % 4]
    metric = nk.baselines.Euclidean(numeric=numeric)
    model = nk.CPMLClassifier(metric, n_neighbors=3).fit(rows[:60], labels[:60])
    (path,) = export.write(model, tmp_path / "m.sql", "sql", dialect=dialect)
    texts = [[str(cell) for cell in row] for row in rows]
    assert classes_of_text(dialect, path, texts) == model.predict(rows).tolist()


@here
@pytest.mark.parametrize(("cell", "code"), [("", 0), (" ", 2), ("\t", 2), (None, 2)])
def test_blanks_are_missing_though_the_empty_text_is_a_value(
    dialect, cell, code, tmp_path
):
    model = nk.baselines.Hamming().fit([[""], ["a"], [None]])
    assert answer(model, "TEXT", cell, tmp_path, dialect) == code


@here
def test_a_column_that_was_always_missing(dialect, tmp_path):
    model = nk.baselines.Hamming(missing="level").fit([[None], [None]])
    assert answer(model, "TEXT", None, tmp_path, dialect) == 0
    assert answer(model, "TEXT", "a", tmp_path, dialect) == 1
