"""A drive that a gap has stopped goes on with what is left, and never with more."""

from __future__ import annotations

from collections.abc import Sequence
import math
from typing import Any

from driving_bench import DONE, MOVE, STOP
from hypothesis import given, settings
from hypothesis import strategies as st
import pytest
from tree_bench import MakeBench, Propose, TreeBench, make_bench, propose

from bt_executive.core.call_states import CallInput
from bt_executive.core.executive_ports import Answer
from bt_executive.core.inputs import PauseRequested, PoseReceived, ServerCallUpdate, StopRequested
from bt_executive.core.round_decision import MAX_PARTS

NAVIGATE = '/adapter/navigate_to_pose'
SPEED_M_S, SECONDS = 0.485, 8.0
WHOLE_M = SPEED_M_S * SECONDS
GAP = 'move_forward was stopped: no heartbeat from the executive for 0.4 s (limit 0.3 s)'


class Rover:
    """Drives as it is told, on a bench, and is stopped by its adapter at given metres.

    Args:
        stops_at: Metres of the whole drive at which the adapter ends the motion.
        code: With which it does.
        seen: Whether poses come while it stands after that.
    """

    def __init__(
        self, it: TreeBench, stops_at: Sequence[float], code: str = 'GAP', seen: bool = True
    ) -> None:
        self.it, self.x, self.moving = it, 0.0, False
        self._stops_at, self._code, self._seen = list(stops_at), code, seen
        self._read, self.blind = 0, False

    def run(self, seconds: float) -> None:
        for _ in range(round(seconds * 10)):
            if self.it.planner.results:
                return
            self.step()

    def step(self) -> None:
        it = self.it
        for name in it.robot.names[self._read :]:
            self.moving = name == MOVE or (self.moving and not name.endswith('stop'))
        self._read = len(it.robot.names)
        it.now += 0.1
        self.x += SPEED_M_S * 0.1 * self.moving
        if self.moving and self._stops_at and self.x >= self._stops_at[0]:
            self._stops_at.pop(0)
            self.moving, self.blind = False, not self._seen
            permit = it.robot.heartbeat.permit.number
            ending = {'sender': 'fake', 'permit': permit, 'code': self._code, 'reason': GAP}
            it.facts['ending'] = ending
        it.status(moving=self.moving)
        if not self.blind:
            it.inbox.put(PoseReceived(it.now, self.x, 0.0, 0.0, stamp=it.now))
        it.executive.step(it.moment)

    @property
    def starts(self) -> int:
        return self.it.robot.names.count(MOVE)


def driving(it: TreeBench) -> TreeBench:
    """A drive of 8 s is wanted by a robot that stands at a known pose."""
    it.robot.replies = {MOVE: DONE, STOP: DONE}
    it.status(mast_is_open=False, mast='closed', moving=False)
    it.inbox.put(PoseReceived(it.now, 0.0, 0.0, 0.0, stamp=it.now))
    it.goal('drive')
    return it


@pytest.fixture
def bench_8_s(bench: MakeBench, propose: Propose) -> TreeBench:
    return driving(bench(propose('move_forward', duration_s=SECONDS), Answer('there')))


@pytest.mark.slow
def test_what_is_left_is_driven_and_the_planner_gets_one_result(bench_8_s: TreeBench) -> None:
    rover = Rover(bench_8_s, [1.5])
    rover.run(40.0)
    (result,) = bench_8_s.planner.results
    assert result.ok
    assert result.data['interruptions'] == 1
    assert result.data['driven_m'] == pytest.approx(WHOLE_M, abs=0.15)
    assert result.data['expected_m'] == pytest.approx(WHOLE_M, abs=0.01)
    assert rover.x == pytest.approx(WHOLE_M, abs=0.15)
    assert rover.starts == 2
    (told,) = [each for each in bench_8_s.messages('OBSERVE') if 'goes on' in each]
    assert told.endswith('s of 8 s are left (part 2 of at most 3)')


def test_it_is_tried_again_a_few_times_only(bench_8_s: TreeBench) -> None:
    rover = Rover(bench_8_s, [0.5, 1.0, 1.5, 2.0, 2.5])
    rover.run(60.0)
    (result,) = bench_8_s.planner.results
    assert not result.ok
    assert GAP in result.error_reason
    assert 'm of it were driven before' in result.error_reason
    assert result.data == {'interruptions': MAX_PARTS - 1, 'driven_m': round(rover.x, 2)}
    assert rover.starts == MAX_PARTS


