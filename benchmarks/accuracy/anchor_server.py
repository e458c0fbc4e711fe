"""Fit LightGBM or xRFM and answer for it; a process of ``.venv-anchors``.

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
from importlib.metadata import version
from queue import SimpleQueue
from threading import Thread
from time import process_time

SEED = 0
VALID_SHARE = 0.2
"""Share of the rows on which xRFM chooses its iteration, as in its documentation."""
PACKAGES = {"lightgbm": ("lightgbm",), "xrfm": ("xrfm", "torch")}


def lightgbm(X, y, n_words):
    """Fit LightGBM as it comes; the first ``n_words`` columns are of categories."""
    from lightgbm import LGBMClassifier

    model = LGBMClassifier(n_jobs=1, random_state=SEED, verbose=-1)
    return model.fit(X, y, categorical_feature=list(range(n_words)))


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


LEARNERS = {"lightgbm": lightgbm, "xrfm": xrfm}


def main(name: str) -> None:
    """Answer requests until there are no more."""
    warnings.simplefilter("ignore")
    answers, sys.stdout = sys.stdout.buffer, sys.stderr  # learners may print
    requests: SimpleQueue = SimpleQueue()
    Thread(target=_read, args=(requests,), daemon=True).start()
    for package in PACKAGES[name]:
        __import__(package)  # before any clock
    _send(answers, {package: version(package) for package in PACKAGES[name]})
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
