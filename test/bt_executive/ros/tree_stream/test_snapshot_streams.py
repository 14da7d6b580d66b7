"""When a snapshot stream sends, and how long it is kept without a viewer."""

from __future__ import annotations

import math

from hypothesis import given
from hypothesis import strategies as st
import pytest

from bt_executive.ros.tree_stream.snapshot_streams import Pace
from bt_executive.ros.tree_stream.stream_lifetime import Grace, SubscriberWatch


def somebody() -> bool:
    return True


def nobody() -> bool:
    return False


def test_the_first_message_says_changed_and_comes_once_somebody_listens() -> None:
    pace = Pace(math.inf)
    assert pace.ask(changed=False, is_listened=nobody, now=0.0) is None
    assert pace.ask(changed=False, is_listened=somebody, now=1.0) is True
    assert pace.ask(changed=False, is_listened=somebody, now=2.0) is None


def test_a_change_that_nobody_saw_is_owed() -> None:
    pace = Pace(math.inf)
    pace.ask(changed=False, is_listened=somebody, now=0.0)
    assert pace.ask(changed=True, is_listened=nobody, now=1.0) is None
    assert pace.ask(changed=False, is_listened=somebody, now=2.0) is True


@pytest.mark.parametrize(('after', 'sent'), [(1.95, None), (1.97, False), (2.0, False)])
def test_a_period_is_over_a_little_early(after: float, sent: bool | None) -> None:
    pace = Pace(2.0)
    pace.ask(changed=False, is_listened=somebody, now=10.0)
    assert pace.ask(changed=False, is_listened=somebody, now=10.0 + after) is sent


@pytest.mark.parametrize('period', [math.nan, math.inf, 1.7e308])
def test_what_is_no_span_means_no_period(period: float) -> None:
    pace = Pace(period)
    pace.ask(changed=False, is_listened=somebody, now=0.0)
    assert pace.ask(changed=False, is_listened=somebody, now=1e9) is None


def test_a_negative_period_is_every_tick() -> None:
    pace = Pace(-1.0)
    pace.ask(changed=False, is_listened=somebody, now=0.0)
    assert pace.ask(changed=False, is_listened=somebody, now=0.0) is False


@given(st.lists(st.tuples(st.booleans(), st.booleans()), max_size=40))
def test_no_change_is_ever_lost(ticks: list[tuple[bool, bool]]) -> None:
    pace, owed = Pace(math.inf), True
    for now, (changed, listened) in enumerate(ticks):
        owed = owed or changed
        sent = pace.ask(changed, somebody if listened else nobody, float(now))
        assert sent is (True if owed and listened else None)
        owed = owed and not listened


def test_the_first_viewer_has_longer_than_one_that_returns() -> None:
    attendance = SubscriberWatch(Grace(to_come=30.0, to_return=10.0), now=0.0)
    assert not attendance.is_over(29.0)
    assert attendance.is_over(31.0)
    assert attendance.note(1, 31.0) == 1
    assert not attendance.is_over(40.0)
    attendance.note(0, 40.0)
    assert attendance.is_over(41.5)
