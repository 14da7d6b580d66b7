from __future__ import annotations

from fakes.core import ScriptedPlanner

from bt_executive.core.executive_ports import (
    Answer,
    PlannerContext,
    PlannerFailure,
    Proposal,
    ToolResult,
)

CONTEXT = PlannerContext(())
LOOK = Proposal('1', 'capture_and_score', {})


def test_keeps_what_it_was_told() -> None:
    planner = ScriptedPlanner([LOOK, Answer('Ok.')])
    planner.start('look', CONTEXT)
    assert planner.poll() == LOOK
    planner.give(ToolResult(True))
    assert planner.poll() == Answer('Ok.')
    assert planner.started == [('look', CONTEXT)]
    assert planner.results == [ToolResult(True)]
    assert planner.cancelled == 0


def test_counts_only_goals_that_were_under_way() -> None:
    planner = ScriptedPlanner([LOOK, LOOK, Answer('Ok.')])
    planner.cancel()
    planner.start('one', CONTEXT)
    planner.cancel()
    planner.start('two', CONTEXT)
    planner.poll()
    planner.start('three', CONTEXT)
    assert planner.cancelled == 2
    assert planner.poll() == Answer('Ok.')
    planner.close()
    assert planner.cancelled == 2


def test_says_when_its_script_is_over() -> None:
    planner = ScriptedPlanner([])
    planner.start('go', CONTEXT)
    assert isinstance(planner.poll(), PlannerFailure)
