"""Claims of the paper: held, did not hold, or cannot be judged."""

import csv

import pytest

from nearkind.experiments.paper.claims import HELD, NOT_HELD, UNJUDGED, verdicts

SYNTHETIC = [
    "reading",
    "features",
    "weight",
    "cpml-s triplet_accuracy",
    "cpml-s accuracy",
    "cpml-s pair_accuracy",
    "cpml-m triplet_accuracy",
    "cpml-m accuracy",
    "cpml-m pair_accuracy",
]
TIMES = "cpml-s", "cpml-m", "kdml", "lmnn", "helic", "pola"


def judged(reproduction, **tables):
    """Return verdict and numbers of each claim, given the lines of tables."""
    reproduction.folder.mkdir(exist_ok=True)
    for name, rows in tables.items():
        path = reproduction.folder / f"{name.replace('_', '-')}.csv"
        with path.open("w", encoding="utf-8", newline="") as file:
            csv.writer(file).writerows(rows)
    with verdicts(reproduction)[1].open(encoding="utf-8") as file:
        lines = list(csv.DictReader(file))
    assert all(line["held if"] for line in lines)
    return {line["claim"]: (line["verdict"], line["numbers"]) for line in lines}


def synthetic(scores, reading="raw"):
    """Return a table: scores by (features, weight), the same for all columns."""
    body = [
        [reading, str(n), str(w), *[f"{score:.4f} ± 0.01"] * 6]
        for (n, w), score in scores.items()
    ]
    return [SYNTHETIC, *body]


def test_what_is_not_made_cannot_be_judged(reproduction):
    found = judged(reproduction)
    assert {verdict for verdict, _ in found.values()} == {UNJUDGED}
    assert (
        "make 'noise' first"
        in found["noisy features have at most 1.7 % of the metric"][1]
    )


@pytest.mark.parametrize(("last", "verdict"), [(0.8, HELD), (0.1, NOT_HELD)])
def test_growth(reproduction, last, verdict):
    scores = {(1, 0.1): 0.3, (2, 0.1): last, (1, 0.5): 0.4, (2, 0.5): last + 0.1}
    found = judged(reproduction, synthetic_4=synthetic(scores))
    assert found["more features help (4 classes, raw)"][0] == verdict
    assert found["larger weights help (4 classes, raw)"][0] == HELD
    assert found["CPML-s and CPML-m are alike (4 classes, raw)"][0] == HELD
    lacking = found["more features help (4 classes, normalised)"]
    assert lacking == (UNJUDGED, "the table lacks the reading 'normalised'")


@pytest.mark.parametrize(("at_25", "verdict"), [(0.71, HELD), (0.9, NOT_HELD)])
def test_stability(reproduction, at_25, verdict):
    scores = {(12, 0.1): 0.7, (25, 0.1): at_25}
    found = judged(reproduction, synthetic_4=synthetic(scores))
    name = "scores are stable from 10 to 15 features on (4 classes, raw)"
    assert found[name][0] == verdict


@pytest.mark.parametrize(("score", "verdict"), [(0.9, HELD), (0.7, NOT_HELD)])
def test_satisfaction_at_the_least_weight(reproduction, score, verdict):
    table = synthetic({(12, 0.1): score, (12, 0.9): 1.0})
    found = judged(reproduction, synthetic_4=table)
    name = "results satisfy at weight 0.1 with 10 to 15 features (4 classes, raw)"
    assert found[name][0] == verdict


@pytest.mark.parametrize(
    ("many", "verdict"), [(0.75, HELD), (0.5, NOT_HELD), (0.85, NOT_HELD)]
)
def test_degradation(reproduction, many, verdict):
    found = judged(
        reproduction,
        synthetic_4=synthetic({(12, 0.1): 0.8}),
        synthetic_20=synthetic({(12, 0.1): many}),
    )
    assert found["20 classes are a bit degraded (raw)"][0] == verdict


