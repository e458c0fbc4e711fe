"""Methods that sleep, fail, die or take all memory, for sandboxes to import."""

import os
import signal
import time
from pathlib import Path

import numpy as np

from nearkind.baselines import Hamming
from nearkind.experiments.methods import DistanceMethod


class Sleeping(Hamming):
    """Says who it is, if asked to, and sleeps."""

    seconds = 60.0

    def fit(self, X, y=None, sample_weight=None):
        if "SLEEPERS" in os.environ:
            Path(os.environ["SLEEPERS"], str(os.getpid())).touch()
        time.sleep(self.seconds)
        return super().fit(X, y)


class Dozing(Sleeping):
    seconds = 0.3


class Failing(Hamming):
    def fit(self, X, y=None, sample_weight=None):
        raise ValueError("no rows\n  are good enough")


class Dying(Hamming):
    def fit(self, X, y=None, sample_weight=None):
        os.kill(os.getpid(), signal.SIGKILL)


class Leaving(Hamming):
    def fit(self, X, y=None, sample_weight=None):
        raise SystemExit(3)


class Greedy(Hamming):
    def fit(self, X, y=None, sample_weight=None):
        self.much = np.ones(1 << 27)  # 1 GB
        return super().fit(X, y)


ODD = {
    "plain": DistanceMethod(Hamming),
    "sleeping": DistanceMethod(Sleeping),
    "dozing": DistanceMethod(Dozing),
    "failing": DistanceMethod(Failing),
    "dying": DistanceMethod(Dying),
    "leaving": DistanceMethod(Leaving),
    "greedy": DistanceMethod(Greedy),
}
