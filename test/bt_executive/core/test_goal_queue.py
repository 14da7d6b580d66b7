"""The order of goals, and who proposes their tools."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
import pytest

from bt_executive.core.goal_queue import Sender, Task, better_task, overdue, proposer_in
from bt_executive.core.modes import next_task
from bt_executive.core.state import BrainState, TasksState

TASKS = st.lists(
    st.builds(
        Task,
        task_id=st.uuids().map(str),
        goal=st.just('x'),
        priority=st.integers(-2, 2),
        deadline=st.none() | st.floats(0, 100),
        received_at=st.floats(0, 100),
        preemptible=st.booleans(),
    ),
    max_size=6,
)


def state_with(*queue: Task) -> BrainState:
    return BrainState(tasks=TasksState(queue=queue))


def test_priority_comes_before_deadline_before_arrival() -> None:
    early = Task('early', 'x', received_at=1.0)
    urgent = Task('urgent', 'x', received_at=3.0, deadline=50.0)
    important = Task('important', 'x', received_at=4.0, priority=1)
    for order in ([early, urgent, important], [important, urgent, early]):
        assert next_task(state_with(*order)) is important
    assert next_task(state_with(early, urgent)) is urgent
    assert next_task(state_with()) is None


@given(queue=TASKS)
@pytest.mark.slow
def test_the_next_task_is_of_the_highest_priority(queue: list[Task]) -> None:
    first = next_task(state_with(*queue))
    assert (first is None) == (not queue)
    assert first is None or first.priority == max(each.priority for each in queue)


@given(queue=TASKS.filter(bool))
@pytest.mark.slow
def test_only_a_higher_priority_preempts_and_only_who_may_be(queue: list[Task]) -> None:
    active, *waiting = queue
    better = better_task(queue, active)
    higher = [each for each in waiting if each.priority > active.priority]
    assert (better is not None) == (bool(higher) and active.preemptible)
    assert better is None or better in higher


def test_a_deadline_has_passed_when_its_time_has_come() -> None:
    tasks = TasksState(queue=(Task('1', 'x', deadline=5.0), Task('2', 'x')))
    assert overdue(tasks.queue, 4.9) == ()
    assert [each.task_id for each in overdue(tasks.queue, 5.0)] == ['1']


@pytest.mark.parametrize('sender', ['operator', 'agent'])
def test_a_tool_is_its_senders_and_the_steps_of_a_goal_are_the_planners(sender: Sender) -> None:
    assert proposer_in(Task('g', 'wait', tool='wait', sender=sender)) == sender
    assert proposer_in(Task('g', 'look', sender=sender)) == 'planner'


def test_a_goal_without_a_sender_is_an_agents() -> None:
    assert proposer_in(Task('g', 'wait', tool='wait')) == 'agent'


def test_without_a_goal_nobody_but_the_planner_proposes() -> None:
    assert proposer_in(None) == 'planner'
