"""What the title promises: CPML by the exponent of its norm, and by its constraints."""

from collections.abc import Callable
from dataclasses import replace
from math import inf
from pathlib import Path

from nearkind.experiments import statistics
from nearkind.experiments.design import CONSTRAINTS, Design
from nearkind.experiments.paper.accuracies import CRITERION, available_sets
from nearkind.experiments.paper.protocol import Protocol
from nearkind.experiments.paper.provenance import is_converged, provenance
from nearkind.experiments.paper.reproduction import Reproduction, TrialGroup
from nearkind.experiments.result_table import ResultTable
from nearkind.experiments.scores import mean_text, score_table
from nearkind.experiments.sets import BuiltIn

METHOD = "cpml-s"
EXPONENTS = (1.0, 1.5, 2.0, 3.0, inf)
SCORES = {"accuracy": "accuracy of 1-NN", "triplet_accuracy": "triplet accuracy"}


def exponents(protocol: Protocol) -> dict[str, Design]:
    """Return the design of each exponent of the Schatten norm."""
    design = protocol.variant_design
    return {f"p = {p:g}": replace(design, p=p) for p in EXPONENTS}


def kinds(protocol: Protocol) -> dict[str, Design]:
    """Return the design of each kind of constraints."""
    design = protocol.variant_design
    return {kind: replace(design, constraints=kind) for kind in CONSTRAINTS}


Designs = Callable[[Protocol], dict[str, Design]]
"""From a protocol to the design of each variant."""


def trials(reproduction: Reproduction, designs: Designs) -> list[TrialGroup]:
    """Return the trials of each variant on all sets."""
    sets = [BuiltIn(name) for name in available_sets(reproduction.largest).here]
    protocol = reproduction.protocol
    return [
        TrialGroup(sets, [METHOD], protocol.variant_repeats, design)
        for design in designs(protocol).values()
    ]


def compare(
    reproduction: Reproduction, designs: Designs, name: str, by_what: str
) -> list[Path]:
    """Make the table of both accuracies of each variant on each set, with ranks."""
    sets = available_sets(reproduction.largest).here
    named = {d.label: word for word, d in designs(reproduction.protocol).items()}
    names = list(named.values())
    rows = reproduction.rows(trials(reproduction, designs))
    # Variants stand where methods do; the table has no other use of them.
    as_methods = [row._replace(method=named[row.design], design="") for row in rows]
    early = {(r.dataset, r.method) for r in as_methods if not is_converged(r)}
    lines, notes = [], []
    for score, title in SCORES.items():
        scores = score_table(as_methods, score, sets, names)
        columns = scores.mean, scores.deviation, scores.n_repetitions
        for dataset, *cells in zip(scores.datasets, *columns, strict=True):
            texts = zip(names, map(mean_text, *cells), strict=True)
            marked = [t + "!" * ((dataset, each) in early) for each, t in texts]
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
    head = ["set", "score", *names]
    mark = "A cell marked ! has a chosen fit that ended before its tolerance."
    notes = [f"CPML-s. {CRITERION} {mark}", *notes, provenance(rows)]
    table = ResultTable(f"CPML by {by_what}", head, lines, notes)
    return reproduction.write(name, table)
