"""The deadman, and the motions that heartbeats permit, with time as an argument."""

from __future__ import annotations

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule
import pytest

from curiosity_adapter.adapter_error_codes import Cause
from curiosity_adapter.permit_and_deadman import Deadman, Permission
from rover_common.config.load import load_config
from rover_common.message_order import HeartbeatFilter
from rover_common.permit import Heartbeat, Permit
from rover_common.reason import sentence_of

SETTINGS = load_config().curiosity.deadman
TIMEOUT_S, CHECK_S = SETTINGS.timeout_s, SETTINGS.check_period_s


@pytest.fixture
def deadman() -> Deadman:
    return Deadman(TIMEOUT_S, manual=False)


def test_nothing_moves_before_an_executive_was_heard(deadman: Deadman) -> None:
    assert deadman.state(5.0) == 'silent'
    assert sentence_of(deadman.refusal(5.0)) == (
        'No motion may begin: no heartbeat from any executive yet'
    )
    assert sentence_of(deadman.due('move_forward', 5.0)).startswith(
        'move_forward was stopped: no heartbeat'
    )


def test_it_fires_on_silence_and_recovers_with_the_next_heartbeat(deadman: Deadman) -> None:
    deadman.receive(0.0)
    assert deadman.due('turn_left', TIMEOUT_S) is None
    said = sentence_of(deadman.due('turn_left', TIMEOUT_S + 0.01))
    assert said == 'turn_left was stopped: no heartbeat from the executive for 0.3 s (limit 0.3 s)'
    assert deadman.state(9.0) == 'fired'
    deadman.receive(9.0)
    assert deadman.state(9.1) == 'armed'


@pytest.fixture
def after_a_pause(deadman: Deadman) -> Deadman:
    """The adapter stood still from 0.1 s to 1 s."""
    deadman.receive(0.0)
    deadman.update(0.1)
    deadman.update(1.0)
    return deadman


def test_a_pause_of_the_adapter_is_no_silence_of_the_executive(after_a_pause: Deadman) -> None:
    assert after_a_pause.due('move_forward', 1.0) is None
    after_a_pause.receive(0.98)  # it waited to be read
    after_a_pause.update(1.05)
    assert after_a_pause.due('move_forward', 1.05) is None
    for tenths in range(11, 14):
        after_a_pause.update(tenths / 10.0)
    assert after_a_pause.due('move_forward', 1.3)


def test_a_pause_excuses_one_look(after_a_pause: Deadman) -> None:
    after_a_pause.update(1.0 + CHECK_S)
    assert after_a_pause.due('move_forward', 1.0 + CHECK_S)


def test_pauses_that_follow_each_other_postpone_nothing(after_a_pause: Deadman) -> None:
    after_a_pause.update(1.2)
    assert after_a_pause.due('move_forward', 1.2)


def test_what_comes_before_the_first_look_after_a_pause_ends_nothing(deadman: Deadman) -> None:
    deadman.receive(0.0)
    deadman.update(0.1)
    assert deadman.due('move_forward', 1.0) is None
    deadman.update(1.0)
    deadman.update(1.0 + CHECK_S)
    assert deadman.due('move_forward', 1.0 + CHECK_S)


def test_a_beat_counts_from_when_it_was_sent(deadman: Deadman) -> None:
    deadman.receive(1.0)
    deadman.receive(0.9)
    assert deadman.age(1.1) == pytest.approx(0.1)


def test_manual_mode_lasts_until_an_executive_is_heard(deadman: Deadman) -> None:
    assert deadman.set_manual(True, 1.0) is None
    assert deadman.state(2.0) == 'manual'
    assert (deadman.refusal(2.0), deadman.due('x', 2.0)) == (None, None)
    deadman.receive(3.0)
    assert not deadman.manual
    assert deadman.state(3.2) == 'armed'
    assert deadman.due('move_forward', 9.0)


def test_manual_mode_cannot_take_the_deadman_from_a_living_executive(deadman: Deadman) -> None:
    deadman.receive(0.0)
    assert 'an executive is alive' in sentence_of(deadman.set_manual(True, 0.1))
    assert not deadman.manual
    assert deadman.set_manual(True, 1.0) is None
    assert deadman.set_manual(False, 1.0) is None
    assert deadman.refusal(1.0)


class AnyLife(RuleBasedStateMachine):
    """Heartbeats, silences and switches in any order, against the rule in one line."""

    def __init__(self) -> None:
        super().__init__()
        self.now = 0.0
        self.heartbeat_at: float | None = None
        self.manual = False
        self.deadman = Deadman(TIMEOUT_S, manual=False)

    @rule(passed=st.floats(0.0, 2.0))
    def time_passes(self, passed: float) -> None:
        self.now += passed
        self.deadman.update(self.now)
        self.deadman.update(self.now)

    @rule()
    def send_heartbeat(self) -> None:
        self.deadman.receive(self.now)
        self.heartbeat_at, self.manual = self.now, False

    @rule(wanted=st.booleans())
    def switch(self, wanted: bool) -> None:
        refused = bool(self.deadman.set_manual(wanted, self.now))
        assert refused == (wanted and self.alive)
        if not refused:
            self.manual = wanted

    @property
    def alive(self) -> bool:
        return self.heartbeat_at is not None and self.now - self.heartbeat_at <= TIMEOUT_S

    @invariant()
    def somebody_watches_over_every_motion(self) -> None:
        watched = self.alive or self.manual
        assert (self.deadman.refusal(self.now) is None) == watched
        assert (self.deadman.due('turn_left', self.now) is None) == watched
        assert (self.deadman.state(self.now) in ('armed', 'manual')) == watched


TestAnyLife = AnyLife.TestCase


HEARTBEAT_TIMEOUT_S = 0.3
MOTION = 'move_forward'


@pytest.fixture
def permission() -> Permission:
    return Permission(
        HeartbeatFilter[Heartbeat](HEARTBEAT_TIMEOUT_S, 'heartbeat'),
        Deadman(HEARTBEAT_TIMEOUT_S, manual=False),
    )


def hear(permission: Permission, sender: str, number: int, at: float) -> None:
    heartbeat = Heartbeat(sender, round(at * 10.0), at, Permit(MOTION, number))
    assert permission.receive(heartbeat, at, at) is None


def test_a_permit_that_was_used_stays_used_after_others_were(permission: Permission) -> None:
    for sender, number, at in (('one', 7, 1.0), ('two', 1, 2.0)):
        hear(permission, sender, number, at)
        assert permission.refusal(MOTION, at) is None
        permission.use()
        permission.end()
    hear(permission, 'one', 7, 2.1)  # it wakes up
    refused = permission.refusal(MOTION, 2.1)
    assert refused is not None
    assert refused.code is Cause.PERMISSION_USED
    hear(permission, 'one', 8, 2.2)
    assert permission.refusal(MOTION, 2.2) is None
