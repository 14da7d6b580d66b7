"""Simulated time that runs fast, stands still, jumps or begins anew, and deadlines then."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from known import known
from lives import Lives
import pytest
from tree_bench import MakeBench, Propose, TreeBench

from bt_executive.core.executive_ports import Answer, Proposal
from bt_executive.core.goal_queue import Task, order
from bt_executive.core.inputs import GoalReceived, PoseReceived, SafetyEvent
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
@pytest.mark.slow
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


@pytest.mark.slow
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
@pytest.mark.slow
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
@pytest.mark.slow
def test_a_tool_is_overdue_when_it_is_on_both_clocks(
    bench: MakeBench, propose: Propose, speed: float
) -> None:
    it = asked(bench, propose('get_status'), '/adapter/get_status', speed)
    limit = it.context.registry['get_status'].skill.timeout_s
    passed = waited(it, lambda: it.messages('ERROR'))
    assert passed.since(Now.at(0.0)) == pytest.approx(limit, abs=0.2)
    assert min(passed.robot, passed.steady) == pytest.approx(limit, abs=0.2)


@SPEEDS
@pytest.mark.slow
def test_a_goal_has_used_up_its_time_when_it_has_on_both_clocks(
    bench: MakeBench, propose: Propose, speed: float
) -> None:
    it = clocked(bench(None, overrides=['goal.max_wall_s=5.0']), speed)
    it.goal()
    it.until(lambda: it.context.task is not None)
    usage = it.context.progress.usage
    passed = waited(it, lambda: usage(it.moment).elapsed_s >= 5.0)
    assert min(passed.robot, passed.steady) == pytest.approx(5.0, abs=0.2)


def go(lives: Lives, ticks: int = 1) -> None:
    for _ in range(ticks):
        lives.all_is_well()
        lives.tick()


def receive(lives: Lives, words: str, deadline_s: float | None = None) -> None:
    """A goal comes now; `deadline_s` from now on."""
    now = lives.it.moment.ros
    deadline = None if deadline_s is None else now + deadline_s
    lives.it.inbox.put(GoalReceived(Task(f'goal-{words}', words, 0, deadline, received_at=now)))


def left(lives: Lives) -> dict[str, float]:
    """What is left of each deadline in s."""
    queue = lives.it.context.state.tasks.queue
    ros = lives.it.moment.ros
    return {task.goal: task.deadline - ros for task in queue if task.deadline is not None}


@pytest.fixture
def lives() -> Lives:
    """At 1000 s of ROS time, with a goal that is pursued and one that waits."""
    made = Lives()
    made.it.run_clock(1.0, jump=900.0)
    receive(made, 'pursued', deadline_s=600.0)
    receive(made, 'waits', deadline_s=600.0)
    go(made, 3)
    return made


def test_it_is_counted_once_however_many_lives_follow(lives: Lives) -> None:
    lives.crash(ros=5.0)
    go(lives, 3)
    for _ in range(2):
        lives.crash()
        go(lives)
    assert left(lives) == pytest.approx({'pursued': 588.0, 'waits': 588.0}, abs=3.0)
    assert not lives.it.reporter.endings


@pytest.mark.parametrize('jump', [-30.0, -990.0, 60.0, 1e9])
def test_what_is_left_of_a_deadline_stays_where_the_clock_is_set(
    lives: Lives, jump: float
) -> None:
    expected = left(lives) | {'new': 60.0}
    lives.it.run_clock(1.0, jump=jump)
    receive(lives, 'new', deadline_s=60.0)
    go(lives)
    assert left(lives) == pytest.approx(expected, abs=0.5)
    lives.crash()  # for 5 s
    go(lives)
    assert left(lives) == pytest.approx(
        {goal: seconds - 5.0 for goal, seconds in expected.items()}, abs=0.5
    )


def test_a_clock_that_stood_still_moves_no_deadline(lives: Lives) -> None:
    """It is passed over in a replay, which lacks the ticks in between."""
    expected = left(lives)
    lives.it.run_clock(0.0)
    lives.it.now += 9.0
    assert lives.it.moment.robot > 0.0
    lives.it.run_clock(1.0)
    go(lives)
    assert left(lives) == pytest.approx(expected, abs=0.5)
    assert not [each for each in lives.it.messages('OBSERVE') if 'clock was set' in each]


def before_the_first_time() -> Lives:
    """A life that has no /clock yet, behind one with a goal that waits."""
    made = Lives('use_sim_time=true')
    made.it.run_clock(1.0, jump=900.0)
    receive(made, 'waits', deadline_s=600.0)
    go(made, 3)
    made.crash(ros=0.0)
    made.it.run_clock(0.0)
    return made


@pytest.mark.slow
def test_a_life_that_ends_before_its_first_time_changes_nothing() -> None:
    lives = before_the_first_time()
    go(lives, 2)
    lives.crash(ros=5.0)
    go(lives)
    assert left(lives) == pytest.approx({'waits': 600.0}, abs=1.0)


def test_a_goal_of_this_life_keeps_its_own_deadline(lives: Lives) -> None:
    lives.crash(ros=5.0)
    receive(lives, 'new', deadline_s=60.0)
    go(lives)
    assert left(lives)['new'] == pytest.approx(60.0, abs=1.0)
    assert left(lives)['waits'] == pytest.approx(600.0, abs=1.0)


def test_a_goal_that_came_before_the_first_time_is_stamped_once() -> None:
    lives = before_the_first_time()
    receive(lives, 'early', deadline_s=60.0)
    go(lives, 2)
    lives.it.run_clock(1.0, jump=5.0)
    go(lives)
    assert left(lives) == pytest.approx({'waits': 600.0, 'early': 60.0}, abs=1.0)


def test_goals_stay_in_the_order_in_which_they_came(lives: Lives) -> None:
    receive(lives, 'first')
    go(lives)
    receive(lives, 'second')
    go(lives)
    lives.crash(ros=5.0)
    go(lives, 2)
    receive(lives, 'third')
    go(lives)
    queue = sorted(lives.it.context.state.tasks.queue, key=order)
    assert [task.goal for task in queue if task.deadline is None] == ['first', 'second', 'third']


@pytest.mark.parametrize('ends', [Lives.crash, Lives.shut_down])
@pytest.mark.parametrize('without_time', [0, 1, 2])
def test_for_how_long_goals_were_held_back_outlasts_lives_that_knew_no_time(
    ends: Callable[[Lives], None], without_time: int
) -> None:
    made = Lives('use_sim_time=true')
    made.it.run_clock(1.0, jump=900.0)
    made.it.inbox.put(SafetyEvent('cliff', 'test'))
    go(made, 30)
    known_until = made.store.puts[-1].now.ros  # a kill takes what the store does not know
    before = known_until - made.it.context.state.tasks.held_since
    assert before > 1.0
    for _ in range(without_time):
        made.crash(ros=0.0)
        made.it.run_clock(0.0)
        go(made, 2)
        ends(made)
    made.crash(ros=5.0)
    go(made)
    tasks = made.it.context.state.tasks
    assert tasks.mode is Mode.SAFE
    assert made.it.moment.ros - tasks.held_since == pytest.approx(before, abs=0.5)


def test_since_when_goals_are_held_back_stands_where_time_goes_on() -> None:
    made = Lives()
    made.it.inbox.put(SafetyEvent('cliff', 'test'))
    go(made, 10)
    since = made.it.context.state.tasks.held_since
    assert since
    for _ in range(2):
        made.crash()
        go(made)
    assert made.it.context.state.tasks.held_since == since
