"""Trials: their order."""

from nearkind.experiments import METHODS, Design
from nearkind.experiments.trial import plan


def test_repetition_by_repetition_small_sets_come_first_and_nothing_twice():
    trials = plan(["tic_tac_toe", "credit_risk", "credit_risk"], ["lin"], 2, Design())
    assert [(trial.dataset.name, trial.repetition) for trial in trials] == [
        ("credit_risk", 0),
        ("tic_tac_toe", 0),
        ("credit_risk", 1),
        ("tic_tac_toe", 1),
    ]
    assert {trial.method for trial in trials} == {METHODS["lin"]}
