"""Tools while they run: leases, preemption, the reaper; with a fake robot and a manual clock."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from py_trees.common import Status

from bt_executive.inbox import GoalReceived
from bt_executive.ports import Answer
from bt_executive.state import Task

Propose = Callable[..., Any]
CAPTURE = '/capture_and_score'
BETTER = Task(task_id='better', goal='look over there', priority=5)


def capturing(bench: Any, propose: Propose, *overrides: str) -> Any:
    """A bench on which a picture is being taken."""
    it = bench(propose('capture_and_score'), Answer('done'), overrides=overrides)
    it.status()
    it.goal('one')
    it.until(lambda: CAPTURE in it.robot.names)
    return it


def test_what_runs_is_in_the_state(bench: Any, propose: Propose) -> None:
    it = capturing(bench, propose)
    it.tick()
    (running,) = it.brain.state.skills.running
    assert (running.skill_name, running.resources_occupied) == ('capture_and_score', ('camera',))
    assert it.brain.state.robot.resources['camera_busy']
    it.robot.answer(CAPTURE, ok=True, score=0.5, is_good=False, debug='')
    it.until(lambda: it.reporter.endings)
    it.tick()
    assert it.brain.state.skills.running == ()
    assert not it.brain.state.robot.resources['camera_busy']


def test_guards_say_what_they_see(bench: Any, propose: Propose) -> None:
    it = capturing(bench, propose)
    nodes = it.executive.root.iterate()
    said = {node.name: node.feedback_message for node in nodes if node.status is Status.SUCCESS}
    assert said['Standing still?'] == 'stands'
    assert said['Mast open?'] == 'open'
    assert said['Within budget?'] == said['Required data fresh?'] == ''


def test_a_better_goal_interrupts_a_preemptible_tool(bench: Any, propose: Propose) -> None:
    it = capturing(bench, propose)
    it.inbox.put(GoalReceived(BETTER))
    it.until(lambda: it.reporter.endings)
    assert it.reporter.endings[0]['goal'] == BETTER.goal
    assert 'camera' in it.brain.book.leases.holders, 'the service has not answered'


def test_a_better_goal_waits_for_a_tool_that_is_not_preemptible(
    bench: Any, propose: Propose
) -> None:
    uninterrupted = 'skills.skills.capture_and_score.preemptible=false'
    it = capturing(bench, propose, uninterrupted)
    it.inbox.put(GoalReceived(BETTER))
    it.tick(5)
    assert it.brain.task.task_id == 'goal-one'
    assert not it.reporter.endings
    it.robot.answer(CAPTURE, ok=True, score=0.5, is_good=False, debug='')
    it.until(lambda: it.reporter.endings)
    assert it.reporter.endings[0]['goal'] == BETTER.goal


def test_a_server_that_has_gone_is_told_apart_from_one_that_is_slow(
    bench: Any, propose: Propose
) -> None:
    it = capturing(bench, propose)
    it.robot.absent = {CAPTURE}
    it.until(lambda: it.messages('ERROR'))
    assert it.messages('ERROR')[0] == f'The server of {CAPTURE} has gone'
    assert it.now < 102.0


def test_a_server_that_is_missed_for_a_moment_is_not_lost(bench: Any, propose: Propose) -> None:
    it = capturing(bench, propose)
    for _ in range(4):
        it.robot.absent = {CAPTURE}
        it.tick(5, after=0.1)
        it.status()
        it.robot.absent = set()
        it.tick(1, after=0.1)
    assert not it.messages('ERROR')
