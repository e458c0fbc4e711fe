"""The claims of the paper, judged by the tables that were made here.

Each claim has a criterion and a number that says how large the effect is. Criteria were
fixed before the fits were run to their tolerance; earlier tables were known by then.
"""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import NamedTuple

from nearkind.experiments.paper import criteria
from nearkind.experiments.paper.reproduction import Reproduction
from nearkind.experiments.result_table import ResultTable

VERDICTS = HELD, NOT_HELD, UNJUDGED = "held", "did not hold", "cannot be judged"


class Claim(NamedTuple):
    """A claim of the paper.

    Attributes
    ----------
    text : str
        What is claimed.
    criterion : str
        When it is held, here.
    sources : tuple of str
        Items whose tables decide it.
    check : callable
        From these tables to the verdict.
    """

    text: str
    criterion: str
    sources: tuple[str, ...]
    check: Callable[..., criteria.Verdict]

    def judge(self, folder: Path) -> list[str]:
        """Return its line: claim, criterion, verdict, numbers."""
        paths = [folder / f"{name}.csv" for name in self.sources]
        missing = [repr(path.stem) for path in paths if not path.exists()]
        verdict, numbers = UNJUDGED, f"make {' and '.join(missing)} first"
        if not missing:
            try:
                held, numbers = self.check(*map(criteria.ClaimTable.read, paths))
                verdict = HELD if held else NOT_HELD
            except criteria.TooLittleError as reason:
                numbers = str(reason)
        return [self.text, self.criterion, verdict, numbers]


def verdicts(reproduction: Reproduction) -> list[Path]:
    """Make the table of the claims and whether they held, from tables in the folder."""
    rows = [claim.judge(reproduction.folder) for claim in CLAIMS]
    counts = {word: sum(row[2] == word for row in rows) for word in VERDICTS}
    summary = ", ".join(f"{count} {word}" for word, count in counts.items())
    notes = [
        f"{summary}. The claim that results are consistent among data sets has no "
        "number, and is not judged."
    ]
    head = ["claim", "held if", "verdict", "numbers"]
    table = ResultTable("Claims of the paper", head, rows, notes)
    return reproduction.write("claims", table)


def _synthetic_claims(n_classes: int, reading: str) -> list[Claim]:
    where = f"{n_classes} classes, {reading}"
    source = (f"synthetic-{n_classes}",)
    grows = f"median rank correlation of each score at least {criteria.MIN_CORRELATION}"
    return [
        Claim(
            f"more features help ({where})",
            f"{grows}, within each weight",
            source,
            partial(criteria.grows_with, "features", "weight", reading),
        ),
        Claim(
            f"larger weights help ({where})",
            f"{grows}, within each number of features",
            source,
            partial(criteria.grows_with, "weight", "features", reading),
        ),
        Claim(
            f"CPML-s and CPML-m are alike ({where})",
            f"mean differences below {criteria.ALIKE}",
            source,
            partial(criteria.are_alike, reading),
        ),
        Claim(
            f"scores are stable from 10 to 15 features on ({where})",
            f"more features gain less than {criteria.STABLE} in the mean over weights",
            source,
            partial(criteria.is_stable, reading),
        ),
        Claim(
            f"results satisfy at weight 0.1 with 10 to 15 features ({where})",
            "every mean score at least half way from chance to 1",
            source,
            partial(criteria.satisfies_at_least_weight, reading, n_classes),
        ),
    ]


READINGS = "raw", "normalised"
FEW_CLASSES = "2", "4"
OTHERS_BY_ROWS = "cpml-m", "kdml", "lmnn", "helic"
CLAIMS = [
    *(
        claim
        for n_classes in (4, 20)
        for reading in READINGS
        for claim in _synthetic_claims(n_classes, reading)
    ),
    *(
        Claim(
            f"20 classes are a bit degraded ({reading})",
            f"every mean score lower by at most {criteria.MOST_DEGRADED}",
            ("synthetic-4", "synthetic-20"),
            partial(criteria.is_a_bit_degraded, reading),
        )
        for reading in READINGS
    ),
    Claim(
        "noisy features have at most 1.7 % of the metric",
        "the largest mean share of CPML-s is at most 0.017",
        ("noise",),
        criteria.noise_is_small,
    ),
    Claim(
        "CPML-s is faster than CPML-m and KDML, whatever the classes",
        "faster at every size",
        ("time-classes",),
        partial(criteria.is_faster, "cpml-s", ("cpml-m", "kdml")),
    ),
    Claim(
        "the time of CPML-s does not depend on the number of classes",
        f"longest over shortest below {criteria.SAME_TIME}, median over sizes",
        ("time-classes",),
        partial(criteria.times_depend_on_classes, ("cpml-s",), False),
    ),
    Claim(
        "the times of CPML-m and KDML depend on the number of classes",
        f"longest over shortest at least {criteria.SAME_TIME}, median over sizes",
        ("time-classes",),
        partial(criteria.times_depend_on_classes, ("cpml-m", "kdml"), True),
    ),
    Claim(
        "KDML is faster than CPML-m with few classes",
        "faster with 2 and with 4 classes at every size",
        ("time-classes",),
        partial(criteria.is_faster, "kdml", ("cpml-m",), at=FEW_CLASSES),
    ),
    Claim(
        "POLA is the fastest",
        "faster than all others at every size",
        ("time-rows",),
        partial(criteria.is_faster, "pola", ("cpml-s", *OTHERS_BY_ROWS)),
    ),
    Claim(
        "CPML-s is the fastest but POLA",
        "faster than all others at every size",
        ("time-rows",),
        partial(criteria.is_faster, "cpml-s", OTHERS_BY_ROWS),
    ),
    Claim(
        "HELIC is faster than CPML-m",
        "faster at every size",
        ("time-rows",),
        partial(criteria.is_faster, "helic", ("cpml-m",)),
    ),
    Claim(
        "KDML and LMNN are slower than CPML-m, especially on many rows",
        "slower at most sizes and at the largest",
        ("time-rows",),
        partial(criteria.are_slower, ("kdml", "lmnn"), "cpml-m"),
    ),
    *(
        claim
        for kind in ("triplets", "classification")
        for claim in (
            Claim(
                f"CPML is best on most sets, {kind}",
                "CPML-s or CPML-m best or tied on more than half of the sets",
                (kind,),
                criteria.is_best_on_most,
            ),
            Claim(
                f"where CPML is not best it is close, {kind}",
                f"median shortfall of the better one at most {criteria.ALIKE}",
                (kind,),
                criteria.is_close_elsewhere,
            ),
            Claim(
                f"HELIC and DM3 are better than KDML and LMNN, {kind}",
                "both have better mean ranks than both",
                (kind,),
                partial(criteria.are_better, ("helic", "dm3"), ("kdml", "lmnn")),
            ),
        )
    ),
    Claim(
        "no kind of constraints dominates",
        "none is alone best on more than half of the sets, for either score",
        ("constraints",),
        criteria.none_dominates,
    ),
]
"""What the paper says of its experiments, in its order."""
