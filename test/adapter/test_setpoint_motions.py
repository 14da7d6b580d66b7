"""What setpoints begin and end in the adapter, one at a time, against a rover that obeys."""

from __future__ import annotations

from collections.abc import Coroutine
from dataclasses import replace
from typing import Any

from any_adapter import let_go
from fakes.adapter import FakeClient
from fakes.common import FakeFuture
from known import known
import pytest

from curiosity_adapter.adapter_parts import AdapterParts
from curiosity_adapter.rover_services import RoverClient
from curiosity_adapter.status_report import run_id
from gates.permit_rules import PERMIT_WAIT_S
from rover_common.adapter_status import NavigationReport
from rover_common.clocks import Clocks
from rover_common.condition_waiter import ConditionWaiter
from rover_common.config.load import load_config
from rover_common.config.settings import RoverServices
from rover_common.message_order import RunNumber
from rover_common.permit import EndingCode, Heartbeat, Permit
from rover_common.setpoint import NAVIGATE, Setpoint, Stage

CONFIG = load_config()
MAST = CONFIG.curiosity.mast
CHECK_S = CONFIG.curiosity.deadman.check_period_s
SILENT_S = CONFIG.curiosity.deadman.timeout_s + 2.0 * CHECK_S
PERMIT = Permit(NAVIGATE, 7)


def wanted(**changes: Any) -> Setpoint:
    """A setpoint that is meant for the adapter of this process."""
    permit = RunNumber('executive', 7)
    return replace(Setpoint('navigator', 0, 0.0, run_id(), 1, permit, 'turn_left', 1), **changes)


class Rig:
    """Executive and navigator repeat what they said last, for as long as the test lets them."""

    def __init__(self) -> None:
        self.now = 50.0
        self.rolling = ''
        self.asked: list[str] = []
        self.answers: list[FakeFuture] = []
        self.permit, self.setpoint = PERMIT, wanted(navigation_goal=0, motion='', number=0)
        self.beating = self.wanting = self.answering = True
        self.sequence = 0
        self.calls: list[Coroutine[FakeFuture, None, object]] = []
        waiter = self.waiter = ConditionWaiter(lambda: self.now, FakeFuture)
        clients = {name: self._client(name) for name in RoverServices.model_fields}
        names = {name: f'/{name}' for name in clients}
        rover = RoverClient(clients, names, object, lambda: None, waiter, CONFIG.curiosity.motion)
        self.parts = AdapterParts(
            CONFIG,
            rover,
            waiter,
            self.calls.append,
            Clocks(lambda: self.now, lambda: self.now),
            on_change=lambda: None,
            on_halt=lambda _reason: None,
        )
        self.closed = True
        self.pass_time(0.5)

    def _client(self, name: str) -> FakeClient:
        def take(answer: FakeFuture) -> None:
            self.asked.append(name)
            self.rolling = '' if name == 'move_stop' else name
            self.answers.append(answer)

        return FakeClient(take)

    def pass_time(self, seconds: float) -> None:
        for _ in range(round(seconds / CHECK_S)):
            self.now += CHECK_S
            self.sequence += 1
            tilt = MAST.closed_tilt_rad if self.closed else MAST.open_tilt_rad
            self.parts.mast.update_joints((MAST.tilt_joint,), (tilt,))
            if self.beating:
                self.parts.receive_heartbeat(
                    Heartbeat('executive', self.sequence, self.now, self.permit), self.now
                )
            if self.wanting:
                self.give(self.setpoint)
            self.parts.update()
            self.go_on()

    def give(self, setpoint: Setpoint) -> None:
        made = replace(setpoint, sequence=self.sequence, sent_at=self.now)
        assert self.parts.receive_setpoint(made, self.now) is None

    def go_on(self) -> None:
        for _ in range(3):
            answers, self.answers = self.answers, []
            for answer in answers if self.answering else ():
                answer.set_result(True)
            self.parts.watch(None)
            self.waiter.evaluate()
            let_go(self.calls)

    def want(self, **changes: Any) -> NavigationReport:
        self.setpoint = replace(self.setpoint, **changes)
        self.pass_time(2.0 * CHECK_S)
        assert self.parts.navigation_goals.report
        return self.parts.navigation_goals.report

    @property
    def motions(self) -> list[str]:
        return [name for name in self.asked if name != 'move_stop']


