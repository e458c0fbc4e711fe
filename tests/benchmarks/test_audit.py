"""The benchmark of audits spoils the labels that it says, and counts what is found."""

import numpy as np
import pytest

pytest.importorskip("benchmarks.tasks.audit")

from benchmarks.tasks.audit import METHODS, Table, page, scores, spoilt
from benchmarks.tasks.results import append_rows, read_rows


def test_one_label_in_ten_is_wrong():
    table, again = spoilt("monks1", 0), spoilt("monks1", 0)
    assert len(table.y) == 432
    assert table.is_wrong.sum() == 43
    assert (table.y == again.y).all()


def test_what_is_found_is_counted():
    table = Table(None, None, np.array([True, True, False, False]))
    found = scores(np.array([True, False, True, False]), np.arange(4.0), table)
    assert found["precision"] == found["recall"] == found["f1"] == 0.5


def test_rows_are_kept_and_shown(tmp_path, monkeypatch):
    monkeypatch.setattr("benchmarks.tasks.audit.versions", lambda *names: "Versions.")
    path = tmp_path / "rows.jsonl"
    assert read_rows(path) == []
    common = {"dataset": "zoo", "repetition": 0, "n_rows": 9, "seconds": 1.0}
    figures = dict.fromkeys(("precision", "recall", "f1", "average_precision"), 0.25)
    append_rows([{**common, "method": name, **figures} for name in METHODS], path)
    text = page(read_rows(path))
    assert "Means over 1 sets, 1 tables in all" in text
    assert "| audit, nearkind | 0.250 | 0.250 | 0.250 | 0.250 |" in text
    assert "| zoo | 9 | 0.250* |" in text
