"""Classifiers of ``.venv-anchors``, which are fitted and asked in a process there."""

import os
import pickle
import sys
from functools import cache
from pathlib import Path
from subprocess import DEVNULL, PIPE, Popen
from time import process_time

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin

PYTHON = Path(__file__).parents[2] / ".venv-anchors" / "bin" / "python"
SCRIPT = Path(__file__).with_name("anchor_server.py")
NAMES = "lightgbm", "catboost", "ebm", "realmlp", "tabm", "xrfm"
ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "MKL_NUM_THREADS"), "1")


class Server:
    """A process of the other environment that fits one model and answers for it.

    Parameters
    ----------
    name : str
        Whose model.

    Attributes
    ----------
    versions : dict of str to str
        Versions of its packages.
    cpu_seconds : float
        Time of its processor so far, without the loading of libraries.
    """

    def __init__(self, name):
        self._process = Popen(
            [PYTHON, SCRIPT, name], stdin=PIPE, stdout=PIPE, stderr=DEVNULL,
            env=os.environ | ONE_THREAD,
        )  # fmt: skip
        self.versions = self._answer()
        self.cpu_seconds = 0.0

    def ask(self, request):
        """Return the answer to a request."""
        pickle.dump(request, self._process.stdin)
        self._process.stdin.flush()
        seconds, value = self._answer()
        self.cpu_seconds += seconds
        return value

    def _answer(self):
        try:
            answer = pickle.load(self._process.stdout)
        except EOFError:
            code = self._process.wait()
            raise RuntimeError(f"{SCRIPT.name} ended with code {code}.") from None
        if isinstance(answer, Exception):
            raise answer
        return answer


STARTED: list[Server] = []


@cache
def server(name):
    """Return the server of this process, which is started by the first call."""
    STARTED.append(Server(name))
    return STARTED[-1]


def cpu_seconds():
    """Return the time of the processor for this process and its servers."""
    return process_time() + sum(each.cpu_seconds for each in STARTED)


class Anchor(ClassifierMixin, BaseEstimator):
    """A classifier of the other environment, for classes 0, 1, ....

    Parameters
    ----------
    name : str
        Which one.
    encoder : estimator
        Transformer of rows to numbers.
    settings : dict
        What the learner is told beside rows and labels.
    """

    def __init__(self, name, encoder, settings):
        self.name = name
        self.encoder = encoder
        self.settings = settings

    def fit(self, X, y):
        table = np.asarray(self.encoder.fit_transform(X))
        server(self.name).ask({"X": table, "y": y, **self.settings})
        return self

    def predict_proba(self, X):
        table = np.asarray(self.encoder.transform(X))
        return server(self.name).ask(table)

    def predict(self, X):
        return self.predict_proba(X).argmax(axis=1)


def check_environment():
    """Exit with a message if there is no environment."""
    if not PYTHON.exists():
        sys.exit(f"There is no {PYTHON}. Run `make bench-accuracy`, which makes it.")
