"""What plots show of ~/state, and what stands in the executive's log."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
import math
from typing import Any

from bt_executive_interfaces.msg import ExecutiveState
from own_executor import own_executor as own_executor
import pytest
from rclpy.executors import Executor
from rclpy.node import Node
from spinning import turn_of
from waiting import wait_until

from bt_executive.core.goal_queue import Task
from bt_executive.core.robot_state import Pose, RobotState
from bt_executive.core.state import (
    BrainState,
    Mode,
    ReactState,
    RunningSkill,
    SkillsState,
    TasksState,
)
from bt_executive.core.surroundings_state import WorldState
from bt_executive.ros.executive_publishers import LONGEST, StatePublisher, log_line, state_to_ros
from rover_common.clocks import Now
from rover_common.config.load import load_config
from rover_common.trace_event import Kind, TraceEvent

NOW = Now.at(100.0)
BUSY = BrainState(
    world=WorldState(safety_reason='tilt', last_score=0.25, last_score_ts=99.5),
    robot=RobotState(
        battery_pct=42.0,
        battery_at=98.0,
        pose=Pose(1.0, 2.0, yaw=0.5),
        pose_at=99.5,
        moving=False,
        at_rest=True,
        status_at=99.0,
    ),
    tasks=TasksState(
        queue=(Task('u', 'go'), Task('v', 'wait')), active_task_id='u', mode=Mode.SAFE
    ),
    skills=SkillsState(running=(RunningSkill('g', 'move_nudge', 0.0, 1.0),)),
    react=ReactState(iter=3),
)


@pytest.mark.ros
def test_mode_battery_score_distance_and_tick_time_are_fields(
    own_executor: Callable[..., Executor],
) -> None:
    executor = own_executor()
    node, plot = (Node(name, context=executor.context) for name in ('executive', 'plot'))
    for each in (node, plot):
        executor.add_node(each)
    publisher = StatePublisher(node, load_config().executive)
    seen: list[ExecutiveState] = []
    plot.create_subscription(ExecutiveState, '/executive/state', seen.append, 1)

    def turn() -> None:
        publisher.publish(BUSY, NOW, driven_m=7.5, tick_s=0.002)
        turn_of(executor)()

    wait_until(lambda: seen, 'a state', meanwhile=turn)
    state = seen[0]
    assert (state.mode, state.mode_number, state.safety_reason) == ('SAFE', 3, 'tilt')
    assert (state.battery_pct, state.battery_age_s, state.score) == (42.0, 2.0, 0.25)
    assert (state.driven_m, state.tick_s) == (7.5, 0.002)
    assert (state.goal, state.task_id, state.queue_length, state.step) == ('go', 'u', 2, 3)
    assert (state.tool, state.stands) == ('move_nudge', ExecutiveState.YES)
    assert (state.x, state.y, state.yaw, state.pose_age_s) == (1.0, 2.0, 0.5, 0.5)
    assert (state.stamp.sec, state.status_age_s) == (100, 1.0)


@pytest.mark.parametrize(
    ('told_at', 'is_plotted'), [(99.0, True), (98.9, False), (900.0, False), (None, True)]
)
def test_a_score_is_plotted_when_it_comes_and_not_as_if_it_were_now(
    told_at: float | None, is_plotted: bool
) -> None:
    world = WorldState(last_score=0.25, last_score_ts=told_at)
    score = state_to_ros(BrainState(world=world), NOW).score
    assert score == 0.25 if is_plotted else math.isnan(score)


@pytest.mark.ros
def test_at_rest_a_state_is_published_twice_a_second_and_when_it_changes(
    own_executor: Callable[..., Executor],
) -> None:
    executor = own_executor()
    node = Node('executive', context=executor.context)
    executor.add_node(node)
    publisher = StatePublisher(node, load_config().executive)
    published: list[ExecutiveState] = []
    publisher._publisher.publish = published.append
    publisher._sending.do = lambda job: job()  # type: ignore[method-assign]  # in this thread

    def counts(state: BrainState, *times_s: float) -> list[int]:
        counts = []
        for at in times_s:
            before = len(published)
            publisher.publish(state, Now.at(at), driven_m=0.0, tick_s=0.0)
            counts.append(len(published) - before)
        return counts

    rests = BrainState(robot=RobotState(at_rest=True, moving=False, pose_at=0.0))
    assert counts(rests, 0.0) == [0]  # nobody listens
    node.create_subscription(ExecutiveState, '/executive/state', lambda _: None, 1)
    listeners = publisher._publisher.get_subscription_count
    wait_until(listeners, 'a listener', meanwhile=turn_of(executor))
    assert counts(rests, 0.1, 0.2, 0.3, 0.5, 0.61, 0.7) == [1, 0, 0, 0, 1, 0]
    measured = replace(rests, robot=replace(rests.robot, pose=Pose(x=0.001), pose_at=0.7))
    assert counts(measured, 0.8) == [0]
    blocked = replace(measured, world=WorldState(safety_reason='tilt'))
    assert counts(blocked, 0.81, 0.82) == [1, 0]
    for standing in (None, False):
        driven = replace(blocked, robot=replace(rests.robot, at_rest=standing, moving=True))
        assert counts(driven, 0.83, 0.84, 0.85) == [1, 1, 1]
    busy = replace(rests, tasks=TasksState(queue=(Task('u', 'go'),), mode=Mode.EXEC))
    assert counts(busy, 0.86, 0.87) == [1, 1]

    stopped = replace(
        rests, skills=SkillsState(running=(RunningSkill('g', 'move_stop', 0.0, 1.0),))
    )
    for at, standing in ((1.0, None), (3.0, False)):
        for x in (at + 0.1, at + 0.2, at + 0.3):  # it is seen to move
            rolls = replace(stopped, robot=replace(rests.robot, at_rest=standing, pose=Pose(x=x)))
            assert counts(rolls, x) == [1]
        times_s = [at + each for each in (0.31, 0.4, 0.79, 0.81, 0.9)]
        assert counts(rolls, *times_s) == [0, 0, 0, 1, 0]  # nothing more is known of it


@pytest.mark.parametrize(
    'name',
    ['battery_pct', 'battery_age_s', 'score', 'x', 'y', 'yaw', 'pose_age_s', 'status_age_s'],
)
def test_what_is_not_known_is_no_number(name: str) -> None:
    state: Any = state_to_ros(BrainState(), NOW)
    assert math.isnan(getattr(state, name))


def test_what_is_not_known_of_standing_is_neither_yes_nor_no() -> None:
    assert state_to_ros(BrainState(), NOW).stands == ExecutiveState.UNKNOWN


def event(kind: Kind, message: str = 'words', **fields: Any) -> TraceEvent:
    return TraceEvent('1', 0.0, kind, message, **fields)


TOLD = [
    (event('OBSERVE', 'New goal: look'), 'New goal: look'),
    (
        event('DECIDE', 'no', tool_name='move_nudge', ok=False, error_reason='Need to close mast'),
        'move_nudge was refused: Need to close mast',
    ),
    (event('ACT', 'Question: left?', data={'question': 'left?'}), 'Question: left?'),
    (event('RESULT', 'mast_close: done', tool_name='mast_close'), 'mast_close: done'),
    (event('ERROR', 'Goal gave up: dark'), 'Goal gave up: dark'),
]
OF_THE_MODEL = [
    (event('HYPOTHESIZE', 'It is dark.'), 'Thinks: It is dark.'),
    (event('DECIDE', 'allowed', tool_name='mast_close', ok=True), 'mast_close: allowed'),
]


@pytest.mark.parametrize('verbose', [True, False])
@pytest.mark.parametrize(('told', 'line'), TOLD)
def test_goals_refusals_and_outcomes_are_told_always(told: Any, line: Any, verbose: bool) -> None:
    assert log_line(told, verbose) == line


@pytest.mark.parametrize(('told', 'line'), OF_THE_MODEL)
def test_what_the_model_thinks_is_told_if_that_is_wanted(told: Any, line: Any) -> None:
    assert log_line(told, verbose=True) == line
    assert log_line(told, verbose=False) == ''


def test_text_of_others_is_one_printable_line_of_bounded_length() -> None:
    line = log_line(event('OBSERVE', 'a\nb\x1b[2J' + 'x' * 10_000), verbose=False)
    assert line.startswith('a b\N{REPLACEMENT CHARACTER}[2Jx')
    assert len(line) == LONGEST
