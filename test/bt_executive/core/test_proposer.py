"""Who proposes a goal's tools."""

from __future__ import annotations

import pytest

from bt_executive.core.goal_queue import Sender, Task, proposer_in


@pytest.mark.parametrize('sender', ['operator', 'agent'])
def test_a_tool_is_its_senders_and_the_steps_of_a_goal_are_the_planners(sender: Sender) -> None:
    assert proposer_in(Task('g', 'wait', tool='wait', sender=sender)) == sender
    assert proposer_in(Task('g', 'look', sender=sender)) == 'planner'


def test_a_goal_without_a_sender_is_an_agents() -> None:
    assert proposer_in(Task('g', 'wait', tool='wait')) == 'agent'


def test_without_a_goal_nobody_but_the_planner_proposes() -> None:
    assert proposer_in(None) == 'planner'
