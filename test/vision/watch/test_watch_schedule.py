"""When the watch looks: with a manual clock."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st
import pytest

from rover_vision.watch.watch_looks import AFTER_SWITCHING_ON_S, Quiet, WatchSchedule
from rover_vision.watch.watch_settings import WatchSettings

ON = WatchSettings(True, 60, 'rover')
OFF = replace(ON, enabled=False)


def looks(
    schedule: WatchSchedule,
    settings: WatchSettings,
    since: int,
    until: int,
    well: bool = True,
    quiet: Quiet | None = None,
) -> list[int]:
    """The seconds at which it looks; each look ends at once."""
    at = []
    for now in range(since, until):
        if schedule.due(settings, quiet, float(now)):
            at.append(now)
            schedule.ended(well, float(now))
    return at


def test_on_at_boot_the_first_look_is_after_one_interval() -> None:
    assert looks(WatchSchedule(900.0), ON, 0, 200) == [60, 120, 180]


def test_switched_on_it_looks_after_five_seconds() -> None:
    schedule = WatchSchedule(900.0)
    assert looks(schedule, OFF, 0, 10) == []
    assert looks(schedule, ON, 10, 100) == [10 + int(AFTER_SWITCHING_ON_S), 75]
    assert looks(schedule, OFF, 100, 200) == []
    assert looks(schedule, ON, 200, 210) == [205]


def test_looks_that_fail_are_tried_ever_more_seldom_and_not_for_ever() -> None:
    schedule = WatchSchedule(400.0)
    assert looks(schedule, ON, 0, 1700, well=False) == [60, 180, 420, 820, 1220, 1620]
    assert looks(schedule, ON, 1700, 2200) == [2020, 2080, 2140]


def test_it_does_not_begin_while_it_looks() -> None:
    schedule = WatchSchedule(900.0)
    schedule.due(ON, None, 0.0)
    assert schedule.due(ON, None, 60.0)
    assert not schedule.due(ON, None, 130.0)
    schedule.ended(True, 130.0)
    assert schedule.due(ON, None, 130.0)


@pytest.mark.parametrize('quiet', list(Quiet))
def test_it_is_silent_and_does_once_what_was_missed(quiet: Quiet) -> None:
    schedule = WatchSchedule(900.0)
    assert looks(schedule, ON, 0, 200, quiet=quiet) == []
    assert looks(schedule, ON, 200, 300) == [200, 260]


def test_a_shorter_interval_holds_at_once() -> None:
    schedule = WatchSchedule(900.0)
    assert looks(schedule, ON, 0, 10) == []
    assert looks(schedule, replace(ON, interval_s=5), 10, 27) == [15, 20, 25]


@given(
    st.lists(
        st.tuples(st.booleans(), st.sampled_from([1, 5, 60]), st.booleans(), st.integers(1, 40)),
        max_size=30,
    )
)
def test_two_looks_are_never_closer_than_the_interval(
    phases: list[tuple[bool, int, bool, int]],
) -> None:
    schedule, now = WatchSchedule(900.0), 0
    for enabled, interval_s, well, length in phases:
        settings = WatchSettings(enabled, interval_s, 'rover')
        at = looks(schedule, settings, now, now + length, well)
        assert enabled or not at
        assert all(b - a >= interval_s for a, b in pairwise(at))
        now += length
