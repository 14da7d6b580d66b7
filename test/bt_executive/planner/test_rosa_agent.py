"""That it is ROSA's loop, and that nothing else of ROSA comes with it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from unittest.mock import Mock

from langchain.agents import AgentExecutor
from planner_world import TOOLSETS, model_that_says, say
from rosa import ROSA
from rosa.prompts import system_prompts

from bt_executive.core.executive_ports import ToolOffer
from bt_executive.planner.prompt_toolset_and_result_text import describe
from bt_executive.planner.rosa_agent import ProposingRosa


def agent_of(toolset: Sequence[ToolOffer], model: Any) -> ProposingRosa:
    return ProposingRosa(model, 'Be {brave}.', toolset, 10, lambda _call: '{}', ask=Mock())


def executor_of(agent: ROSA) -> AgentExecutor:
    executor: AgentExecutor = agent._ROSA__executor
    return executor


def test_the_loop_is_rosas_own() -> None:
    agent = agent_of(TOOLSETS['B'], model_that_says(say('Ok.')))
    assert isinstance(agent, ROSA)
    assert type(executor_of(agent)) is AgentExecutor
    assert ProposingRosa.invoke is ROSA.invoke
    assert ProposingRosa._get_executor is ROSA._get_executor


def test_the_registered_tools_are_the_palette() -> None:
    for toolset in TOOLSETS.values():
        tools = executor_of(agent_of(toolset, model_that_says())).tools
        assert [tool.name for tool in tools] == [offer.name for offer in toolset]
        assert [tool.description for tool in tools] == [describe(offer) for offer in toolset]


def test_rosas_shared_list_of_prompts_is_not_touched() -> None:
    before = list(system_prompts)
    for _ in range(3):
        agent_of(TOOLSETS['B'], model_that_says())
    assert system_prompts == before