@pytest.fixture
def rig() -> Rig:
    return Rig()


@pytest.fixture
def driving(rig: Rig) -> Rig:
    report = rig.want(navigation_goal=1, motion='turn_left', number=1)
    assert (report.stage, report.motion_stage) == (Stage.RUNNING, Stage.RUNNING)
    assert rig.rolling == 'turn_left'
    return rig


def test_one_motion_after_the_other_and_the_base_is_kept_between_them(driving: Rig) -> None:
    report = driving.want(motion='')
    assert (report.motion_stage, report.at_rest) == (Stage.ENDED, True)
    assert not driving.rolling
    assert driving.parts.exclusivity.moving
    assert driving.want(motion='move_forward', number=2).motion_stage is Stage.RUNNING
    assert driving.motions == ['turn_left', 'move_forward']
    assert driving.want(navigation_goal=0, motion='', permit=('', 0)).stage is Stage.ENDED
    assert driving.parts.base.stands
    assert driving.parts.base.last_ending is None


def test_a_number_is_used_once(driving: Rig) -> None:
    driving.want(motion='')
    driving.want(motion='turn_left', number=1)
    driving.want(navigation_goal=0)
    driving.want(navigation_goal=1, number=2)
    assert driving.motions == ['turn_left']


def test_a_navigation_goal_that_was_ended_does_not_begin_again(driving: Rig) -> None:
    driving.permit = Permit()
    driving.pass_time(1.0)
    assert not driving.rolling
    driving.permit = Permit(NAVIGATE, 8)
    report = driving.want(permit=('executive', 8), number=2)
    assert report.stage is Stage.ENDED
    assert driving.motions == ['turn_left']
    ending = driving.parts.base.last_ending
    assert ending is not None
    assert (ending.permit, ending.code) == (('executive', 7), EndingCode.WITHDRAWN.value)
    assert driving.want(navigation_goal=2, number=3).stage is Stage.RUNNING


@pytest.mark.parametrize(
    ('said', 'reason'),
    [
        ({'permit': ('executive', 6)}, 'not asked for under the permission'),
        ({'permit': ('another', 7)}, 'not asked for under the permission'),
        ({'permit': ('', 0)}, 'not asked for under the permission'),
    ],
)
def test_a_navigation_goal_names_the_permission_that_holds(
    rig: Rig, said: dict[str, Any], reason: str
) -> None:
    rig.setpoint = wanted(**said)
    rig.pass_time(PERMIT_WAIT_S + 2.0 * CHECK_S)
    assert rig.parts.navigation_goals.report is not None
    assert rig.parts.navigation_goals.report.stage is Stage.REFUSED
    assert reason in rig.parts.navigation_goals.report.reason
    assert rig.motions == []


def test_a_permission_starts_one_navigation_goal(driving: Rig) -> None:
    driving.want(navigation_goal=0, motion='')
    driving.want(navigation_goal=2, motion='turn_right', number=2)
    driving.pass_time(PERMIT_WAIT_S + 2.0 * CHECK_S)
    report = driving.parts.navigation_goals.report
    assert report is not None
    assert (report.number, report.stage) == (2, Stage.REFUSED)
    assert 'permission 7 has been used' in report.reason
    assert driving.motions == ['turn_left']


def test_what_is_meant_for_another_adapter_begins_nothing(rig: Rig) -> None:
    rig.setpoint = wanted(adapter='before')
    rig.pass_time(1.0)
    assert rig.parts.navigation_goals.report is None
    assert rig.motions == []


def test_a_silent_navigator_stops_the_rover_and_is_told_so(driving: Rig) -> None:
    driving.wanting = False
    driving.pass_time(SILENT_S)
    assert not driving.rolling
    ending = driving.parts.base.last_ending
    assert ending is not None
    assert ending.code == EndingCode.GAP.value
    assert 'no setpoint from the navigator for 0.' in ending.reason
    driving.wanting = True
    driving.pass_time(1.0)
    assert driving.motions == ['turn_left']


def test_another_life_of_the_navigator_ends_the_navigation_goal_and_begins_none(
    driving: Rig,
) -> None:
    driving.setpoint = wanted(sender='next')
    driving.pass_time(1.0)
    assert not driving.rolling
    assert driving.motions == ['turn_left']


