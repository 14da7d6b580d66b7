"""Which velocities pass the gate: Hypothesis tries to get one through without permission."""

from __future__ import annotations

from dataclasses import replace
import math
from typing import Any

from hypothesis import example, given
from hypothesis import strategies as st
import pytest

from gates.velocity_gate import VelocityGate
from rover_common.permit import EndingCode, Heartbeat, Permit

NOW = 100.0  # steady
SYSTEM = 7000.0  # the time of the system at that moment
LIMIT_S, SILENCE_S = 0.3, 0.5


def gate() -> VelocityGate:
    return VelocityGate('navigate_to_pose'.__eq__, LIMIT_S, SILENCE_S, driver='Nav2')


def hear(subject: VelocityGate, heard: Heartbeat, now: float = NOW) -> bool:
    """Whether it counts."""
    return subject.receive(heard, SYSTEM + now - NOW, now) is None


def heartbeat(
    sequence: int, number: int = 1, motion: str = 'navigate_to_pose', at: float = NOW
) -> Heartbeat:
    return Heartbeat('an executive', sequence, SYSTEM + at - NOW, Permit(motion, number))


def test_a_permitted_velocity_passes() -> None:
    subject = gate()
    hear(subject, heartbeat(1))
    assert subject.command(NOW)
    assert subject.is_open


@pytest.mark.parametrize(
    'heard',
    [
        Heartbeat('', 0, 0.0),
        heartbeat(1, at=NOW - 1.0),
        heartbeat(1, at=NOW + 1.0),
        heartbeat(1, motion='drive_forward'),
        heartbeat(1, motion='', number=0),
    ],
)
def test_without_a_young_permit_for_it_nothing_passes(heard: Heartbeat) -> None:
    subject = gate()
    hear(subject, heard)
    assert not subject.command(NOW)


def test_a_withdrawn_permit_ends_the_motion() -> None:
    subject = gate()
    hear(subject, heartbeat(1))
    subject.command(NOW)
    hear(subject, heartbeat(2, 0, ''))
    assert not subject.is_open
    assert subject.ending is not None
    assert subject.ending.code is EndingCode.WITHDRAWN
    assert not subject.command(NOW)


def test_after_a_stop_the_same_permit_is_of_no_use_and_the_next_is() -> None:
    subject = gate()
    hear(subject, heartbeat(1))
    subject.command(NOW)
    subject.stop('asked')
    hear(subject, heartbeat(2))
    assert not subject.command(NOW)
    hear(subject, heartbeat(3, number=2))
    assert subject.command(NOW)


@pytest.mark.parametrize(
    ('later', 'reason'),
    [(0.4, 'the executive has fallen silent'), (0.6, 'the executive has fallen silent')],
)
def test_silence_of_the_executive_ends_the_motion(later: float, reason: str) -> None:
    subject = gate()
    hear(subject, heartbeat(1))
    subject.command(NOW)
    subject.update(NOW + later)
    assert subject.ending is not None
    assert (subject.ending.code, subject.ending.reason) == (EndingCode.GAP, reason)


def test_silence_of_nav2_ends_the_motion() -> None:
    subject = gate()
    hear(subject, heartbeat(1))
    subject.command(NOW)
    for sequence, later in enumerate((0.2, 0.4, 0.6), 2):  # the executive is not silent
        hear(subject, heartbeat(sequence, at=NOW + later), NOW + later)
    assert subject.ending is not None
    assert subject.ending.reason == 'Nav2 has sent no velocity'


def test_a_standstill_that_comes_after_a_silence_keeps_nothing_under_way() -> None:
    subject = gate()
    hear(subject, heartbeat(1))
    assert subject.command(NOW)
    for sequence, later in enumerate((0.25, 0.45), 2):  # the executive is not silent
        hear(subject, heartbeat(sequence, at=NOW + later), NOW + later)
    subject.command_standstill(NOW + 0.6)
    assert not subject.command(NOW + 0.6)


@pytest.mark.parametrize('step_s', [-600.0, -0.25, 0.25, 600.0])
def test_a_clock_that_is_set_makes_no_age_longer_or_shorter(step_s: float) -> None:
    subject = gate()
    hear(subject, heartbeat(1))
    subject.command(NOW)
    for sequence in range(2, 9):
        now = NOW + 0.1 * sequence
        sent_at = SYSTEM + step_s + now - NOW
        subject.receive(replace(heartbeat(sequence), sent_at=sent_at), sent_at, now)
        subject.update(now)
        assert subject.is_open == (now - NOW <= SILENCE_S)
    assert subject.ending is not None
    assert subject.ending.reason == 'Nav2 has sent no velocity'


def test_a_beat_that_was_young_ages_by_the_steady_clock() -> None:
    subject = gate()
    subject.receive(replace(heartbeat(1), sent_at=SYSTEM - 0.1), SYSTEM, NOW)
    assert subject.command(NOW + 0.19)
    assert not subject.command(NOW + 0.21)
    subject.update(NOW + 0.21)
    assert subject.ending is not None
    assert subject.ending.reason == 'the executive has fallen silent'


