"""A server that a new life finds late has lost nothing: DDS needs a while to find it."""

from __future__ import annotations

from lives import Lives
import pytest

from bt_executive.core.call_states import CallInput

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
