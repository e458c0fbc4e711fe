"""The paper's table of noisy features: their share of the metric."""

from dataclasses import replace
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

from nearkind.estimators.cpml import CPML
from nearkind.experiments.design import Design
from nearkind.experiments.methods import CPMLPath, Method
from nearkind.experiments.paper import reference
from nearkind.experiments.paper.provenance import provenance
from nearkind.experiments.paper.reproduction import Reproduction, TrialGroup
from nearkind.experiments.result_table import ResultTable
from nearkind.experiments.scores import values_by_cell, values_text
from nearkind.experiments.sets import Synthetic
from nearkind.experiments.splits import Split
from nearkind.metrics.spectrum import decompose
from nearkind.protocols import Array

INFORMATIVE = 8
NOISY = (1, 4, 7, 10, 13)
EXPONENTS = (1, 2, 3)
SHARES = {"noise_share": "metric", "noise_relevance": "distance"}
"""Fields of rows, and of what they are the share."""


class NoisePath(CPMLPath):
    """CPML along its strengths, and the share of the features after the first 8."""

    def facts(self, parts: Split, seed: int, design: Design) -> dict[str, Any]:
        """Select on the validation part; return the shares of noise."""
        model, _, facts = self.select(parts, seed, design)
        noisy = model.feature_relevance_[INFORMATIVE:]
        return {
            **facts,
            "noise_share": noise_share(model.metric_[0], design.p),
            "noise_relevance": float(noisy.sum()),
        }


NOISE_METHODS: dict[str, Method] = {
    "cpml-s": NoisePath(partial(CPML, "single", warm_start=True)),
    "cross-fit": NoisePath(partial(CPML, "single", warm_start=True, cross_fit=True)),
    "cross-fit, smoothed": NoisePath(
        partial(CPML, "single", warm_start=True, cross_fit=True, smoothing="auto")
    ),
}
"""The paper's method, and ours against a row's own label in its histograms."""


SETS = {n: Synthetic(n_features=INFORMATIVE, n_noisy=n) for n in NOISY}


def trials(reproduction: Reproduction) -> list[TrialGroup]:
    """Return the trials of each exponent."""
    protocol = reproduction.protocol
    designs = [replace(protocol.design, p=float(p)) for p in EXPONENTS]
    sets, methods = list(SETS.values()), list(NOISE_METHODS)
    return [
        TrialGroup(sets, methods, protocol.noise_repeats, design, NOISE_METHODS)
        for design in designs
    ]


def noise(reproduction: Reproduction) -> list[Path]:
    """Make the table of the share of noisy features."""
    by_exponent = dict(zip(EXPONENTS, trials(reproduction), strict=True))
    rows_of = {p: reproduction.rows([group]) for p, group in by_exponent.items()}
    found = {
        (p, share): values_by_cell(rows, share)
        for (p, rows), share in product(rows_of.items(), SHARES)
    }
    columns = list(product(SHARES, NOISE_METHODS))
    lines = [
        [
            *(str(n_noisy), str(p), str(reference.noise()[n_noisy, p])),
            *(
                values_text(found[p, share][each.name, method])
                for share, method in columns
            ),
        ]
        for (n_noisy, each), p in product(SETS.items(), EXPONENTS)
    ]
    names = (f"{method}, {SHARES[share]}" for share, method in columns)
    notes = [
        "metric: Tr(N^p) / Tr(M^p), N the rows and columns of noisy features of M. "
        "distance: their share of the mean squared distance between training rows. "
        f"CPML-s with the Schatten p-norm, {INFORMATIVE} informative features, weight "
        "0.3, 4 classes, 1,000 rows, strength by 1-NN accuracy on validation rows; "
        "mean ± deviation over draws.",
        provenance([row for rows in rows_of.values() for row in rows]),
    ]
    head = ["noisy", "p", "printed", *names]
    table = ResultTable("Share of noisy features", head, lines, notes)
    return reproduction.write("noise", table)


def noise_share(M: Array, p: float) -> float:
    """Return Tr(N^p) / Tr(M^p), N the rows and columns of noisy features of M."""
    whole, part = (
        decompose(each[None]).positive().values ** p
        for each in (M, M[INFORMATIVE:, INFORMATIVE:])
    )
    return float(part.sum() / whole.sum()) if whole.any() else 0.0
