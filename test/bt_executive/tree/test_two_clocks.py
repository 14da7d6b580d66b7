"""Which clock each limit counts in: the tree with simulated time that runs fast, slow, or mad."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from known import known
import pytest
from tree_bench import MakeBench, Propose, TreeBench

from bt_executive.core.executive_ports import Answer, Proposal
from bt_executive.core.inputs import PoseReceived
from bt_executive.core.state import Mode
from rover_common.clocks import Now

START, STOP = '/adapter/move_forward', '/adapter/move_stop'
CAPTURE = '/capture_and_score'
SPEEDS = pytest.mark.parametrize('speed', [0.5, 1.0, 20.0])
SPEED_M_S = 0.485


def clocked(it: TreeBench, speed: float) -> TreeBench:
    """The bench with simulated time that passes so many times as fast."""
    it.run_clock(speed)
    it.status()
    return it


def waited(it: TreeBench, done: Callable[[], Any], step: float = 0.05) -> Now:
    """Ticks until `done`; returns what has passed on each clock."""
    before = it.moment
    it.until(done, step)
    after = it.moment
    return Now(after.ros - before.ros, after.robot - before.robot, after.steady - before.steady)


def asked(bench: MakeBench, proposal: Proposal, server: str, speed: float) -> TreeBench:
    """A bench on which the proposal's server has just been asked."""
    it = clocked(bench(proposal, Answer('done')), speed)
    it.goal()
    it.until(lambda: server in it.robot.names)
    return it


def driving(bench: MakeBench, propose: Propose, speed: float) -> TreeBench:
    """A bench on which a nudge of 5 s has just been asked for and confirmed."""
    it = clocked(bench(propose('move_nudge'), Answer('done')), speed)
    it.robot.replies = {START: {'success': True, 'message': ''}}
    it.status(mast_is_open=False, mast='closed')
    it.goal('drive')
    it.until(lambda: START in it.robot.names, 0.001)
    it.until(lambda: it.context.round.motion_until is not None, 0.001)
    return it


# --- the robot's world ---------------------------------------------------------------------------


@pytest.mark.slow
@SPEEDS
def test_a_drive_lasts_its_seconds_of_the_robots_time(
    bench: MakeBench, propose: Propose, speed: float
) -> None:
    it = driving(bench, propose, speed)
    passed = waited(it, lambda: STOP in it.robot.names, 0.02 / speed)
    assert passed.robot == pytest.approx(5.0, abs=0.05)


@SPEEDS
def test_the_tool_wait_waits_in_the_robots_time(
    bench: MakeBench, propose: Propose, speed: float
) -> None:
    it = clocked(bench(propose('wait', seconds=3.0), Answer('done')), speed)
    it.goal()
    passed = waited(it, lambda: it.planner.results, 0.1 / speed)
    assert passed.robot == pytest.approx(3.0, abs=0.4)
    assert it.planner.results[0].data['waited_s'] == pytest.approx(3.0, abs=0.2)


@SPEEDS
def test_while_it_drives_the_tree_is_ticked_in_the_robots_periods(
    bench: MakeBench, propose: Propose, speed: float
) -> None:
    it = driving(bench, propose, speed)
    report = it.tick()
    assert report.alarm.robot - report.now.robot == pytest.approx(0.1)
    assert report.alarm.robot < known(it.context.round.motion_until)


def test_a_drive_counts_from_when_the_robot_began_to_move(
    bench: MakeBench, propose: Propose
) -> None:
    it = driving(bench, propose, 20.0)
    began = it.moment
    seconds = 0.1  # on its way to us, the pose is two seconds of the robot's time old
    x = SPEED_M_S * 0.4
    it.now += seconds
    it.inbox.put(PoseReceived(it.now, x, 0.0, 0.0, stamp=began.ros + 0.4))
    it.tick()
    assert it.context.round.motion_until == pytest.approx(began.robot + 5.0, abs=0.01)


@pytest.mark.parametrize('stamp', [-1000.0, 1e9])
def test_a_pose_of_another_time_moves_no_drive_out_of_its_bounds(
    bench: MakeBench, propose: Propose, stamp: float
) -> None:
    it = driving(bench, propose, 1.0)
    asked = known(it.context.round.asked).now.robot
    it.now += 0.1
    it.inbox.put(PoseReceived(it.now, 1.0, 0.0, 0.0, stamp=stamp))
    it.tick()
    assert asked + 5.0 <= known(it.context.round.motion_until) <= it.moment.robot + 5.0


@pytest.mark.parametrize('jump', [60.0, -60.0, 1e9])
def test_a_clock_that_jumps_changes_no_drive_and_makes_nothing_unsafe(
    bench: MakeBench, propose: Propose, jump: float
) -> None:
    it = driving(bench, propose, 1.0)
    started = it.now
    it.until(lambda: it.now - started >= 2.0)
    it.run_clock(1.0, jump=jump)
    it.until(lambda: STOP in it.robot.names, 0.05)
    assert it.now - started == pytest.approx(5.0, abs=0.2)
    assert it.context.state.tasks.mode is Mode.EXEC
    it.robot.answer(STOP, success=True, message='')
    it.until(lambda: it.reporter.endings)
    assert it.reporter.endings[0]['outcome'] == 'claimed', 'no pose came'