@pytest.mark.parametrize(("share", "verdict"), [("0.017", HELD), ("0.3", NOT_HELD)])
def test_noise(reproduction, share, verdict):
    head = ["noisy", "p", "cpml-s, metric", "cross-fit, smoothed, distance"]
    found = judged(reproduction, noise=[head, ["1", "1", f"{share} ± 0", "0.01 ± 0"]])
    name = "noisy features have at most 1.7 % of the metric"
    assert found[name][0] == verdict


@pytest.mark.parametrize(
    ("times", "verdicts"),
    [
        (
            "2 4 5 6 3 1",
            {"CPML-s is the fastest but POLA": HELD, "POLA is the fastest": HELD},
        ),
        ("2 4 1 6 3 1", {"CPML-s is the fastest but POLA": NOT_HELD}),
        ("2 4 5 6 3 9", {"POLA is the fastest": NOT_HELD}),
        ("2 4 5 6 3 1", {"HELIC is faster than CPML-m": HELD}),
        ("2 4 5 6 5 1", {"HELIC is faster than CPML-m": NOT_HELD}),
        ("2 4! 5 6 3 1", {"HELIC is faster than CPML-m": HELD}),
    ],
)
def test_speed(reproduction, times, verdicts):
    table = [["rows", *TIMES], ["500", *times.split()]]
    found = judged(reproduction, time_rows=table)
    assert {name: found[name][0] for name in verdicts} == verdicts


@pytest.mark.parametrize(("kdml", "verdict"), [("5", HELD), ("3", NOT_HELD)])
def test_slowness_counts_at_the_largest_size(reproduction, kdml, verdict):
    table = [["rows", *TIMES], ["500", "1", "2", "3", "3", "1", "1"]]
    table += [["1,000", "1", "2", "3", "3", "1", "1"]]
    table += [["2,000", "1", "4", kdml, "5", "1", "1"]]
    found = judged(reproduction, time_rows=table)
    name = "KDML and LMNN are slower than CPML-m, especially on many rows"
    assert found[name][0] == verdict


def test_times_and_classes(reproduction):
    head = ["classes", "rows", "cpml-s", "cpml-m", "kdml"]
    table = [head, ["2", "500", "1", "2", "1.5"], ["20", "500", "1.2", "9", "5"]]
    found = judged(reproduction, time_classes=table)
    for name in (
        "the time of CPML-s does not depend on the number of classes",
        "the times of CPML-m and KDML depend on the number of classes",
        "CPML-s is faster than CPML-m and KDML, whatever the classes",
        "KDML is faster than CPML-m with few classes",
    ):
        assert found[name][0] == HELD


SETS = ["set", "", "euclidean", "cpml-s", "cpml-m", "kdml", "lmnn", "helic", "dm3"]


@pytest.mark.parametrize(("mark", "verdict"), [("*", HELD), ("", NOT_HELD)])
def test_best_on_most(reproduction, mark, verdict):
    ours = ["1 ± 0*", f"1 ± 0{mark}", ".9 ± 0", ".6", ".7", ".8 ± 0", ".9 ± 0"]
    table = [SETS, ["zoo", "ours", *ours], ["", "printed", *"1111111"]]
    found = judged(reproduction, triplets=table)
    assert found["CPML is best on most sets, triplets"][0] == verdict
    assert found["where CPML is not best it is close, triplets"][0] == HELD
    better = found["HELIC and DM3 are better than KDML and LMNN, triplets"]
    assert better[0] == HELD


@pytest.mark.parametrize(("third", "verdict"), [("0.9", HELD), ("0.1", NOT_HELD)])
def test_dominance(reproduction, third, verdict):
    table = [
        ["set", "score", "triplets", "pairs", "quadruplets"],
        ["zoo", "accuracy", "0.5 ± 0", "0.4 ± 0", f"{third} ± 0"],
        ["monks1", "accuracy", "0.5 ± 0", "0.4 ± 0", "0.3 ± 0"],
        ["mean rank", "accuracy", "1.5", "2", "2"],
    ]
    found = judged(reproduction, constraints=table)
    assert found["no kind of constraints dominates"][0] == verdict
