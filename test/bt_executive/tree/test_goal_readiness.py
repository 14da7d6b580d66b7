"""A goal begins when its tools can work and ROS time is known; it is told what it waits for."""

from __future__ import annotations

import json

from known import known
import pytest
from tree_bench import MakeBench, Propose, TreeBench

from bt_executive.core.executive_ports import Answer
from bt_executive.core.goal_queue import Task
from bt_executive.core.inputs import (
    GoalCancelled,
    GoalReceived,
    PauseRequested,
    ReadinessReceived,
    ResumeRequested,
)
from bt_executive.core.node_readiness import NOT_REPORTED
from bt_executive.tree.clock_and_deadlines import FIRST_TIME

SIMULATOR, MAST = 'environment_simulator: capture', 'curiosity_adapter: mast'
DARK = {SIMULATOR: 'No image yet'}
READY: dict[str, str] = {}
PATIENCE_S = 15.0  # guards.server_wait_s


@pytest.fixture
def it(bench: MakeBench, propose: Propose) -> TreeBench:
    made = bench(propose('capture_and_score'), Answer('done'))
    made.status()
    made.inbox.put(ReadinessReceived(DARK))
    made.goal()
    return made


def begun(it: TreeBench) -> bool:
    return any(message.startswith('New goal') for message in it.messages('OBSERVE'))


def told(it: TreeBench) -> list[str]:
    return [
        each
        for each in it.messages('OBSERVE')
        if ' waits for ' in each or each.startswith('Goal ')
    ]


def test_a_goal_waits_for_the_first_picture_and_no_call_is_wasted(it: TreeBench) -> None:
    it.pass_time(5.0)
    assert not begun(it)
    assert told(it) == [f'Goal waits for {SIMULATOR} (No image yet)']
    it.inbox.put(ReadinessReceived(READY))
    it.until(lambda: it.robot.names == ['/capture_and_score'])
    assert begun(it)


@pytest.mark.slow
def test_the_wait_is_bounded_and_happens_once(it: TreeBench) -> None:
    it.pass_time(PATIENCE_S - 0.5)
    assert not begun(it)
    it.pass_time(1.0)
    assert begun(it)
    assert told(it)[-1] == f'Goal begins without {SIMULATOR} (No image yet)'
    it.until(lambda: '/capture_and_score' in it.robot.names)
    it.robot.answer('/capture_and_score', ok=False, error_reason='No image yet')
    it.until(lambda: it.reporter.endings)
    it.goal('again')
    it.pass_time(0.3)
    assert 'New goal: again' in it.messages('OBSERVE')


def test_what_came_back_is_waited_for_again(it: TreeBench) -> None:
    it.inbox.put(ReadinessReceived(READY))
    it.tick(2)
    assert begun(it)
    it.context.readiness.given_up.add(SIMULATOR)
    it.inbox.put(ReadinessReceived(READY))
    it.tick()
    assert not it.context.readiness.given_up


def test_a_tool_by_hand_waits_for_its_own_needs_only(it: TreeBench) -> None:
    it.tick()
    task = Task('by-hand', 'mast_close', priority=5, tool='mast_close', received_at=1.0)
    it.inbox.put(GoalReceived(task))
    it.until(lambda: it.robot.names == ['/adapter/mast_close'])


def test_a_composite_by_hand_waits_for_what_its_members_need(bench: MakeBench) -> None:
    it = bench(overrides=['robot.tools.photo={sequence: [wait, capture_and_score]}'])
    it.status()
    it.inbox.put(ReadinessReceived(DARK))
    it.goal('by hand', tool='photo')
    it.pass_time(1.0)
    assert told(it) == [f'Goal waits for {SIMULATOR} (No image yet)']
    it.inbox.put(ReadinessReceived(READY))
    it.tick(2)
    assert begun(it)


def test_a_waiting_goal_can_be_cancelled(it: TreeBench) -> None:
    it.tick()
    it.inbox.put(GoalCancelled('goal-look around', 'no longer wanted'))
    it.tick()
    assert it.reporter.endings[0]['outcome'] == 'interrupted'


def test_a_goal_that_was_cancelled_waits_for_no_other(bench: MakeBench) -> None:
    it = bench(overrides=['guards.server_wait_s=2'])
    it.status()
    it.inbox.put(ReadinessReceived(DARK))
    it.goal()
    it.pass_time(1.0)
    it.inbox.put(GoalCancelled('goal-look around', 'no longer wanted'))
    it.pass_time(2.0)
    it.goal('again')
    it.pass_time(1.5)
    assert not begun(it), 'it waits as long as every other goal'
    assert told(it) == [f'Goal waits for {SIMULATOR} (No image yet)'] * 2
    it.pass_time(1.0)
    assert begun(it)


def test_a_pause_is_no_part_of_the_wait(bench: MakeBench) -> None:
    it = bench(overrides=['guards.server_wait_s=2'])
    it.status()
    it.inbox.put(ReadinessReceived(DARK))
    it.goal()
    it.pass_time(1.0)
    it.inbox.put(PauseRequested('the operator'))
    it.pass_time(2.0)
    it.inbox.put(ResumeRequested('the operator'))
    it.pass_time(1.5)
    assert not begun(it)
    it.pass_time(1.0)
    assert begun(it)


def test_where_nobody_reports_nothing_is_waited_for(bench: MakeBench) -> None:
    it = bench(Answer('done'))
    it.status()
    it.goal()
    it.tick(2)
    assert begun(it)


class TestBeforeTheFirstClock:
    @pytest.fixture
    def it(self, bench: MakeBench, propose: Propose) -> TreeBench:
        made = bench(propose('mast_close'), overrides=['use_sim_time=true'])
        made.run_clock(0.0, jump=-100.0)
        made.status()
        made.inbox.put(GoalReceived(Task('early', 'look', deadline=60.0)))
        made.tick(3)
        return made

    @pytest.mark.slow
    def test_no_goal_begins_at_zero(self, it: TreeBench) -> None:
        it.pass_time(200.0)
        assert told(it) == [
            f'The executive waits for {FIRST_TIME}',
            f'Goal waits for {FIRST_TIME}',
        ]
        assert not begun(it)

    def test_its_deadline_counts_from_the_first_time_on(self, it: TreeBench) -> None:
        it.run_clock(1.0, jump=1_000_000.0)
        it.tick(1)
        assert begun(it)
        assert known(it.context.task).deadline == pytest.approx(1_000_060.0)
        assert known(it.context.task).received_at == pytest.approx(1_000_000.0)


WHY = 'environment_simulator is left out: it needs the extra rover'


@pytest.mark.parametrize(('reason', 'waits'), [(NOT_REPORTED, False), ('No image yet', True)])
def test_a_process_that_is_left_out_is_not_waited_for_unless_another_one_reports(
    bench: MakeBench, propose: Propose, reason: str, waits: bool
) -> None:
    left_out = f'left_out={json.dumps({"environment_simulator": WHY})}'
    it = bench(propose('capture_and_score'), Answer('done'), overrides=[left_out])
    it.robot.absent = {'/capture_and_score'}
    it.status()
    it.inbox.put(ReadinessReceived({SIMULATOR: reason}))
    it.goal()
    it.pass_time(1.0)
    assert begun(it) is not waits
    if not waits:
        (result,) = it.planner.results
        assert result.error_reason == f'/capture_and_score is not there: {WHY}'
