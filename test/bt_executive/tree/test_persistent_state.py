"""Another executive that is given the persistent state goes on from it."""

from __future__ import annotations

from fakes.core import ScriptedPlanner
from lives import Lives
import pytest
from tree_bench import MakeBench, Propose, TreeBench

from bt_executive.core.call_states import CallInput
from bt_executive.core.executive_ports import Answer
from bt_executive.core.given_permits import Permits
from bt_executive.tree.persistent_state import PersistentState


def in_another_life(it: TreeBench, persistent: PersistentState) -> ScriptedPlanner:
    """The executive is gone, and so is its planner; what it knew is not."""
    planner = ScriptedPlanner([Answer('Seen.')])
    it.recast(persistent, planner=planner)
    return planner


def test_goals_and_what_they_have_come_to_are_taken_over(
    bench: MakeBench, propose: Propose
) -> None:
    it = bench(propose('list_nodes'), None)
    persistent = PersistentState(Permits(it.robot.permit))
    it.recast(persistent)
    it.status()
    it.goal('look around')
    it.goal('rest later')
    it.until(lambda: it.planner.results)
    assert persistent.progress.steps == 1
    rounds = persistent.rounds
    in_another_life(it, persistent)
    it.until(lambda: it.reporter.endings)
    (ending,) = it.reporter.endings
    assert (ending['goal'], ending['outcome'], ending['steps']) == ('look around', 'claimed', 1)
    assert ending['missing'] == 'There is no ROS graph here', 'known of the life before'
    assert [task.goal for task in it.context.state.tasks.queue] == ['rest later']
    assert persistent.rounds > rounds, 'a call of this life has no number of the last one'


def test_a_call_under_way_is_still_awaited_and_holds_its_resources(
    bench: MakeBench, propose: Propose
) -> None:
    it = bench(propose('capture_and_score'), None)
    persistent = PersistentState(Permits(it.robot.permit))
    it.recast(persistent)
    it.status()
    it.goal()
    it.until(lambda: it.robot.names)
    (call,) = it.context.running_calls()
    in_another_life(it, persistent)
    assert it.context.running_calls() == (call,)
    assert it.context.holders['camera'] == call.call_id


NAVIGATE = '/adapter/navigate_to_pose'


@pytest.mark.parametrize(('late_s', 'adopted'), [(5.0, True), (20.0, False)])
def test_an_action_is_given_up_only_if_its_server_does_not_come(
    late_s: float, adopted: bool
) -> None:
    lives = Lives()
    lives.it.goal('look around')
    for _ in range(2):
        lives.all_is_well()
        lives.tick()
    lives.propose('navigate_to', x=1.0, y=2.0)
    lives.it.until(lambda: lives.it.robot.sent)
    ((server_call_id, goal_id),) = lives.it.robot.goals.items()
    lives.answer(CallInput.ACCEPT)
    lives.tick()
    lives.has.add(goal_id)
    lives.crash()
    lives.it.robot.absent.add(NAVIGATE)
    for _ in range(round(late_s / 0.5)):
        lives.all_is_well()
        lives.tick(0.5)
    lives.it.robot.absent.clear()
    lives.tick()
    assert lives.it.robot.adopted == ([(server_call_id, goal_id)] if adopted else [])
    assert bool(lives.it.planner.started) is not adopted
