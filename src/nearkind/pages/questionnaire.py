"""One self-contained page that asks which rows are alike and keeps the answers."""

from typing import Any

import numpy as np

from nearkind.pages.page import assembled, template
from nearkind.tasks import answer_posterior
from nearkind.tasks import questions as asking
from nearkind.tasks.questions import Questions

POOL = 10
"""Questions on the page for each that is to be asked, of which it chooses."""


def questionnaire(questions: Questions, n_questions: int, name: str) -> str:
    """Return a page that asks questions about a table, as ``nearkind teach`` does.

    It chooses among a batch of different questions by the answers so far, keeps these
    in the browser, and downloads them as a file for ``nearkind fit --answers``.

    Parameters
    ----------
    questions : Questions
        Their answers so far, if there are any, have been given on the page.
    n_questions : int
        How many answers to ask for.
    name : str
        Of the table, for the title.

    Returns
    -------
    str
    """
    style = template("page.css") + template("ask.css")
    facts = questionnaire_facts(questions, n_questions)
    title = f"Which rows of {name} are similar?"
    return assembled("ask.html", title, style, template("ask.js"), facts)


def questionnaire_facts(questions: Questions, n_questions: int) -> dict[str, Any]:
    """Return what the page knows: questions, their rows, the prior of the weights."""
    pool = questions.batch(asking.N_CANDIDATES)[: POOL * n_questions]
    given = [row for each in questions.answers for row in each.rows]
    rows = np.unique([*pool.ravel().tolist(), *given])
    of, cells = questions.comparisons, questions.cells_of(rows)
    prior = of.prior_mean
    return {
        "state": questions.state,
        "n_questions": n_questions,
        "asked_again": asking.ASKED_AGAIN,
        "pool": pool.tolist(),
        "rows": rows.tolist(),
        "columns": [str(column) for column in cells],
        "cells": [
            ["missing" if cell is None else str(cell) for cell in column]
            for column in cells.values()
        ],
        "codes": of.codes[rows].T.tolist(),
        "coordinates": of.coordinates[rows].T.tolist(),
        "is_axis": of.is_axis.tolist(),
        "scale": of.scale,
        "of_values": answer_posterior.OF_VALUES,
        "prior": [float(prior[0]), float(prior[-1])],
        "nodes": answer_posterior.NODES.tolist(),
        "node_weights": answer_posterior.NODE_SHARES.tolist(),
        "lapse": answer_posterior.LAPSE,
        "easy": asking.EASY,
        "recent": asking.RECENT,
    }
