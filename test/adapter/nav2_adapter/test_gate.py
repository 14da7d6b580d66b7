"""Which velocities pass the gate: Hypothesis tries to get one through without permission."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st
import pytest

from nav2_adapter.gate import Gate
from rover_common.permit import Beat, EndingCode, Permit

NOW = 100.0


def gate() -> Gate:
    return Gate('navigate_to_pose', limit_s=0.3, silence_s=0.5)


def beat(
    sequence: int, number: int = 1, motion: str = 'navigate_to_pose', at: float = NOW
) -> Beat:
    return Beat('an executive', sequence, at, Permit(motion, number))


def test_a_permitted_velocity_passes() -> None:
    subject = gate()
    subject.hear(beat(1), NOW)
    assert subject.command(NOW)
    assert subject.is_open


@pytest.mark.parametrize(
    'heard',
    [
        Beat('', 0, 0.0),
        beat(1, at=NOW - 1.0),
        beat(1, at=NOW + 1.0),
        beat(1, motion='drive_forward'),
        beat(1, motion='', number=0),
    ],
)
def test_without_a_young_permit_for_it_nothing_passes(heard: Beat) -> None:
    subject = gate()
    subject.hear(heard, NOW)
    assert not subject.command(NOW)


def test_a_withdrawn_permit_ends_the_motion() -> None:
    subject = gate()
    subject.hear(beat(1), NOW)
    subject.command(NOW)
    subject.hear(beat(2, 0, ''), NOW)
    assert not subject.is_open
    assert subject.ending is not None
    assert subject.ending.code is EndingCode.WITHDRAWN
    assert not subject.command(NOW)


def test_after_a_stop_the_same_permit_is_of_no_use_and_the_next_is() -> None:
    subject = gate()
    subject.hear(beat(1), NOW)
    subject.command(NOW)
    subject.stop('asked')
    subject.hear(beat(2), NOW)
    assert not subject.command(NOW)
    subject.hear(beat(3, number=2), NOW)
    assert subject.command(NOW)


@pytest.mark.parametrize(
    ('later', 'reason'),
    [(0.4, 'the executive has fallen silent'), (0.6, 'the executive has fallen silent')],
)
def test_silence_of_the_executive_ends_the_motion(later: float, reason: str) -> None:
    subject = gate()
    subject.hear(beat(1), NOW)
    subject.command(NOW)
    subject.look(NOW + later)
    assert subject.ending is not None
    assert (subject.ending.code, subject.ending.reason) == (EndingCode.HALTED, reason)


def test_silence_of_nav2_ends_the_motion() -> None:
    subject = gate()
    subject.hear(beat(1), NOW)
    subject.command(NOW)
    subject.hear(beat(2, at=NOW + 0.6), NOW + 0.6)
    subject.look(NOW + 0.6)
    assert subject.ending is not None
    assert subject.ending.reason == 'Nav2 has sent no velocity'


def test_a_standstill_of_nav2_is_no_ending_and_it_may_go_on() -> None:
    subject = gate()
    subject.hear(beat(1), NOW)
    subject.command(NOW)
    subject.arrive()
    assert not subject.is_open
    assert subject.ending is None
    assert subject.command(NOW)


EVENTS = st.one_of(
    st.tuples(st.just('beat'), st.integers(0, 8), st.integers(0, 2), st.floats(-1.0, 1.0)),
    st.tuples(st.sampled_from(['command', 'stop', 'look', 'arrive'])),
    st.tuples(st.just('pass'), st.floats(0.0, 0.5)),
)


@given(st.lists(EVENTS, max_size=30))
def test_nothing_passes_but_by_a_young_permit_that_no_stop_has_closed(
    events: list[tuple[Any, ...]],
) -> None:
    subject, now, stopped = gate(), NOW, set()
    for name, *values in events:
        if name == 'beat':
            sequence, number, age = values
            motion = 'navigate_to_pose' if number else ''
            subject.hear(beat(sequence, number, motion, now - age), now)
        elif name == 'pass':
            now += values[0]
        elif name == 'command':
            permit = subject.beat.permit
            if subject.command(now):
                assert permit.motion == 'navigate_to_pose'
                assert permit.number not in stopped
                assert abs(now - subject.beat.sent_at) <= 0.3
        elif name == 'stop':
            stopped = {subject.beat.permit.number}
            subject.stop('asked')
        elif name == 'look':
            subject.look(now)
            assert not subject.is_open or abs(now - subject.beat.sent_at) <= 0.3
        else:
            subject.arrive()