def test_a_clock_that_dies_makes_no_drive_endless(bench: MakeBench, propose: Propose) -> None:
    it = driving(bench, propose, 20.0)
    it.run_clock(0.0)
    passed = waited(it, lambda: STOP in it.robot.names)
    assert passed.steady <= 7.1


def test_fast_poses_are_driven_metres_and_no_jumps(bench: MakeBench, propose: Propose) -> None:
    it = driving(bench, propose, 20.0)
    for step in range(4):  # a tick was late: 3 s of the robot's time between two poses
        it.inbox.put(PoseReceived(it.now, 1.45 * step, 0.0, 0.0, stamp=it.moment.ros))
        it.tick()
        it.now += 0.15
    assert it.context.progress.distance_m == pytest.approx(4.35)


# --- processes and people ------------------------------------------------------------------------


@SPEEDS
def test_the_adapter_is_silent_in_steady_time(
    bench: MakeBench, propose: Propose, speed: float
) -> None:
    it = clocked(bench(), speed)
    it.tick()
    it.tick(after=1.4)
    assert it.context.state.tasks.mode is Mode.IDLE
    it.tick(after=0.2)
    assert it.context.state.world.safety_reason == 'the adapter is silent'


@pytest.mark.slow
@SPEEDS
def test_an_absent_server_is_waited_for_in_steady_time(
    bench: MakeBench, propose: Propose, speed: float
) -> None:
    it = clocked(bench(propose('capture_and_score'), Answer('done')), speed)
    it.robot.absent = {CAPTURE}
    it.goal()
    passed = waited(it, lambda: it.planner.results)
    assert passed.steady == pytest.approx(15.0, abs=0.3)


@SPEEDS
def test_a_server_that_has_gone_is_lost_in_steady_time(
    bench: MakeBench, propose: Propose, speed: float
) -> None:
    it = asked(bench, propose('capture_and_score'), CAPTURE, speed)
    it.robot.absent = {CAPTURE}
    passed = waited(it, lambda: it.messages('ERROR'))
    limit = it.context.config.executive.sessions.lost_after_s
    assert passed.steady == pytest.approx(limit, abs=0.2)


@SPEEDS
def test_a_model_thinks_in_steady_time(bench: MakeBench, speed: float) -> None:
    it = clocked(bench(None, overrides=['planner.timeout_s=4.0']), speed)
    it.goal()
    passed = waited(it, lambda: it.reporter.endings)
    assert passed.steady == pytest.approx(4.0, abs=0.2)
    assert 'nothing within 4 s' in it.reporter.endings[0]['answer']


@SPEEDS
@pytest.mark.parametrize(
    ('tool', 'arguments', 'overrides', 'reason'),
    [
        (
            'capture_and_score',
            {},
            ['approval.mode=always', 'approval.expiry_s=6'],
            'Nobody approved',
        ),
        (
            'ask_operator',
            {'question': 'Where?'},
            ['tools.ask_operator.timeout_s=6'],
            'no answer',
        ),
    ],
    ids=['approval', 'question'],
)
def test_people_are_waited_for_in_steady_time(
    bench: MakeBench,
    propose: Propose,
    speed: float,
    tool: str,
    arguments: dict[str, Any],
    overrides: list[str],
    reason: str,
) -> None:
    proposal = propose(tool, **arguments)
    it = clocked(bench(proposal, Answer('done'), overrides=overrides), speed)
    it.goal()
    passed = waited(it, lambda: it.planner.results)
    assert passed.steady == pytest.approx(6.0, abs=0.3)
    assert reason in it.planner.results[0].error_reason


# --- what needs both -----------------------------------------------------------------------------


@SPEEDS
def test_a_tool_is_overdue_when_it_is_on_both_clocks(
    bench: MakeBench, propose: Propose, speed: float
) -> None:
    it = asked(bench, propose('get_status'), '/adapter/get_status', speed)
    limit = it.context.registry['get_status'].skill.timeout_s
    passed = waited(it, lambda: it.messages('ERROR'))
    assert passed.since(Now.at(0.0)) == pytest.approx(limit, abs=0.2)
    assert min(passed.robot, passed.steady) == pytest.approx(limit, abs=0.2)


@SPEEDS
def test_a_goal_has_used_up_its_time_when_it_has_on_both_clocks(
    bench: MakeBench, propose: Propose, speed: float
) -> None:
    it = clocked(bench(None, overrides=['goal.max_wall_s=5.0']), speed)
    it.goal()
    it.until(lambda: it.context.task is not None)
    usage = it.context.progress.usage
    passed = waited(it, lambda: usage(it.moment).elapsed_s >= 5.0)
    assert min(passed.robot, passed.steady) == pytest.approx(5.0, abs=0.2)