def test_manual_mode_keeps_no_motion_that_an_executive_permitted(driving: Rig) -> None:
    driving.beating = False
    driving.pass_time(SILENT_S - 3.0 * CHECK_S)
    driving.now += 1.5 * CHECK_S  # silent, and the adapter has not looked yet
    assert driving.rolling
    assert driving.parts.deadman.set_manual(True, driving.now) is None
    driving.go_on()
    assert not driving.rolling
    ending = driving.parts.base.last_ending
    assert ending is not None
    assert (ending.permit, ending.code) == (('executive', 7), EndingCode.HALTED.value)
    assert 'fell silent, and manual mode is on' in ending.reason
    driving.pass_time(1.0)
    assert driving.motions == ['turn_left']


def unstopped(rig: Rig) -> str:
    """Why the rover is not known to stand, when that was waited for."""
    for seconds in (1.0, CONFIG.curiosity.motion.service_wait_s):
        assert not known(rig.parts.navigation_goals.report).unstopped
        rig.pass_time(seconds)
    return known(rig.parts.navigation_goals.report).unstopped


def test_a_stop_without_an_answer_is_told(driving: Rig) -> None:
    driving.answering = False
    driving.want(navigation_goal=0, motion='')
    assert unstopped(driving).startswith("Rover service '/move_stop' did not answer")


def test_a_rover_that_is_driven_after_its_stop_was_answered_is_no_silent_service(
    driving: Rig,
) -> None:
    driving.want(navigation_goal=0, motion='')
    driving.permit = Permit('move_forward', 8)
    driving.calls.append(driving.parts.base.start('move_forward'))
    driving.pass_time(2.0 * CHECK_S)
    assert driving.rolling == 'move_forward'
    said = unstopped(driving)
    assert said == 'move_forward is under way, although every stop was answered'


def test_no_motion_begins_before_an_adapter_that_stood_still_has_heard_anything(
    driving: Rig,
) -> None:
    driving.want(motion='')
    driving.sequence += 1
    driving.give(replace(driving.setpoint, motion='move_forward', number=2))
    driving.parts.watch(None)  # it is asked for ...
    driving.now += 3.0  # ... and the adapter stands still; the first that it reads are joints
    driving.parts.mast.update_joints((MAST.tilt_joint,), (MAST.closed_tilt_rad,))
    driving.go_on()
    assert driving.motions == ['turn_left']


def test_the_mast_ends_a_navigation_goal_in_the_exact_words(driving: Rig) -> None:
    driving.closed = False
    driving.pass_time(0.5)
    report = driving.parts.navigation_goals.report
    assert report is not None
    assert report.reason == 'turn_left was stopped: Need to close mast'
    refused = driving.want(navigation_goal=2, motion='', permit=('', 0))
    assert (refused.stage, refused.reason) == (Stage.REFUSED, 'Need to close mast')


def test_what_is_no_motion_is_refused(rig: Rig) -> None:
    report = rig.want(navigation_goal=1, motion='mast_open', number=1)
    assert report.motion_stage is Stage.REFUSED
    assert "'mast_open' is no motion" in report.motion_reason
    assert rig.asked.count('mast_open') == 0


def test_move_stop_ends_the_navigation_goal(driving: Rig) -> None:
    driving.calls.append(driving.parts.base.stop())
    driving.pass_time(0.2)
    report = driving.parts.navigation_goals.report
    assert report is not None
    assert (report.stage, report.reason) == (Stage.ENDED, 'move_stop was called')
    assert not driving.parts.exclusivity.moving


def test_move_stop_ends_a_navigation_goal_that_waits_for_its_permission(rig: Rig) -> None:
    rig.permit = Permit()
    rig.want(navigation_goal=1, motion='turn_left', number=1)
    rig.calls.append(rig.parts.base.stop())
    rig.pass_time(CHECK_S)
    rig.permit = PERMIT
    rig.pass_time(1.0)
    report = rig.parts.navigation_goals.report
    assert report is not None
    assert (report.stage, report.reason) == (Stage.REFUSED, 'move_stop was called')
    assert rig.motions == []