@pytest.mark.parametrize('code', ['STOP_CALLED', 'HALTED'])
def test_what_somebody_or_a_limit_has_stopped_is_not_tried_again(
    bench_8_s: TreeBench, code: str
) -> None:
    rover = Rover(bench_8_s, [1.5], code)
    rover.run(40.0)
    assert [result.error_reason for result in bench_8_s.planner.results] == [GAP]
    assert rover.starts == 1


@pytest.mark.parametrize('event', [StopRequested('the operator'), PauseRequested('the operator')])
@pytest.mark.parametrize('after', [1, 3, 6])
@pytest.mark.slow
def test_nothing_goes_on_after_an_operators_stop_or_pause(
    bench_8_s: TreeBench, event: Any, after: int
) -> None:
    rover = Rover(bench_8_s, [1.5])
    while rover.x < 1.5:
        rover.step()
    rover.blind = True  # the gap lasts
    for _ in range(after):
        rover.step()
    bench_8_s.inbox.put(event)
    rover.step()
    rover.blind = False
    for _ in range(100):
        rover.step()
    assert rover.starts == 1


@pytest.mark.slow
def test_a_robot_whose_place_stays_unknown_drives_no_more(bench_8_s: TreeBench) -> None:
    rover = Rover(bench_8_s, [1.5], seen=False)
    rover.run(60.0)
    assert [result.error_reason for result in bench_8_s.planner.results] == [GAP]
    assert rover.starts == 1


@pytest.mark.slow
def test_a_drive_that_a_human_asked_for_by_hand_goes_on_too(bench: MakeBench) -> None:
    it = bench()
    it.robot.replies = {MOVE: DONE, STOP: DONE}
    it.status(mast_is_open=False, mast='closed', moving=False)
    it.inbox.put(PoseReceived(it.now, 0.0, 0.0, 0.0, stamp=it.now))
    it.goal('by hand', tool='move_forward', arguments={'duration_s': SECONDS})
    rover = Rover(it, [2.0])
    for _ in range(300):
        rover.step()
    told = [(event.data or {}).get('goal_ended') for event in it.events]
    (summary,) = filter(None, told)
    assert summary['outcome'] == 'reached'
    assert 'interruptions 1' in summary['answer']
    assert rover.starts == 2


@pytest.mark.slow
@settings(max_examples=25)
@given(st.lists(st.floats(0.05, WHOLE_M - 0.05), max_size=5))
def test_however_often_it_is_stopped_no_more_is_driven_than_was_asked_for(
    stops: Sequence[float],
) -> None:
    it = driving(make_bench(propose('move_forward', duration_s=SECONDS), Answer('there')))
    rover = Rover(it, sorted(stops))
    rover.run(80.0)
    (result,) = it.planner.results
    a_step = SPEED_M_S * 0.1 * 2
    assert rover.x <= WHOLE_M + a_step
    assert rover.starts <= MAX_PARTS
    if result.ok:
        assert result.data['driven_m'] == pytest.approx(rover.x, abs=a_step * MAX_PARTS)


@pytest.mark.slow
def test_a_drive_to_a_place_is_asked_for_again(bench: MakeBench, propose: Propose) -> None:
    it = bench(propose('navigate_to', x=5.0, y=3.0), Answer('there'))
    it.status(mast_is_open=False, mast='closed')
    it.goal()
    it.until(lambda: NAVIGATE in it.robot.names)
    ending = {'sender': 'fake', 'permit': 1, 'code': 'GAP', 'reason': GAP}
    it.status(moving=False, ending=ending)
    for _ in range(200):  # its server says nothing more about the first one
        it.inbox.put(PoseReceived(it.now, 1.0, 0.0, 0.0, stamp=it.now))
        it.pass_time(0.1)
    assert it.robot.names.count(NAVIGATE) == 2
    assert not it.planner.results


# --- the same of a gate's own motion ----------------------------------------------------------

BASE_M_S, SILENT = 0.3, 'It was stopped: the executive has fallen silent'


