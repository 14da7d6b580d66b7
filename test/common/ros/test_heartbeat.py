"""The heartbeat's message says all that the beat says."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
import pytest

from rover_common.permit import Heartbeat, Permit
from rover_common.ros.heartbeat import heartbeat_from_ros, heartbeat_to_ros

COUNTS = st.integers(0, 2**64 - 1)
beats = st.builds(
    Heartbeat,
    sender=st.text(st.characters(codec='utf-8', exclude_characters='\0'), max_size=40),
    sequence=COUNTS,
    sent_at=st.floats(0.0, 2.0**31 - 2.0),
    permit=st.builds(Permit, st.sampled_from(['', 'move_forward']), COUNTS),
)


@given(beats)
def test_a_beat_survives_the_message(beat: Heartbeat) -> None:
    back = heartbeat_from_ros(heartbeat_to_ros(beat))
    assert back.sent_at == pytest.approx(beat.sent_at, abs=1e-6)
    assert (back.sender, back.sequence, back.permit) == (beat.sender, beat.sequence, beat.permit)
