"""Tables with a class a row."""

import pytest

from helpers.table_files import written
from nearkind.io import Asked, ReadingWarning, Wanted

ROWS = "id,size,kind\n1,007,cat\n2,1,dog\n3,2,?\n4,3,cat\n"


def test_features_labels_and_what_is_dropped(tmp_path):
    path = written(tmp_path, "a.csv", ROWS.replace("?", "dog"))
    X, y, target = Wanted(path, "kind", drop=("id",)).read()
    assert X == {"size": ["007", "1", "2", "3"]}
    assert y == ["cat", "dog", "dog", "cat"]
    assert target == "kind"
    assert Wanted(path, "kind", text=("id",)).read().X["id"] == ["1", "2", "3", "4"]
    assert Wanted(path, "kind").read().X["id"] == [1, 2, 3, 4]


def test_rows_without_label_are_left_out_and_said(tmp_path):
    path = written(tmp_path, "a.csv", ROWS)
    with pytest.warns(ReadingWarning, match=r"a\.csv: 1 of 4 rows have no 'kind'"):
        X, y, _ = Wanted(path, "kind").read()
    assert (X["id"], y) == ([1, 2, 4], ["cat", "dog", "cat"])


def test_labels_of_several_types_become_text(tmp_path):
    path = written(tmp_path, "a.jsonl", '{"a": 1, "y": 1}\n{"a": 2, "y": "x"}\n')
    assert Wanted(path, "y").read().y == ["1", "x"]
    path = written(tmp_path, "b.jsonl", '{"a": 1, "y": 1}\n{"a": 2, "y": 2}\n')
    assert Wanted(path, "y").read().y == [1, 2]


@pytest.mark.parametrize(
    ("text", "wanted", "words"),
    [
        (ROWS, {"target": "Kind"}, "no column 'Kind' in a.csv. Did you mean 'kind'?"),
        (ROWS, {"target": "kind", "drop": ("ix",)}, "no column 'ix' in a.csv."),
        (ROWS, {"target": "kind", "text": ("sise",)}, "Did you mean 'size'?"),
        ("kind\na\nb\n", {"target": "kind"}, "no column beside 'kind' to learn from"),
        ("a,kind\n1,x\n2,x\n", {"target": "kind"}, "holds 1 class; two at least"),
        ("a,kind\n1,\n2,NA\n", {"target": "kind"}, "holds no class; two at least"),
        (
            "a,kind\n" + "".join(f"1,{i}.5\n" for i in range(50)),
            {"target": "kind"},
            "50 different values in 50 rows, so it names no classes",
        ),
    ],
)
def test_bad_tables_are_told(tmp_path, text, wanted, words):
    path = written(tmp_path, "a.csv", text)
    with pytest.raises(ValueError, match="olumn") as error:
        Wanted(path, **wanted).read()
    assert words in str(error.value)


def test_how_to_read_is_passed_on(tmp_path):
    path = written(tmp_path, "a.csv", "a;b,kind\n1,x\n2,y\n")
    assert list(Wanted(path, "kind", asked=Asked(delimiter=",")).read().X) == ["a;b"]
