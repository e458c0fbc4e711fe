"""What the title promises: CPML by the exponent of its norm, and by its constraints."""

from collections.abc import Mapping
from dataclasses import replace
from math import inf
from pathlib import Path

from nearkind.experiments import statistics
from nearkind.experiments.design import Design
from nearkind.experiments.paper.accuracies import CRITERION, available_sets
from nearkind.experiments.paper.provenance import is_converged, provenance
from nearkind.experiments.paper.reproduction import Reproduction
from nearkind.experiments.result_table import ResultTable
from nearkind.experiments.scores import mean_text, score_table

METHOD = "cpml-s"
EXPONENTS = (1.0, 1.5, 2.0, 3.0, inf)
KINDS = ("triplets", "pairs", "quadruplets")
SCORES = {"accuracy": "accuracy of 1-NN", "triplet_accuracy": "triplet accuracy"}


def norms(reproduction: Reproduction) -> list[Path]:
    """Make the table of accuracies by the exponent of the Schatten norm."""
    design = reproduction.protocol.variant_design
    variants = {f"p = {p:g}": replace(design, p=p) for p in EXPONENTS}
    return _compare(reproduction, variants, "norms", "the exponent of the norm")


def constraints(reproduction: Reproduction) -> list[Path]:
    """Make the table of accuracies by the kind of constraints."""
    design = reproduction.protocol.variant_design
    variants = {kind: replace(design, constraints=kind) for kind in KINDS}
    return _compare(reproduction, variants, "constraints", "the kind of constraints")


def _compare(
    reproduction: Reproduction, variants: Mapping[str, Design], name: str, by_what: str
) -> list[Path]:
    """Make the table of both accuracies of each variant on each set, with ranks."""
    sets = available_sets(reproduction.largest).here
    named = {design.label: variant for variant, design in variants.items()}
    rows = [
        row
        for design in variants.values()
        for row in reproduction.rows(
            sets, [METHOD], reproduction.protocol.variant_repeats, design=design
        )
    ]
    # Variants stand where methods do; the table has no other use of them.
    as_methods = [row._replace(method=named[row.design], design="") for row in rows]
    early = {(r.dataset, r.method) for r in as_methods if not is_converged(r)}
    lines, notes = [], []
    for score, title in SCORES.items():
        scores = score_table(as_methods, score, sets, list(variants))
        columns = scores.mean, scores.deviation, scores.n_repetitions
        for dataset, *cells in zip(scores.datasets, *columns, strict=True):
            texts = zip(variants, map(mean_text, *cells), strict=True)
            marked = [t + "!" * ((dataset, name) in early) for name, t in texts]
            lines.append([dataset, title, *marked])
        whole = scores.complete()
        if len(whole.datasets) > 1:
            ranks = statistics.mean_ranks(whole.mean)
            lines.append(["mean rank", title, *(f"{rank:.2f}" for rank in ranks)])
            means = whole.mean.mean(axis=0)
            lines.append(["mean", title, *(f"{mean:.4f}" for mean in means)])
            test = statistics.friedman(whole.mean)
            notes.append(
                f"{title}: Iman and Davenport's F = {test.F:.2f}, "
                f"p = {test.F_p_value:.2g} over {len(whole.datasets)} sets."
            )
    head = ["set", "score", *variants]
    mark = "A cell marked ! has a chosen fit that ended before its tolerance."
    notes = [f"CPML-s. {CRITERION} {mark}", *notes, provenance(rows)]
    table = ResultTable(f"CPML by {by_what}", head, lines, notes)
    return reproduction.write(name, table)
