"""What a goal has used is in the journal at every end of a life: nothing is lost, nothing twice."""

from __future__ import annotations

from lives import Lives
import pytest

from bt_executive.core.calls import CallInput
from rover_common.llm.usage import ModelUse

THOUGHT = ModelUse(1, 300_000, 1000, 5.0)


def go(lives: Lives, ticks: int = 1, x: float = 0.0) -> None:
    for _ in range(ticks):
        lives.all_is_well(x)
        lives.tick()


@pytest.fixture
def lives() -> Lives:
    """A goal of the planner's drives, after one costly thought."""
    made = Lives()
    made.it.goal('drive')
    go(made, 2)
    made.it.planner.costs = THOUGHT
    made.propose('navigate_to', x=150.0, y=0.0)
    made.it.until(lambda: '/adapter/navigate_to_pose' in made.it.robot.names)
    made.answer(CallInput.ACCEPT)
    go(made)
    return made


def test_the_cost_of_the_thought_before_the_tool_outlives_a_kill(lives: Lives) -> None:
    go(lives, 60)
    lives.crash()
    go(lives)
    assert lives.it.context.progress.model == THOUGHT


def test_the_cost_outlives_a_clean_stop(lives: Lives) -> None:
    lives.shut_down()
    go(lives)
    assert lives.it.context.progress.model == THOUGHT


def test_the_cost_outlives_that_the_goal_is_parked(lives: Lives) -> None:
    lives.it.goal('better', priority=5)
    go(lives, 3)
    lives.crash()
    go(lives)
    assert lives.it.context.parked['goal-drive'].model == THOUGHT