def test_a_standstill_of_nav2_is_no_ending_and_it_may_go_on() -> None:
    subject = gate()
    hear(subject, heartbeat(1))
    subject.command(NOW)
    subject.command_standstill(NOW)
    assert not subject.is_open
    assert subject.ending is None
    assert subject.command(NOW)


@pytest.mark.parametrize('who', ['the executive', 'Nav2'])
@pytest.mark.parametrize('stands', [False, True], ids=['driving', 'standing'])
@pytest.mark.parametrize('looks', [False, True])
def test_after_a_silence_the_same_permit_opens_nothing_again(
    who: str, stands: bool, looks: bool
) -> None:
    subject, now, sequence = gate(), NOW, 1
    hear(subject, heartbeat(1))
    assert subject.command(NOW)
    if stands:
        subject.command_standstill(NOW)
    while now < NOW + 10.0:
        now, sequence = now + 0.2, sequence + 1
        if who == 'Nav2':
            hear(subject, heartbeat(sequence, at=now), now)
        if looks:
            subject.update(now)
    hear(subject, heartbeat(sequence + 1, at=now), now)
    assert not subject.command(now)
    assert subject.ending is not None
    assert (subject.ending.code, subject.ending.stood) == (EndingCode.GAP, stands)
    hear(subject, heartbeat(sequence + 2, number=2, at=now), now)
    assert subject.command(now)


def test_a_wait_of_nav2_on_its_way_ends_nothing() -> None:
    subject, now = gate(), NOW
    hear(subject, heartbeat(1))
    subject.command(NOW)
    subject.command_standstill(NOW)
    for sequence in range(2, 27):
        now += 0.2
        hear(subject, heartbeat(sequence, at=now), now)
        subject.update(now)
    assert subject.ending is None
    assert subject.command(now)


def test_a_motion_that_has_arrived_ends_with_its_permit() -> None:
    subject = gate()
    hear(subject, heartbeat(1))
    subject.command(NOW)
    subject.command_standstill(NOW)
    hear(subject, heartbeat(2, number=2))
    assert subject.ending is not None
    assert (subject.ending.permit, subject.ending.stood) == (('an executive', 1), True)


def test_an_overtaken_beat_of_an_old_life_opens_nothing() -> None:
    subject = gate()
    hear(subject, heartbeat(9, at=NOW - 0.2))
    hear(subject, replace(heartbeat(1, 0, '', at=NOW - 0.1), sender='the next one'))
    assert subject.receive(heartbeat(10, number=2, at=NOW - 0.15), SYSTEM, NOW)
    assert not subject.command(NOW)


def test_a_permit_stays_closed_after_others_were() -> None:
    subject = gate()
    hear(subject, heartbeat(1, number=5))
    subject.stop('asked')
    hear(subject, replace(heartbeat(1, number=1, at=NOW + 0.1), sender='the next one'), NOW + 0.1)
    subject.stop('asked')
    hear(subject, heartbeat(2, number=5, at=NOW + 0.2), NOW + 0.2)
    assert not subject.command(NOW + 0.2)
    hear(subject, heartbeat(3, number=6, at=NOW + 0.3), NOW + 0.3)
    assert subject.command(NOW + 0.3)


EVENTS = st.one_of(
    st.tuples(st.just('heartbeat'), st.integers(0, 8), st.integers(0, 2), st.floats(-1.0, 1.0)),
    st.tuples(st.sampled_from(['command', 'stop', 'look', 'arrive'])),
    st.tuples(st.just('pass'), st.floats(0.0, 0.5)),
)


@given(st.lists(EVENTS, max_size=30))
@example([('heartbeat', 0, 0, 0.0), ('heartbeat', 1, 1, 0.25), ('pass', 0.25), ('command',)])
def test_nothing_passes_but_by_a_young_permit_that_no_stop_has_closed(
    events: list[tuple[Any, ...]],
) -> None:
    subject, now, stopped, youngest = gate(), NOW, set(), -math.inf
    for name, *values in events:
        if name == 'heartbeat':
            sequence, number, old = values
            motion = 'navigate_to_pose' if number else ''
            if hear(subject, heartbeat(sequence, number, motion, now - old), now):
                youngest = max(youngest, now - old)
        elif name == 'pass':
            now += values[0]
        elif name == 'command':
            permit = subject.heartbeat.permit
            if subject.command(now):
                assert permit.motion == 'navigate_to_pose'
                assert permit.number not in stopped
                assert now - youngest <= LIMIT_S + 1e-6
        elif name == 'stop':
            stopped.add(subject.heartbeat.permit.number)
            subject.stop('asked')
        elif name == 'look':
            subject.update(now)
            assert not subject.is_open or now - youngest <= LIMIT_S + 1e-6
        else:
            subject.command_standstill(now)
