"""An adapter that is silent, and an executive that the machine did not let run."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from driving_bench import MOVE, STOP, driving, mode
from fakes.core import ADAPTER_STOP, ROVER_STOP
import pytest
from tree_bench import ROBOTS, MakeBench, Propose, TreeBench, configuration, propose, registry

from bt_executive.core.call_states import CallInput
from bt_executive.core.executive_ports import Answer
from bt_executive.core.inputs import (
    ApprovalGiven,
    PoseReceived,
    SafetyEvent,
    ServerCallUpdate,
    TopicReceived,
)
from bt_executive.core.state import Mode
from rover_common.clocks import Clocks, Standstill

AHEAD: dict[str, Any] = {'distance_m': 3.0}
CASES = [
    ('', 'move_forward', {'duration_s': 8.0}, '/adapter/move_forward', ''),
    ('', 'navigate_to', {'x': 5.0, 'y': 0.0}, '/adapter/navigate_to_pose', ''),
    ('turtlebot', 'drive', AHEAD, '/gates/base/straight', 'base'),
    ('turtlebot', 'turn', {'angle_rad': 2.0}, '/gates/base/turn', 'base'),
    ('nav2', 'navigate_to', {'x': 5.0, 'y': 0.0}, 'navigate_to_pose', 'base'),
]
each_case = pytest.mark.parametrize(('robot', 'tool', 'arguments', 'name', 'gate'), CASES)
TICK_S = 0.05


class Driving:
    """A tool that moves its robot, permitted, and its server has accepted it."""

    def __init__(
        self, robot: str, tool: str, arguments: dict[str, Any], name: str, gate: str
    ) -> None:
        self.gate, self.name, self._turns = gate, name, tool == 'turn'
        it = self.it = TreeBench([propose(tool, **arguments), Answer('done')], (), robot)
        it.robot.replies = {'/adapter/move_forward': {'success': True, 'message': ''}}
        self._came = 0.0  # m, or rad
        self.speak(life='first', mast_is_open=False, mast='closed', moving=False)
        it.goal('drive')
        for _ in range(100):
            if name in it.robot.names:
                break
            self.pass_time(0.1)
        for call in it.context.calls.running():
            if call.endpoint is not None and call.endpoint.kind == 'action':
                it.inbox.put(ServerCallUpdate(call.server_call_id, CallInput.ACCEPT))
        assert self.is_permitted

    @property
    def is_permitted(self) -> bool:
        return self.gate in self.it.context.permits.given

    @property
    def limit_s(self) -> float:
        return self.it.context.config.executive.guards.adapter_status_moving_max_age_s

    def speak(self, **facts: Any) -> None:
        self._show_pose()
        self.it.status(**facts)

    def _show_pose(self) -> None:
        it = self.it
        x, yaw = (0.0, self._came) if self._turns else (self._came, 0.0)
        it.inbox.put(PoseReceived(it.now, x, 0.0, yaw, stamp=it.now))

    def pass_time(self, seconds: float, speaks: bool = True) -> None:
        """Every 0.05 s a tick, a pose, and a status if the adapter speaks."""
        for _ in range(round(seconds / TICK_S)):
            self.it.now += TICK_S
            self._came += 0.4 * TICK_S * self.is_permitted
            if speaks:
                self.speak(moving=self.is_permitted)
            else:
                self._show_pose()
            self.it.tick()

    def is_stopped_in(self) -> float:
        """Seconds of silence until nothing is permitted any more."""
        began = self.it.now
        while self.is_permitted and self.it.now < began + 5.0:
            self.pass_time(TICK_S, speaks=False)
        return self.it.now - began


@each_case
def test_it_is_stopped_past_the_adapter_as_soon_as_a_status_is_overdue(
    robot: str, tool: str, arguments: dict[str, Any], name: str, gate: str
) -> None:
    case = Driving(robot, tool, arguments, name, gate)
    case.pass_time(0.6)
    sent = len(case.it.robot.names)
    took = case.is_stopped_in()
    assert case.limit_s < took <= case.limit_s + 2 * TICK_S
    assert ROVER_STOP in case.it.robot.names[sent:], 'nobody is there to take the stop'
    assert ADAPTER_STOP not in case.it.robot.names[sent:]
    assert not case.it.context.state.world.safety_reason, 'a gap, not SAFE'
    case.pass_time(0.1, speaks=False)
    assert not case.it.context.state.world.safety_reason


@each_case
@pytest.mark.slow
def test_what_was_silent_for_a_moment_drives_the_rest(
    robot: str, tool: str, arguments: dict[str, Any], name: str, gate: str
) -> None:
    case = Driving(robot, tool, arguments, name, gate)
    case.pass_time(0.6)
    case.is_stopped_in()
    before = case.it.robot.names.count(name)
    for call in case.it.context.calls.running():
        case.it.inbox.put(ServerCallUpdate(call.server_call_id, CallInput.CANCELLED))
    case.pass_time(4.0)
    assert case.it.robot.names.count(name) == before + 1
    assert case.is_permitted


@pytest.mark.parametrize('life', ['first', 'second'])
@pytest.mark.slow
def test_what_an_adapter_did_that_died_is_not_gone_on_with(life: str) -> None:
    case = Driving(*CASES[2])
    case.pass_time(0.6)
    case.is_stopped_in()
    for call in case.it.context.calls.running():
        case.it.inbox.put(ServerCallUpdate(call.server_call_id, CallInput.CANCELLED))
    case.speak(moving=False, life=life)
    case.pass_time(4.0)
    assert bool(case.it.robot.names.count(case.name) - 1) == (life == 'first')
    if life == 'second':
        (result,) = case.it.planner.results
        assert 'No status from the adapter for 0.' in result.error_reason


@each_case
def test_a_status_that_was_old_when_it_was_permitted_is_no_gap(
    robot: str, tool: str, arguments: dict[str, Any], name: str, gate: str
) -> None:
    """An adapter at rest reports every half a second: it has time to say that it moves."""
    case = Driving(robot, tool, arguments, name, gate)
    given_at = case.it.context.permits.given_at[gate]
    case.pass_time(case.limit_s - (case.it.now - given_at) - TICK_S, speaks=False)
    assert case.is_permitted


def test_what_does_not_move_is_held_to_the_longer_age() -> None:
    it = TreeBench([propose('mast_close'), Answer('done')], ())
    it.status()
    it.goal('close')
    it.until(lambda: '/adapter/mast_close' in it.robot.names)
    it.tick(10, after=0.1)
    assert it.context.calls.running()
    assert not it.context.state.world.safety_reason
    it.tick(10, after=0.1)
    assert 'the adapter is silent' in it.context.state.world.safety_reason


def test_a_stop_goes_to_an_adapter_that_speaks() -> None:
    case = Driving(*CASES[0])
    case.pass_time(0.6)
    sent = len(case.it.robot.names)
    case.it.inbox.put(SafetyEvent('a person', 'test'))
    case.it.tick()
    assert {*case.it.robot.names[sent:]} == {ADAPTER_STOP}


@pytest.mark.parametrize('robot', ['', *sorted(each.name for each in ROBOTS.iterdir())])
def test_whatever_moves_under_a_permit_asks_for_it(robot: str) -> None:
    """The guard that notices stands at each tool of each shipped robot that may move it."""
    for tool in registry((), robot).values():
        if tool.motion_to_permit and tool.skill.plan is None:
            assert 'adapter_alive' in {each.name for each in tool.preconditions}, tool.name


def test_the_shorter_age_is_longer_than_adapters_are_silent_and_shorter_than_safe() -> None:
    config = configuration(())
    guards = config.executive.guards
    assert guards.adapter_status_moving_max_age_s < guards.adapter_status_max_age_s
    assert (
        2 * config.curiosity.motion.status_period_s < guards.adapter_status_moving_max_age_s <= 0.5
    )


PERIOD_S, LONGEST_GAP_S = 0.1, 0.35
HICCUP_S = 0.4


def step_as_the_clocks_say(it: TreeBench, clocks: Clocks, *, gap: float) -> None:
    it.now += gap
    it.executive.step(clocks())


@pytest.mark.parametrize('between', [0, 1, 10])
def test_silence_of_the_adapter_is_found_between_hiccups(bench: MakeBench, between: int) -> None:
    it = bench()
    clocks = Clocks(lambda: it.now, lambda: it.now, LONGEST_GAP_S, PERIOD_S)
    it.status()
    it.executive.step(clocks())
    began = it.now
    while mode(it) is not Mode.SAFE:
        for _ in range(between):
            step_as_the_clocks_say(it, clocks, gap=PERIOD_S)
        step_as_the_clocks_say(it, clocks, gap=HICCUP_S)
        assert it.now - began < 15.0
    assert it.context.state.world.safety_reason == 'the adapter is silent'


def test_a_drive_goes_on_over_a_suspension() -> None:
    it = driving()
    it.now += 3.0
    it.executive.step(replace(it.moment, standstills=(Standstill(it.now, 3.0),)))
    assert STOP not in it.robot.names


def test_nothing_begins_on_what_was_known_before_a_suspension(
    bench: MakeBench, propose: Propose
) -> None:
    it = bench(propose('move_nudge'), Answer('done'))
    it.status(mast_is_open=False, mast='closed', moving=False)
    it.tick()
    it.goal('go')
    it.now += 60.0
    asleep = (Standstill(it.now, 60.0),)
    for _ in range(5):
        it.executive.step(replace(it.moment, standstills=asleep))
    assert it.robot.names == []
    it.status()
    it.executive.step(replace(it.moment, standstills=asleep))
    assert it.robot.names == [MOVE]


DUST = 'robot.state.dusty={topic: /dust, field: data, type: std_msgs/msg/Bool, max_age_s: 1.0}'
CLEAN = 'robot.guards.clean={where: {dusty: false}, reason: Dusty}'
LOOK = '/vision/look'
GUARDED = (DUST, CLEAN, 'robot.safe_when.dusty=true', 'tools.look.guards=[clean]')


class Looking:
    """A look under way, whose guard and `safe_when` read a topic; then the executive sleeps."""

    def __init__(
        self,
        bench: MakeBench,
        propose: Propose,
        tool: str = 'look',
        overrides: Any = GUARDED,
        **arguments: Any,
    ) -> None:
        asks = [propose(tool, **arguments)] * 2
        self.it = bench(*asks, Answer('done'), overrides=overrides)
        self.it.goal('look')
        self.pass_time(1.0)
        ((server_call_id, _),) = self.it.robot.sent
        self.it.inbox.put(ServerCallUpdate(server_call_id, CallInput.ACCEPT))
        self.pass_time(0.1)
        self.it.now += 60.0
        self.asleep = (Standstill(self.it.now, 60.0),)

    def pass_time(self, seconds: float, dusty: bool | None = False) -> None:
        """Ten times a second a tick, a status, and a value of the topic, unless it is None."""
        for _ in range(round(seconds * 10)):
            self.it.now += 0.1
            self.it.status()
            if dusty is not None:
                self.it.inbox.put(TopicReceived(self.it.now, '/dust', {'dusty': dusty}))
            self.it.tick()

    def wake(self, after: float = 0.0) -> None:
        """A tick, before which no value of the topic has been read."""
        self.it.now += after
        self.it.status()
        self.it.executive.step(replace(self.it.moment, standstills=self.asleep))

    def why_safe(self) -> str:
        return self.it.context.state.world.safety_reason


def test_a_suspension_makes_no_value_of_a_topic_unknown_to_what_runs(
    bench: MakeBench, propose: Propose
) -> None:
    case = Looking(bench, propose)
    case.wake()
    case.wake(after=1.3)
    assert not case.why_safe()
    assert not case.it.planner.results
    case.pass_time(0.5)
    assert not case.why_safe()
    case.pass_time(0.1, dusty=True)
    assert case.why_safe() == 'dusty is yes'


def test_a_topic_that_is_silent_after_a_suspension_makes_safe(
    bench: MakeBench, propose: Propose
) -> None:
    case = Looking(bench, propose)
    case.wake()
    case.wake(after=1.6)
    assert case.why_safe() == 'dusty is not known: the latest is 61.6 s old, over 1 s'


def test_nothing_begins_on_a_value_of_a_topic_from_before_a_suspension(
    bench: MakeBench, propose: Propose
) -> None:
    case = Looking(bench, propose)
    case.it.robot.answer(LOOK, message='', error_code='')
    for _ in range(10):
        case.wake(after=0.1)
    assert case.it.planner.results[0].ok
    assert case.it.robot.names == [LOOK]
    case.pass_time(0.2)
    assert case.it.robot.names == [LOOK, LOOK]


TWICE = {
    'a composite': 'sequence: [look, capture_and_score], guards: [clean]',
    'a part of it': 'guard: {that: [clean], do: {sequence: [look, capture_and_score]}}',
    'one around it': 'sequence: [inner], guards: [clean]',
}


@pytest.mark.parametrize('guarded', TWICE)
def test_no_member_begins_on_a_value_from_before_a_suspension(
    bench: MakeBench, propose: Propose, guarded: str
) -> None:
    plans = 'inner={sequence: [look, capture_and_score]}', f'twice={{{TWICE[guarded]}}}'
    own = 'tools.look.guards=[]', 'tools.capture_and_score.guards=[]'
    overrides = [DUST, CLEAN, *own, *(f'robot.tools.{each}' for each in plans)]
    case = Looking(bench, propose, 'twice', overrides)
    case.it.robot.answer(LOOK, message='', error_code='')
    for _ in range(10):
        case.wake(after=0.1)
    assert case.it.robot.names == [LOOK]
    case.pass_time(0.2)
    assert case.it.robot.names == [LOOK, '/capture_and_score']


def test_no_step_begins_on_a_value_from_before_a_suspension(
    bench: MakeBench, propose: Propose
) -> None:
    guards = 'tools.go_to_remembered.guards=[clean]', 'tools.navigate_to.guards=[adapter_alive]'
    overrides = [DUST, CLEAN, *guards]
    case = Looking(bench, propose, 'go_to_remembered', overrides, text='rock')
    place = {'id': 'n1', 'name': 'Rock', 'x': 20.0, 'y': 5.0, 'radius_m': 1.0}
    case.it.robot.answer('/memory/recall', ok=True, error_code='', reason='', places=[place])
    for _ in range(10):
        case.it.inbox.put(PoseReceived(case.it.now, 0.0, 0.0, 0.0, stamp=case.it.now))
        case.wake(after=0.1)
    assert case.it.robot.names == ['/memory/recall']
    case.pass_time(0.3)
    assert case.it.robot.names[1:] == ['/adapter/navigate_to_pose']


def about_to_ask(bench: MakeBench, propose: Propose) -> TreeBench:
    """A tool has begun and waited for its server, which is there now."""
    it = bench(propose('move_nudge'), Answer('done'))
    it.robot.absent = {MOVE}
    it.status(mast_is_open=False, mast='closed', moving=False)
    it.goal('go')
    it.pass_time(1.0)
    it.robot.absent = set()
    return it


def test_no_server_is_asked_on_what_was_known_before_a_suspension(
    bench: MakeBench, propose: Propose
) -> None:
    it = about_to_ask(bench, propose)
    it.now += 60.0
    asleep = (Standstill(it.now, 60.0),)
    for _ in range(3):
        it.executive.step(replace(it.moment, standstills=asleep))
    assert MOVE not in it.robot.names
    it.status()
    it.executive.step(replace(it.moment, standstills=asleep))
    assert it.robot.names == [MOVE]


def test_no_server_is_asked_while_somebody_else_drives(bench: MakeBench, propose: Propose) -> None:
    it = about_to_ask(bench, propose)
    it.status(moving=True)
    it.pass_time(1.0)
    assert MOVE not in it.robot.names
    it.status(moving=False)
    it.pass_time(0.2)
    assert it.robot.names == [MOVE]


@pytest.mark.slow
def test_what_hinders_a_tool_for_too_long_is_told(bench: MakeBench, propose: Propose) -> None:
    it = about_to_ask(bench, propose)
    it.status(moving=True)
    it.until(lambda: it.planner.results)
    assert it.planner.results[0].error_reason == 'Move in progress'
    assert MOVE not in it.robot.names


def test_an_approved_drive_waits_for_a_pose_after_a_suspension(
    bench: MakeBench, propose: Propose
) -> None:
    it = bench(propose('move_nudge'), Answer('done'), overrides=['approval.mode=always'])
    it.robot.absent = {MOVE}
    it.status(mast_is_open=False, mast='closed', moving=False)
    it.inbox.put(PoseReceived(it.now, 0.0, 0.0, 0.0, stamp=it.now))
    it.goal('go')
    it.until(it.context.approvals.waiting)
    (request,) = it.context.approvals.waiting()
    it.inbox.put(ApprovalGiven(request.request_id, 'approve'))
    it.pass_time(1.0)
    it.robot.absent = set()
    it.now += 60.0
    asleep = (Standstill(it.now, 60.0),)
    it.status()
    it.executive.step(replace(it.moment, standstills=asleep))
    it.executive.step(replace(it.moment, standstills=asleep))
    assert MOVE not in it.robot.names
    it.inbox.put(PoseReceived(it.now, 3.0, 0.0, 0.0, stamp=it.now))
    it.executive.step(replace(it.moment, standstills=asleep))
    it.pass_time(1.0)
    assert MOVE not in it.robot.names
    assert (
        it.planner.results[0].error_reason == 'Approved for another situation: the robot has moved'
    )
