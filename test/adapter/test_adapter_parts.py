"""What the adapter tells of itself on /diagnostics, by a clock that the test moves."""

from __future__ import annotations

from collections.abc import Callable

from fakes.adapter import FakeClient
from fakes.common import FakeFuture
import pytest

from curiosity_adapter.adapter_health import AdapterHealth
from curiosity_adapter.adapter_parts import AdapterParts
from curiosity_adapter.rover_services import RoverClient
from rover_common.clocks import Clocks
from rover_common.condition_waiter import ConditionWaiter
from rover_common.config.load import load_config
from rover_common.config.settings import RoverServices
from rover_common.diagnostic_status import Health, Level
from rover_common.geometry.transforms import Transform

CONFIG = load_config()
MAST = CONFIG.curiosity.mast
HERE = Transform(0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 1.0)


class Subject:
    """An adapter that hears and sees all that it needs, unless the test says otherwise."""

    def __init__(self) -> None:
        self.now = 10.0
        self.refusal: str | None = None
        self.services = {key: FakeClient() for key in RoverServices.model_fields}
        names = {key: f'/{key}' for key in self.services}
        waiter = ConditionWaiter(lambda: self.now, FakeFuture)
        rover = RoverClient(
            self.services, names, object, lambda: None, waiter, CONFIG.curiosity.motion
        )
        self.parts = AdapterParts(
            CONFIG,
            rover,
            waiter,
            lambda work: work.close(),
            Clocks(lambda: self.now, lambda: self.now),
            on_change=lambda: None,
            on_halt=lambda _reason: None,
        )
        health = AdapterHealth(self.parts, rover, lambda: self.refusal, lambda: self.now)
        self._told = {part.name: part for part in health.parts()}
        self.parts.deadman.receive(self.now)
        self.parts.mast.update_joints([MAST.tilt_joint], [MAST.closed_tilt_rad])
        self.parts.watch(HERE)

    def told(self, name: str) -> Health:
        return self._told[name].health()

    def figure(self, name: str, key: str) -> object:
        return self._told[name].figures()[key]


@pytest.fixture
def subject() -> Subject:
    return Subject()


@pytest.mark.parametrize('part', ['deadman', 'motion', 'mast', 'rover services'])
def test_all_is_well(subject: Subject, part: str) -> None:
    assert subject.told(part) == Health()


def later(subject: Subject) -> None:
    subject.now += 5.0


def by_hand(subject: Subject) -> None:
    later(subject)
    assert subject.parts.deadman.set_manual(True, subject.now) is None


def fired(subject: Subject) -> None:
    later(subject)
    assert subject.parts.deadman.due('move_forward', subject.now)


def empty(subject: Subject) -> None:
    subject.parts.limits.update_battery(0.01)


def without_stop(subject: Subject) -> None:
    subject.services['move_stop'].there = False


@pytest.mark.parametrize(
    ('happens', 'part', 'level', 'words'),
    [
        (later, 'deadman', Level.STALE, 'no heartbeat from the executive for 5.0 s'),
        (fired, 'deadman', Level.ERROR, 'stopped the rover: no heartbeat'),
        (by_hand, 'deadman', Level.WARN, 'manual mode'),
        (later, 'motion', Level.STALE, 'the position is not known'),
        (empty, 'motion', Level.WARN, 'the battery is at 1.0 %'),
        (later, 'mast', Level.STALE, f'no joint state of {MAST.tilt_joint!r} came for 5.0 s'),
        (without_stop, 'rover services', Level.ERROR, 'absent: move_stop'),
    ],
)
def test_what_is_wrong_is_told_with_the_reason(
    subject: Subject, happens: Callable[[Subject], None], part: str, level: Level, words: str
) -> None:
    happens(subject)
    told = subject.told(part)
    assert told.level is level
    assert words in told.reason


def test_the_last_refusal_and_the_limits_are_told(subject: Subject) -> None:
    subject.refusal = 'Need to close mast'
    assert subject.figure('motion', 'last_refusal') == 'Need to close mast'
    assert subject.figure('motion', 'longest_s') == CONFIG.curiosity.motion.longest_s
    later(subject)
    assert subject.figure('mast', 'joint_states_age_s') == 5.0
    assert subject.figure('deadman', 'heartbeat_age_s') == 5.0