class Base:
    """A base that drives what its gate is asked for, and is stopped at given m, or rad, of all."""

    argument, other = 'distance_m', 'angle_rad'

    def __init__(self, it: TreeBench, stops_at: Sequence[float], code: str = 'GAP') -> None:
        self.it, self.came, self._driven = it, 0.0, 0.0
        self._stops_at, self._code = list(stops_at), code
        self._read, self._server_call_id, self._wanted, self._done = 0, '', 0.0, 0.0
        self.asked: list[float] = []

    def run(self, seconds: float) -> None:
        for _ in range(round(seconds * 10)):
            if self.it.planner.results:
                return
            self._step()

    def _step(self) -> None:
        it = self.it
        for server_call_id, name in it.robot.sent[self._read :]:
            if name.startswith('/gates/') and it.context.round.proposal:
                self._wanted = it.context.round.proposal.arguments[self.argument]
                self._server_call_id, self._done = server_call_id, 0.0
                self.asked.append(self._wanted)
                it.inbox.put(ServerCallUpdate(server_call_id, CallInput.ACCEPT))
        self._read = len(it.robot.sent)
        it.now += 0.1
        if self._server_call_id:
            step = min(BASE_M_S * 0.1, abs(self._wanted) - self._done)
            self._done, self._driven = self._done + step, self._driven + step
            self.came += math.copysign(step, self._wanted)
            self._end()
        it.status(moving=bool(self._server_call_id))
        it.inbox.put(self._pose())
        it.executive.step(it.moment)

    def _pose(self) -> PoseReceived:
        return PoseReceived(self.it.now, self.came, 0.0, 0.0, stamp=self.it.now)

    def _end(self) -> None:
        told: dict[str, Any] = {'error_code': '', 'message': '', self.other: 0.0}
        told[self.argument] = math.copysign(self._done, self._wanted)
        if self._stops_at and self._driven >= self._stops_at[0]:
            self._stops_at.pop(0)
            permit = self.it.context.round.permit
            ending = {'sender': 'fake', 'permit': permit, 'code': self._code, 'reason': SILENT}
            self.it.facts['ending'] = ending
            told |= {'error_code': 'STOPPED', 'message': SILENT}
            self.it.inbox.put(ServerCallUpdate(self._server_call_id, CallInput.FAIL, told))
        elif self._done >= abs(self._wanted) - 1e-6:
            self.it.inbox.put(ServerCallUpdate(self._server_call_id, CallInput.SUCCEED, told))
        else:
            return
        self._server_call_id = ''


def gated(tool: str, amount: float) -> TreeBench:
    argument = 'distance_m' if tool == 'drive' else 'angle_rad'
    it = TreeBench([propose(tool, **{argument: amount}), Answer('there')], [], 'turtlebot')
    it.status(moving=False)
    it.inbox.put(PoseReceived(it.now, 0.0, 0.0, 0.0, stamp=it.now))
    it.goal(tool)
    return it


class TurningBase(Base):
    """The same on the spot."""

    argument, other = 'angle_rad', 'distance_m'

    def _pose(self) -> PoseReceived:
        yaw = math.remainder(self.came, math.tau)
        return PoseReceived(self.it.now, 0.0, 0.0, yaw, stamp=self.it.now)


@pytest.mark.parametrize(
    ('tool', 'amount', 'stops_at'),
    [
        ('drive', 3.0, [1.2]),
        ('drive', 3.0, [0.6, 1.5]),
        ('drive', -1.0, [0.4]),
        ('turn', 1.57, [0.8]),
        ('turn', -3.0, [1.0, 2.0]),
        ('turn', 5.5, [3.5]),
        ('turn', 0.5, [0.01]),
    ],
)
@pytest.mark.slow
def test_a_gate_moves_what_a_gap_has_left_and_no_more(
    tool: str, amount: float, stops_at: Sequence[float]
) -> None:
    it = gated(tool, amount)
    base = Base(it, stops_at) if tool == 'drive' else TurningBase(it, stops_at)
    base.run(60.0)
    (result,) = it.planner.results
    assert result.ok
    assert result.data['interruptions'] == len(stops_at)
    assert result.data[base.argument] == pytest.approx(amount, abs=0.1)
    assert base.came == pytest.approx(amount, abs=0.1)
    assert base.asked[0] == amount
    assert [each * amount > 0.0 for each in base.asked] == [True] * (1 + len(stops_at))
    told = [each for each in it.messages('OBSERVE') if 'goes on' in each]
    unit = 'm' if tool == 'drive' else 'rad'
    assert f'{unit} of {amount:g} {unit} are left (part 2 of at most 3)' in told[0]


@pytest.mark.parametrize('code', ['STOP_CALLED', 'HALTED', 'WITHDRAWN'])
def test_a_gate_that_somebody_has_closed_is_not_asked_again(code: str) -> None:
    it = gated('drive', 3.0)
    base = Base(it, [1.2], code)
    base.run(60.0)
    assert [result.error_reason for result in it.planner.results] == [SILENT]
    assert base.asked == [3.0]


@pytest.mark.parametrize(
    ('radians', 'code'), [(1.57, 'STOP_CALLED'), (1.57, 'HALTED'), (6.2, 'GAP')]
)
def test_a_turn_is_not_taken_up_after_a_stop_or_where_the_pose_does_not_tell_how_far(
    radians: float, code: str
) -> None:
    it = gated('turn', radians)
    base = TurningBase(it, [0.8], code)
    base.run(60.0)
    assert [result.error_reason for result in it.planner.results] == [SILENT]
    assert base.asked == [radians]
