"""How much of the metric falls on features that tell nothing."""

import warnings
from functools import partial
from itertools import product
from pathlib import Path

import numpy as np

from nearkind.estimators.cpml import CPML
from nearkind.experiments import Design
from nearkind.experiments.generated import Synthetic
from nearkind.experiments.judging import choose
from nearkind.experiments.methods import ENOUGH, AlongStrengths
from nearkind.experiments.paper import printed
from nearkind.experiments.paper.tables import Table
from nearkind.experiments.paper.workshop import Workshop
from nearkind.experiments.splits import load, seed_of, split
from nearkind.metrics.spectrum import decompose
from nearkind.protocols import Array

INFORMATIVE = 8
NOISY = (1, 4, 7, 10, 13)
EXPONENTS = (1, 2, 3)
LARGEST_PRINTED = 0.017


def make(workshop: Workshop) -> list[Path]:
    """Fit, and write our shares beside the printed ones."""
    head = ["noisy", *(f"{w}p = {p}" for p, w in product(EXPONENTS, ("", "printed, ")))]
    rows = [_row(n_noisy, workshop.repeats) for n_noisy in NOISY]
    notes = [
        "Tr(N^p) / Tr(M^p), N the rows and columns of noisy features of M. CPML-s with "
        f"the Schatten p-norm, {INFORMATIVE} informative features of weight 0.3, 4 "
        "classes, 1,000 rows, strength by validation; mean ± deviation over "
        f"{workshop.repeats} draws."
    ]
    table = Table("Share of the metric on noisy features", head, rows, notes)
    return workshop.write(table, "noise")


def _row(n_noisy: int, repeats: int) -> list[str]:
    cells = [str(n_noisy)]
    for p in EXPONENTS:
        found = [share(n_noisy, p, repetition) for repetition in range(repeats)]
        deviation = np.std(found, ddof=1) if repeats > 1 else 0.0
        ours = printed.Figure(float(np.mean(found)), float(deviation))
        cells += [str(ours), str(printed.noise()[n_noisy, p])]
    return cells


def share(n_noisy: int, p: float, repetition: int) -> float:
    """Return the share in one draw, at the strength that validation chooses."""
    name = Synthetic(n_features=INFORMATIVE, n_noisy=n_noisy).name
    method = AlongStrengths(partial(CPML, p=p, warm_start=True, **ENOUGH))
    seed = seed_of(name, repetition)
    parts = split(load(name, seed), seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of strengths that leave nothing
        model = choose(method, parts, seed, Design()).candidate.model
    return norm_share(model.metric_[0], p)


def norm_share(M: Array, p: float) -> float:
    """Return Tr(N^p) / Tr(M^p), N the rows and columns of noisy features of M."""
    whole, part = (
        decompose(each[None]).positive().values ** p
        for each in (M, M[INFORMATIVE:, INFORMATIVE:])
    )
    return float(part.sum() / whole.sum()) if whole.any() else 0.0
