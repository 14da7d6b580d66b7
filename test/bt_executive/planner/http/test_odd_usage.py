"""A goal whose model tells no counts of tokens, but anything else in their place."""

from __future__ import annotations

from typing import Any

from odd_usage import each_odd
from planner_world import TOOLSETS, next_output
import pytest

from bt_executive.core.executive_ports import PlannerContext, Proposal, ToolResult

pytestmark = pytest.mark.long


@pytest.mark.parametrize('whole', [False, True], ids=['each count', 'as a whole'])
@pytest.mark.parametrize('streaming', [True, False], ids=['streaming', 'at once'])
@pytest.mark.parametrize('provider', ['openai', 'azure', 'anthropic', 'ollama'])
def test_the_goal_goes_on_and_its_budget_is_never_given_back(
    planner_for: Any, monkeypatch: Any, provider: str, streaming: bool, whole: bool
) -> None:
    planner = planner_for(provider, agent__streaming=streaming, planner__max_goal_tokens=1000)
    for odd in each_odd(monkeypatch, whole):
        planner.start('What is your status?', PlannerContext(TOOLSETS['B'], tokens_used=950))
        assert isinstance(next_output(planner), Proposal), odd
        planner.give(ToolResult(False, 'Not now'))
        assert 'used up its 1000 tokens' in next_output(planner).reason, odd
        use = planner.use()
        assert (use.input_tokens, use.output_tokens, use.cost_usd) == (0, 0, 0.0), odd
