"""An agent's goals. An agent may stop and pause, and is no operator."""

from __future__ import annotations

from typing import Any
import uuid

from driving_bench import DONE, MOVE, driving, mode
from lives import Lives
import pytest
from tree_bench import MakeBench, Propose, TreeBench

from bt_executive.core.executive_ports import Answer, Proposal
from bt_executive.core.goal_queue import Task
from bt_executive.core.inputs import GoalReceived, PauseRequested, PoseReceived
from bt_executive.core.state import Mode

DRIVE = '/adapter/navigate_to_pose'
FAR = {'x': 55.0, 'y': -7.0}


def agent_says(it: TreeBench, words: str, **fields: Any) -> str:
    """An agent asks for a goal; its id."""
    goal_id = str(uuid.uuid4())
    it.inbox.put(GoalReceived(Task(goal_id, words, **fields)))  # without a sender
    return goal_id


def still(bench: MakeBench, *outputs: Proposal | Answer, overrides: tuple[str, ...]) -> TreeBench:
    """A rover that stands at 0, 0 with its mast closed."""
    it = bench(*outputs, overrides=overrides)
    it.status(mast_is_open=False, mast='closed', moving=False)
    it.inbox.put(PoseReceived(it.now, 0.0, 0.0, 0.0, stamp=it.now))
    return it


def waiting(it: TreeBench) -> list[str]:
    return [task.goal for task in it.context.state.tasks.queue]


@pytest.mark.parametrize('words', ['continue', 'please go on', '続けて', '继续'])
def test_an_agent_does_not_take_back_a_pause(words: str) -> None:
    it = driving()
    it.inbox.put(PauseRequested('the operator'))
    it.pass_time(1.0)
    agent_says(it, words)
    it.pass_time(5.0)
    assert mode(it) is Mode.IDLE
    assert it.robot.names.count(MOVE) == 1
    assert waiting(it)[-1] == words, 'it is a goal, and waits like every other'
    it.goal('continue')
    it.until(lambda: it.robot.names.count(MOVE) == 2)


def test_an_agents_new_goal_waits_for_its_turn() -> None:
    it = driving()
    agent_says(it, 'new goal: drive home')
    it.pass_time(1.0)
    assert it.context.task is not None
    assert it.context.task.goal == waiting(it)[0]
    assert waiting(it)[1] == 'new goal: drive home'
    assert it.robot.names == [MOVE]


@pytest.mark.parametrize(
    ('words', 'said'), [('stop', 'Stopped by an agent'), ('wait', 'pause requested by an agent')]
)
def test_an_agent_may_stop_and_pause(words: str, said: str) -> None:
    it = driving()
    agent_says(it, words)
    it.pass_time(1.0)
    assert mode(it) is Mode.IDLE
    assert '/adapter/move_stop' in it.robot.names
    assert any(said in event.message for event in it.events)


def test_an_agents_words_are_no_answer_to_the_operators_question(
    bench: MakeBench, propose: Propose
) -> None:
    asks = propose('ask_operator', question='where to?'), propose('navigate_to', **FAR)
    it = still(bench, *asks, Answer('done'), overrides=('guards.places=always',))
    it.goal('look around')
    it.until(lambda: it.context.state.hci.question)
    agent_says(it, 'drive to x 55, y -7')
    it.pass_time(2.0)
    assert it.context.state.hci.question == 'where to?'
    assert waiting(it) == ['look around', 'drive to x 55, y -7']
    it.goal('x 55 y -7')
    it.until(lambda: DRIVE in it.robot.names)


def test_an_agents_words_name_no_place(bench: MakeBench, propose: Propose) -> None:
    drive = propose('navigate_to', **FAR)
    it = still(bench, drive, Answer('done'), overrides=('guards.places=always',))
    agent_says(it, 'drive to x 55, y -7')
    it.until(lambda: it.reporter.endings)
    assert it.planner.results[0].error_reason.startswith('Nobody named the place x 55, y -7')
    assert it.robot.names == []


def test_an_agents_own_drive_is_bound_as_the_planners(bench: MakeBench) -> None:
    it = still(bench, overrides=('guards.places=always',))
    agent_says(it, 'navigate_to', tool='navigate_to', arguments=FAR)
    it.until(lambda: it.reporter.endings)
    assert 'Nobody named the place x 55, y -7' in it.reporter.endings[0]['answer']
    assert it.robot.names == []


def test_by_default_an_agent_drives_where_it_wants(bench: MakeBench) -> None:
    it = still(bench, overrides=())
    agent_says(it, 'navigate_to', tool='navigate_to', arguments=FAR)
    it.until(lambda: DRIVE in it.robot.names)


def test_an_agents_own_tool_is_asked_for_as_the_planners(bench: MakeBench) -> None:
    it = still(bench, overrides=('approval.mode=always',))
    agent_says(it, 'move_nudge', tool='move_nudge')
    it.until(it.context.approvals.waiting)
    assert it.robot.names == []
    (asked,) = [event for event in it.events if event.kind == 'DECIDE']
    assert asked.data is not None
    assert asked.data['proposed_by'] == 'agent'


def test_an_agent_has_the_tools_that_the_planner_is_offered(bench: MakeBench) -> None:
    it = still(bench, overrides=())
    agent_says(it, 'retract', tool='retract_place', arguments={'id': 'n1', 'reason': 'gone'})
    it.until(lambda: it.reporter.endings)
    assert "No tool 'retract_place'" in it.reporter.endings[0]['answer']
    assert it.robot.names == []


def test_the_store_knows_an_agents_tool_from_the_operators() -> None:
    lives = Lives()
    lives.it.robot.replies = {'/adapter/get_status': DONE | {'message': '{}'}}
    agent_says(lives.it, 'status', tool='get_status')
    lives.it.goal('by hand', tool='get_status')
    for _ in range(20):
        lives.all_is_well()
        lives.tick()
    asked = [each.data['proposed_by'] for each in lives.store.of('DECIDE')]
    said = [each.speaker for each in lives.store.of('MESSAGE')]
    assert asked == ['agent', 'operator']
    assert [each for each in said if each != 'executive'] == ['agent', 'operator']
