"""Fit a learner and answer for it; a process of ``.venv-anchors``.

    .venv-anchors/bin/python benchmarks/accuracy/anchor_server.py NAME

Requests come pickled through standard input: first the arguments of a function of
``LEARNERS`` as a dict, then tables whose probabilities are wanted. Each is answered
through standard output by a pair: the seconds of CPU that it took, and None after a
fit, else the probabilities; before all, by versions. An exception is an answer too.
The process ends with its input, so it never outlives the one that asked.
"""

import os
import pickle
import sys
import warnings
from functools import partial
from importlib.metadata import version
from queue import SimpleQueue
from threading import Thread
from time import process_time

SEED = 0
VALID_SHARE = 0.2
"""Share of the rows on which xRFM chooses its iteration, as in its documentation."""
PACKAGES = {
    "lightgbm": ("lightgbm",),
    "catboost": ("catboost",),
    "ebm": ("interpret",),
    "realmlp": ("pytabkit", "torch"),
    "tabm": ("pytabkit", "torch"),
    "xrfm": ("xrfm", "torch"),
}
DISTRIBUTIONS = {"interpret": "interpret-core"}


class Prepared:
    """A model that is asked about tables in the form in which it learned.

    Parameters
    ----------
    model : estimator
        Fitted.
    prepare : callable
        From a table as it comes to the form.
    """

    def __init__(self, model, prepare):
        self.model = model
        self.prepare = prepare

    def predict_proba(self, X):
        return self.model.predict_proba(self.prepare(X))


def lightgbm(X, y, n_words):
    """Fit LightGBM as it comes; the first ``n_words`` columns are of categories."""
    from lightgbm import LGBMClassifier

    model = LGBMClassifier(n_jobs=1, random_state=SEED, verbose=-1)
    words = list(range(n_words))
    model.fit(X.astype(float), y, categorical_feature=words)
    return Prepared(model, lambda X: X.astype(float))


def catboost(X, y, n_words):
    """Fit CatBoost with 1,000 trees; fewer if many classes each have their own."""
    from catboost import CatBoostClassifier

    model = CatBoostClassifier(
        iterations=min(1_000, 3_000 // len(set(y))),
        cat_features=list(range(n_words)),
        random_seed=SEED,
        thread_count=1,
        verbose=False,
        allow_writing_files=False,
    )
    return model.fit(X, y)


def ebm(X, y, n_words):
    """Fit an explainable boosting machine as it comes."""
    from interpret.glassbox import ExplainableBoostingClassifier

    kinds = ["nominal"] * n_words + ["continuous"] * (X.shape[1] - n_words)
    model = ExplainableBoostingClassifier(
        feature_types=kinds, n_jobs=1, random_state=SEED
    )
    return model.fit(X, y)


def realmlp(X, y, n_words):
    """Fit RealMLP with the settings that its authors tuned on other tables."""
    from pytabkit import RealMLP_TD_Classifier

    return _network(RealMLP_TD_Classifier, X, y, n_words)


def tabm(X, y, n_words):
    """Fit TabM with its default settings."""
    from pytabkit import TabM_D_Classifier

    return _network(TabM_D_Classifier, X, y, n_words)


def _network(make, X, y, n_words):
    prepare = partial(_frame, n_words=n_words)
    model = make(device="cpu", n_threads=1, random_state=SEED, verbosity=0)
    model.fit(prepare(X), y, cat_col_names=[str(d) for d in range(n_words)])
    return Prepared(model, prepare)


def _frame(X, n_words):
    import pandas as pd

    frame = pd.DataFrame(X, columns=[str(d) for d in range(X.shape[1])])
    kinds = ["str"] * n_words + ["float32"] * (X.shape[1] - n_words)
    return frame.astype(dict(zip(frame, kinds, strict=True)))


def xrfm(X, y):
    """Fit xRFM as it comes, on one-hot columns and standardised numbers."""
    import torch
    from sklearn.model_selection import train_test_split
    from xrfm import xRFM

    X_train, X_valid, y_train, y_valid = train_test_split(
        X.astype("float32"), y, test_size=VALID_SHARE, random_state=SEED
    )
    model = xRFM(
        device=torch.device("cpu"), n_threads=1, random_state=SEED, verbose=False
    )
    model.fit(X_train, y_train, X_valid, y_valid)
    return model


LEARNERS = {f.__name__: f for f in (lightgbm, catboost, ebm, realmlp, tabm, xrfm)}


def main(name: str) -> None:
    """Answer requests until there are no more."""
    warnings.simplefilter("ignore")
    answers, sys.stdout = sys.stdout.buffer, sys.stderr  # learners may print
    requests: SimpleQueue = SimpleQueue()
    Thread(target=_read, args=(requests,), daemon=True).start()
    for package in PACKAGES[name]:
        __import__(package)  # before any clock
    _send(answers, {p: version(DISTRIBUTIONS.get(p, p)) for p in PACKAGES[name]})
    model = None
    while True:
        request, start = requests.get(), process_time()
        try:
            if model is None:
                model, value = LEARNERS[name](**request), None
            else:
                value = model.predict_proba(request)
            _send(answers, (process_time() - start, value))
        except Exception as error:
            _send(answers, RuntimeError(f"{type(error).__name__}: {error}"))


def _read(requests) -> None:
    try:
        while True:
            requests.put(pickle.load(sys.stdin.buffer))
    except EOFError:
        os._exit(0)


def _send(answers, value) -> None:
    pickle.dump(value, answers)
    answers.flush()


if __name__ == "__main__":
    main(sys.argv[1])
