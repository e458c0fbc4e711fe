"""The line below a table."""

from nearkind.experiments.paper.provenance import is_converged, provenance
from nearkind.experiments.rows import Row


def row(method, repetition, **facts):
    return Row("zoo", method, repetition, "shares, k=1", 7, **facts)


def test_endings_are_counted_over_all_fits_and_the_largest_gap_is_named():
    line = provenance(
        [
            row("cpml-s", 0, stops={"TOLERANCE": 4, "MAX_ITER": 1}, largest_gap=0.02),
            row("cpml-s", 1, stops={"TOLERANCE": 5}, largest_gap=0.0005),
            row("dm3", 0, status="timed out"),
        ]
    )
    assert "3 rows (2 done), 2 repetitions; shares, k=1." in line
    assert "Fits of cpml-s: 9 TOLERANCE, 1 MAX_ITER; largest proven gap 2 %." in line
    assert "dm3" not in line


def test_all_versions_are_named():
    line = provenance(
        [row("dm3", r, versions={"numpy": v}) for r, v in enumerate(["2.0", "2.1"])]
    )
    assert line.endswith("numpy 2.0 and 2.1.")


def test_what_ended_early_is_not_converged():
    assert is_converged(row("dm3", 0))
    assert is_converged(row("cpml-s", 0, stop_reason="TOLERANCE"))
    assert not is_converged(row("cpml-s", 0, stop_reason="MAX_ITER"))
