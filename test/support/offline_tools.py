"""The shipped tools as the offline model knows them, and the model with their examples."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, TypeAlias

from bt_executive.core.executive_ports import ToolOffer
from bt_executive.planner.offline.chat_model import OfflineChatModel
from bt_executive.planner.offline.goal_plan import make_plan
from bt_executive.planner.offline.offered_tools import Tools, tools_by_name
from bt_executive.planner.offline.planned_tasks import Search, Task
from bt_executive.planner.prompt_toolset_and_result_text import openai_tools
from bt_executive.skills.tool_registry import Registry
from rover_common.config.load import load_config
from rover_common.config.robot_examples import robot_examples
from rover_common.config.settings.skills import SkillExample

Examples: TypeAlias = Mapping[str, tuple[SkillExample, ...]]
CONFIG = load_config()
ROBOT_EXAMPLES = robot_examples(CONFIG.robot)
EXAMPLES: Examples = ROBOT_EXAMPLES.tools
NO_TOOL = ROBOT_EXAMPLES.no_tool


def tools_of(offers: Iterable[ToolOffer], examples: Examples = EXAMPLES) -> Tools:
    """Tools with examples, where there are any of that name."""
    known = replace(ROBOT_EXAMPLES, tools=examples)
    return tools_by_name(openai_tools(offers), known, CONFIG.robot.tools)


OFFERS = Registry(CONFIG).toolset()
SHIPPED = tools_of(OFFERS)


def plan(goal: str) -> list[Task] | str:
    """The offline model's plan for a goal with the shipped tools."""
    return make_plan(goal, SHIPPED, NO_TOOL)


def calls(goal: str) -> list[tuple[str, dict[str, Any]]]:
    """The calls of that plan, of a goal that is understood and searches for nothing."""
    tasks = plan(goal)
    assert isinstance(tasks, list), tasks
    return [(each.tool, each.arguments) for each in tasks if not isinstance(each, Search)]


def offline_model(further: Examples | None = None) -> OfflineChatModel:
    """The offline model as the shipped configuration makes it, and with further examples."""
    examples = replace(ROBOT_EXAMPLES, tools={**EXAMPLES, **(further or {})})
    return OfflineChatModel(examples=examples, skills=CONFIG.robot.tools)
