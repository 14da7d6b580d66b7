"""ROS time begins anew, with the simulation: what is left of a deadline is counted once."""

from __future__ import annotations

from collections.abc import Callable

from lives import Lives
import pytest

from bt_executive.core.goal_queue import Task, order
from bt_executive.core.inputs import GoalReceived, SafetyEvent
from bt_executive.core.state import Mode


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


def before_the_first_time() -> Lives:
    """A life that has no /clock yet, behind one with a goal that waits."""
    made = Lives('use_sim_time=true')
    made.it.run_clock(1.0, jump=900.0)
    receive(made, 'waits', deadline_s=600.0)
    go(made, 3)
    made.crash(ros=0.0)
    made.it.run_clock(0.0)
    return made


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
