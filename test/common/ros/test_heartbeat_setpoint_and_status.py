"""The heartbeat's message says all that the heartbeat says."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
import pytest

from rover_common.permit import Heartbeat, Permit
from rover_common.ros.heartbeat_setpoint_and_status import heartbeat_from_ros, heartbeat_to_ros

COUNTS = st.integers(0, 2**64 - 1)
heartbeats = st.builds(
    Heartbeat,
    sender=st.text(st.characters(codec='utf-8', exclude_characters='\0'), max_size=40),
    sequence=COUNTS,
    sent_at=st.floats(0.0, 2.0**31 - 2.0),
    permit=st.builds(Permit, st.sampled_from(['', 'move_forward']), COUNTS),
)


@given(heartbeats)
def test_a_beat_survives_the_message(heartbeat: Heartbeat) -> None:
    back = heartbeat_from_ros(heartbeat_to_ros(heartbeat))
    assert back.sent_at == pytest.approx(heartbeat.sent_at, abs=1e-6)
    assert (back.sender, back.sequence, back.permit) == (
        heartbeat.sender,
        heartbeat.sequence,
        heartbeat.permit,
    )


@pytest.mark.parametrize('goal', ['', '0123456789abcdef' * 2])
def test_a_permit_at_a_gate_survives_the_message(goal: str) -> None:
    permit = Permit('dock', 7, 'docking', goal)
    heartbeat = Heartbeat('one', 1, 1.0, gates=(permit,))
    assert heartbeat_from_ros(heartbeat_to_ros(heartbeat)).gates == (permit,)


@pytest.mark.parametrize('goal', ['x', '0' * 31, '0' * 33, '0123456789abcdeF' * 2, '٣' * 32])
def test_a_permit_for_what_is_no_goal_permits_nothing(goal: str) -> None:
    heartbeat = Heartbeat('one', 1, 1.0, gates=(Permit('dock', 7, 'docking', goal),))
    assert heartbeat_from_ros(heartbeat_to_ros(heartbeat)).gates == ()
