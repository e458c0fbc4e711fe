"""Fit xrfm's recursive feature machine on arrays from a file; for ``.venv-anchors``.

    .venv-anchors/bin/python benchmarks/peers/fit_rfm.py IN.npz OUT.npz

IN holds distinct rows X (n, W), marks of their classes T (n, C), and rows X_test. OUT
will hold M after each round, divided by its largest entry, ``predictions`` for X_test
under the last, and the ``seconds`` of the fit.
"""

import sys
from time import perf_counter

import numpy as np
import torch
from xrfm.rfm_src import RFM


def main(source: str, result: str) -> None:
    """Read, fit, write."""
    with np.load(source) as data:
        X, T, X_test = (torch.from_numpy(data[name]) for name in ("X", "T", "X_test"))
    model = RFM("l2", 5, 2.0, bandwidth_mode="adaptive", device="cpu", verbose=False)
    start = perf_counter()
    found = model.fit(
        (X, T), (X, T), reg=1e-3, return_Ms=True, return_best_params=False,
        early_stop_rfm=False,
    )  # fmt: skip
    seconds = perf_counter() - start
    M = torch.stack(found).numpy()
    np.savez(result, M=M, predictions=model.predict(X_test).numpy(), seconds=seconds)


if __name__ == "__main__":
    main(*sys.argv[1:])
