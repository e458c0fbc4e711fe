"""Items of the paper by name, and their expected times, which follow the work."""

from dataclasses import replace

import pytest

from nearkind.experiments.paper.items import (
    HOURS,
    ITEMS,
    expected_seconds,
    items_named,
)
from nearkind.experiments.paper.protocol import PROTOCOLS


def test_items_are_found_by_name():
    assert list(items_named([])) == list(ITEMS)
    with pytest.raises(ValueError, match=r"no item 'nois' here\. Did you mean 'noise'"):
        items_named(["nois"])


def test_the_quick_protocol_takes_minutes_and_the_paper_s_days(reproduction):
    times = {
        name: expected_seconds(ITEMS, replace(reproduction, protocol=protocol))
        for name, protocol in PROTOCOLS.items()
    }
    assert times["quick"] < 15 * 60 < times["long"] < times["paper"]
    assert times["paper"] > HOURS
    assert times["paper"] > 86_400


def test_twice_the_repetitions_take_twice_the_time(reproduction):
    once, twice = (
        replace(reproduction, protocol=PROTOCOLS["long"].altered(repeats=n))
        for n in (1, 2)
    )
    for name in ("synthetic-4", "noise", "time-rows", "time-classes", "triplets"):
        seconds = [expected_seconds([name], each) for each in (once, twice)]
        assert seconds[1] == pytest.approx(2 * seconds[0])
    assert expected_seconds(["vdm"], twice) == expected_seconds(["vdm"], once)


def test_what_is_left_out_takes_no_time(reproduction):
    few = replace(reproduction, largest=700)
    assert expected_seconds(["triplets"], few) > 0
    assert expected_seconds(["triplets"], few) < expected_seconds(
        ["triplets"], reproduction
    )
