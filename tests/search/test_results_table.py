"""The table of what was tried, and what is shown meanwhile."""

import io
import sys
from threading import Thread
from time import sleep

import numpy as np
import pandas as pd
import pytest

import nearkind as nk
from helpers.racers import Blind, Right, Turning, easy, race
from nearkind.estimators import progress
from nearkind.estimators.progress import search_progress
from nearkind.search.candidates import Candidate
from nearkind.search.ensemble import Member
from nearkind.search.folds import deal_by_class
from nearkind.search.results_table import results_table

X, y = easy()
COLUMNS = [
    "candidate", "strength", "n_neighbors", "weights", "accuracy", "score", "n_held",
    "member", "rank", "seconds", "params", "mean_test_score", "std_test_score",
    "rank_test_score", "split0_test_score", "split1_test_score", "split2_test_score",
    "split3_test_score",
]  # fmt: skip


@pytest.fixture(scope="module")
def run():
    done = race(X, y)
    along = Candidate("along", Turning(), (3.0, 1.0))
    tried = [Candidate("blind", Blind()), Candidate("right", Right()), along]
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("NEARKIND_PLAIN", raising=False)  # some fall behind
        done.run(tried, list(deal_by_class(y, 4, np.random.default_rng(0))))
    return done


def test_there_is_a_line_for_every_setting_tried(run):
    table = results_table(run, [Member(0, 3), Member(1, 0)])
    assert list(table) == COLUMNS
    assert {len(column) for column in table.values()} == {4 * (1 + 1 + 2)}
    lines = list(zip(*(table[name] for name in COLUMNS[:4]), strict=True))
    assert len(set(lines)) == len(lines)
    assert ("along", 3.0, 1, "uniform") in lines
    assert ("right", None, 3, "distance") in lines


def test_those_judged_on_most_rows_come_first_the_best_before(run):
    table = results_table(run, [Member(0, 0)])
    keys = list(zip(-table["n_held"], -table["accuracy"], strict=True))
    assert keys == sorted(keys)
    assert set(table["n_held"][table["candidate"] == "blind"]) == {15}
    assert set(table["n_held"][table["candidate"] == "right"]) == {60}


def test_accuracy_is_the_share_of_right_answers(run):
    table = results_table(run, [Member(0, 0)])
    first = {name: column[0] for name, column in table.items()}
    assert first["accuracy"] == 1.0
    [blind] = run.dropped[:1]
    answers = blind.table()[0].argmax(axis=1)
    expected = np.mean(answers == y[run.held[0]])
    assert table["accuracy"][table["candidate"] == "blind"][0] == expected


def test_columns_are_those_of_scikit_learn(run):
    table = results_table(run, [Member(0, 0)])
    frame = pd.DataFrame(table)
    assert frame["rank_test_score"].iloc[0] == 1
    assert (np.diff(frame["rank_test_score"]) >= 0).all()
    np.testing.assert_array_equal(frame["mean_test_score"], frame["score"])
    params = frame["params"].iloc[0]
    assert params == {name: frame[name].iloc[0] for name in COLUMNS[:4]}
    splits = frame[[name for name in COLUMNS if name.startswith("split")]]
    is_blind = frame["candidate"] == "blind"
    assert splits[is_blind].notna().sum(axis=1).eq(1).all()
    assert splits[~is_blind].iloc[0].tolist() == [1.0] * 4
    held = np.concatenate(run.contenders[0].held)
    sizes = [len(each) for each in run.contenders[0].held]
    line = frame[frame["n_held"] == len(held)].iloc[-1]
    mean = np.average(line[splits.columns].astype(float), weights=sizes)
    assert mean == pytest.approx(line["mean_test_score"])


def test_members_are_marked_by_their_place(run):
    table = results_table(run, [Member(1, 2), Member(0, 0)])
    assert sorted(table["member"])[-2:] == [0, 1]
    assert (table["member"] >= 0).sum() == 2
    first = int(np.flatnonzero(table["member"] == 0)[0])
    assert (table["candidate"][first], table["weights"][first]) == ("along", "distance")


def test_columns_have_the_type_of_what_they_hold(run):
    table = results_table(run, [Member(0, 0)])
    kinds = {name: column.dtype.kind for name, column in table.items()}
    assert kinds == dict(zip(COLUMNS, "OOiOffiiffOffiffff", strict=True))


def test_silence_is_the_default(capsys):
    with search_progress(nk.CPMLClassifierCV()) as notify:
        notify(1, 2, "something", 0.5)
    assert capsys.readouterr() == ("", "")


def test_a_pipe_gets_a_line_for_each_fit_if_wanted(capsys):
    with search_progress(nk.CPMLClassifierCV(verbose=2)) as notify:
        notify(0, 20, "values", np.nan)
        notify(3, 20, "histograms", 0.875)
    assert capsys.readouterr().err.splitlines() == [
        "0% done; next: values",
        "15% done, best score 87.5%; next: histograms",
    ]


def test_a_pipe_gets_a_line_now_and_then_even_within_one_fit(capsys, monkeypatch):
    monkeypatch.setattr(progress, "SECONDS_BETWEEN_LINES", 0.1)
    with search_progress(nk.CPMLClassifierCV(verbose=1)) as notify:
        sleep(0.3)
        notify(3, 20, "values", np.nan)
        notify(3, 20, "histograms", 0.875)
        sleep(0.3)
    lines = capsys.readouterr().err.splitlines()
    assert lines[0] == "searching for 0 s: reading the table"
    assert lines[-1].endswith(" s: 15% done, best score 87.5%; next: histograms")
    assert not any("values" in line for line in lines)
    sleep(0.3)
    assert capsys.readouterr().err == ""


def test_a_short_search_is_silent_on_a_pipe(capsys):
    with search_progress(nk.CPMLClassifierCV(verbose=1)) as notify:
        notify(0, 20, "values", np.nan)
    assert capsys.readouterr() == ("", "")


def test_a_pipe_that_nobody_reads_ends_no_search(monkeypatch):
    class Broken(io.StringIO):
        def write(self, text):
            raise BrokenPipeError

    monkeypatch.setattr(progress, "SECONDS_BETWEEN_LINES", 0.01)
    monkeypatch.setattr(sys, "stderr", Broken())
    with search_progress(nk.CPMLClassifierCV(verbose=1)) as notify:
        notify(0, 20, "values", np.nan)
        sleep(0.1)  # an error in the thread would be a warning, which is an error


def test_a_search_that_may_start_no_thread_is_silent(capsys, monkeypatch):
    def refuse(thread):
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(progress, "SECONDS_BETWEEN_LINES", 0.01)
    monkeypatch.setattr(Thread, "start", refuse)
    with search_progress(nk.CPMLClassifierCV(verbose=1)) as notify:
        notify(0, 20, "values", np.nan)
    assert capsys.readouterr() == ("", "")


def test_a_terminal_gets_a_bar(monkeypatch):
    class Terminal(io.StringIO):
        def isatty(self):
            return True

    screen = Terminal()
    monkeypatch.setattr(sys, "stderr", screen)
    monkeypatch.setenv("TERM", "xterm")
    with search_progress(nk.CPMLClassifierCV(verbose=1)) as notify:
        notify(5, 20, "histograms", 0.875)
    shown = screen.getvalue()
    assert all(part in shown for part in ("histograms", "100%", "score 87.5%", "left"))
