"""The deadman by itself, with time as an argument."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
import pytest

from bt_executive.config import load_config
from curiosity_adapter.deadman import Deadman

SETTINGS = load_config().curiosity
TIMEOUT_S = SETTINGS.deadman.timeout_s
LONGEST_S = SETTINGS.motion.longest_s


@pytest.fixture
def deadman() -> Deadman:
    return Deadman(TIMEOUT_S, LONGEST_S)


def test_without_a_heartbeat_only_the_length_of_a_motion_counts(deadman: Deadman) -> None:
    deadman.motion_started('move_forward', 0.0)
    assert deadman.state(5.0) == 'off'
    assert deadman.due(LONGEST_S) == ''
    assert 'longer than 30 s' in deadman.due(LONGEST_S + 0.1)
    deadman.motion_stopped()
    assert deadman.due(LONGEST_S + 0.1) == ''


def test_it_fires_on_silence_and_recovers_with_the_next_heartbeat(deadman: Deadman) -> None:
    deadman.beat(0.0)
    deadman.motion_started('turn_left', 0.1)
    assert deadman.due(TIMEOUT_S) == ''
    assert deadman.due(TIMEOUT_S + 0.01).startswith('turn_left was stopped: the last heartbeat')
    deadman.motion_stopped()
    assert deadman.state(9.0) == 'fired'
    deadman.beat(9.0)
    assert deadman.state(9.1) == 'armed'


def test_once_armed_no_motion_begins_in_silence(deadman: Deadman) -> None:
    assert deadman.refusal(0.0) == ''
    deadman.beat(0.0)
    assert deadman.refusal(0.1) == ''
    assert 'is 4.0 s old' in deadman.refusal(4.0)
    assert deadman.state(4.0) == 'silent'


@given(
    beats=st.lists(st.floats(0.0, 40.0), min_size=1),
    started=st.floats(0.0, 40.0),
    waited=st.floats(0.0, 60.0),
)
def test_a_motion_never_outlives_the_silence_or_its_length(
    beats: list[float], started: float, waited: float
) -> None:
    deadman = Deadman(TIMEOUT_S, LONGEST_S)
    for beat in sorted(beats):
        deadman.beat(beat)
    deadman.motion_started('move_forward', started)
    now = max([*beats, started]) + waited
    allowed = now - max(beats) <= TIMEOUT_S and now - started <= LONGEST_S
    assert (deadman.due(now) == '') == allowed
