"""What a goal has used outlives each end of a life: nothing is lost, and nothing counts twice."""

from __future__ import annotations

from itertools import pairwise

from lives import Lives
import pytest

from bt_executive.core.call_states import CallInput
from bt_executive.core.executive_ports import Answer
from rover_common.llm.model_usage import ModelUse

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


@pytest.mark.slow
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


UNCOUNTED = ModelUse(1, estimated_tokens=200_000)  # by the provider


@pytest.mark.parametrize(('thought', 'used'), [(THOUGHT, 301_000), (UNCOUNTED, 200_000)])
@pytest.mark.parametrize('is_killed', [False, True])
def test_a_resumed_goal_has_the_tokens_that_it_had_left(
    thought: ModelUse, used: int, is_killed: bool
) -> None:
    lives = Lives()
    lives.it.goal('drive')
    go(lives, 2)
    lives.it.planner.costs = thought
    lives.it.goal('better', priority=5)
    go(lives, 3)
    if is_killed:
        lives.crash()
        go(lives, 3)
    lives.it.planner.costs = ModelUse()
    lives.it.planner.say(Answer('Done.'))
    lives.it.until(lambda: lives.it.planner.started[-1][0] == 'drive')
    assert lives.it.planner.started[-1][1].tokens_used == used


def drive(lives: Lives, *places: float) -> None:
    """The robot goes from one to the next, 0.2 m in a tick."""
    for start, end in pairwise(places):
        steps = round(abs(end - start) / 0.2)
        for step in range(steps + 1):
            go(lives, x=start + (end - start) * step / steps)


def driven_m(lives: Lives) -> float:
    return lives.it.context.progress.distance_m


@pytest.mark.slow
def test_the_way_of_a_drive_counts_once(lives: Lives) -> None:
    drive(lives, 0.0, 20.0)
    before = driven_m(lives)
    assert before == pytest.approx(20.0)
    lives.crash()
    go(lives, 5, x=20.0)
    assert driven_m(lives) == pytest.approx(before)
    result = lives.it.context.state.skills.last_result
    assert result is not None
    assert result.metrics['distance_m'] == pytest.approx(before)


@pytest.mark.slow
def test_the_way_that_nobody_has_seen_counts_too(lives: Lives) -> None:
    drive(lives, 0.0, 20.0)
    lives.crash()
    go(lives, 5, x=25.0)
    assert driven_m(lives) == pytest.approx(25.0)


@pytest.mark.slow
def test_what_was_driven_before_the_tool_stays_counted(lives: Lives) -> None:
    drive(lives, 0.0, 3.0)
    lives.answer(CallInput.SUCCEED, success=True, message='')
    go(lives, 30, x=3.0)  # it waits a while for the robot to be where it was to go
    lives.propose('navigate_to', x=150.0, y=0.0)
    lives.it.until(lambda: lives.it.robot.names.count('/adapter/navigate_to_pose') == 2)
    drive(lives, 3.0, 4.0)
    lives.crash()
    go(lives, 5, x=4.5)
    assert driven_m(lives) == pytest.approx(4.5)


@pytest.mark.slow
def test_a_way_there_and_back_stays_counted(lives: Lives) -> None:
    drive(lives, 0.0, 10.0, 0.0)
    go(lives, 60)
    lives.crash()
    go(lives, 5)
    assert driven_m(lives) == pytest.approx(20.0)


@pytest.mark.parametrize('is_parked', [False, True])
def test_where_the_goal_began_outlives_a_kill(is_parked: bool) -> None:
    lives = Lives()
    go(lives, x=3.0)
    lives.it.goal('come back')
    go(lives, 2, x=3.0)
    if is_parked:
        lives.it.goal('better', priority=5)
    go(lives, 60, x=4.0)
    lives.crash()
    go(lives, x=4.0)
    context = lives.it.context
    progress = context.parked['goal-come back'] if is_parked else context.progress
    assert progress.began_at == ((3.0, 0.0),)


def test_a_restarted_goal_may_drive_back_to_where_it_began() -> None:
    lives = Lives()
    go(lives, x=3.0)
    lives.it.goal('look around and come back')
    go(lives, 2, x=3.0)
    lives.propose('recall', text='rock')
    lives.it.until(lambda: lives.it.robot.sent)
    lives.answer(ok=True, error_code='', reason='', places=[])
    go(lives, 3, x=3.0)
    lives.crash()
    go(lives, 3, x=3.0)
    lives.it.until(lambda: lives.it.planner.started)
    lives.propose('navigate_to', x=3.0, y=0.0)
    go(lives, 8, x=3.0)
    assert '/adapter/navigate_to_pose' in lives.it.robot.names
