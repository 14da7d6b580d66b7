"""Who proposes a goal's tools."""

from __future__ import annotations

import pytest

from bt_executive.core.keepalive import new_kept_alive_id
from bt_executive.core.proposer import proposer_in, sender_of
from bt_executive.core.state import Task

AGENTS = new_kept_alive_id()


@pytest.mark.parametrize(
    ('task_id', 'sender'), [('g', 'operator'), (AGENTS, 'agent')], ids=['operator', 'agent']
)
def test_a_tool_is_its_senders_and_the_steps_of_a_goal_are_the_planners(
    task_id: str, sender: str
) -> None:
    assert sender_of(Task(task_id, 'look')) == sender
    assert proposer_in(Task(task_id, 'wait', tool='wait')) == sender
    assert proposer_in(Task(task_id, 'look')) == 'planner'


def test_without_a_goal_nobody_but_the_planner_proposes() -> None:
    assert proposer_in(None) == 'planner'
