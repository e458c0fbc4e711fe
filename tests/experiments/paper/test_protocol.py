"""Protocols: repetitions by size, and settings that people change."""

from nearkind.experiments.paper.protocol import PROTOCOLS


def test_the_paper_s_protocol_is_as_printed():
    paper = PROTOCOLS["paper"]
    assert {paper.repeats_on(n) for n in (100, 10**6)} == {50}
    assert paper.synthetic_repeats == 50
    design = paper.design
    assert (design.n_neighbors, design.rows, design.p) == (1, None, 1.0)
    assert design.path(1.0)[0] == 1e4
    assert design.path(1.0)[-1] == 1e-4
    assert paper.features == (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 14, 16, 18, 20, 25)


def test_repetitions_fall_with_the_rows():
    long = PROTOCOLS["long"]
    assert [long.repeats_on(n) for n in (10, 700, 701, 10**6)] == [10, 10, 2, 2]


def test_only_what_is_named_changes():
    quick = PROTOCOLS["quick"]
    assert quick.altered() == quick
    other = quick.altered(repeats=7, p=2.0, tol=None)
    assert other.design.p == 2.0
    assert other.design.tol == quick.design.tol
    counts = other.repeats_on(10), other.synthetic_repeats, other.timed_repeats
    assert counts == (7, 7, 7)


def test_variants_are_compared_on_the_fewer_rows():
    long = PROTOCOLS["long"]
    assert long.variant_design.rows == 2_000
    assert long.altered(rows=700).variant_design.rows == 700
    assert long.altered(rows=5_000).variant_design.rows == 2_000
    assert PROTOCOLS["paper"].variant_design.rows is None
