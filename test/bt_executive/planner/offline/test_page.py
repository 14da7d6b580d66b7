"""The tables of docs/offline_model.md, line by line, through the model with the shipped tools."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
import json
from pathlib import Path
import re
from typing import Any

from langchain_core.messages import (
    AIMessage,
    BaseMessage,
    HumanMessage,
    SystemMessage,
    ToolMessage,
)
from offline_tools import OFFERS as SHIPPED
from offline_tools import Examples, offline_model
from planner_world import LightWorld
import pytest
import yaml

from bt_executive.core.executive_ports import ToolOffer
from bt_executive.planner.prompt_toolset_and_result_text import format_result
from bt_executive.planner.rosa_agent import proxy
from bt_executive.skills.tool_registry import Registry
from rover_common.config.load import load_config
from rover_common.config.settings import Skill
from rover_common.config.settings.skills import SkillExample

PAGE = (Path(__file__).parents[4] / 'docs' / 'offline_model.md').read_text(encoding='utf-8')
MOST_MESSAGES = 80
pytestmark = pytest.mark.long  # the sentence encoder
_CODE = re.compile(r'`([^`]*)`( ✗)?')


def section(title: str) -> str:
    return PAGE.split(f'\n## {title}\n')[1].split('\n## ')[0]


def rows(title: str) -> Iterator[list[str]]:
    """The cells of a section's table, without its head."""
    lines = [line for line in section(title).splitlines() if line.startswith('|')]
    assert len(lines) > 3, title
    for line in lines[2:]:
        yield [cell.strip() for cell in line.strip('|').split('|')]


def cases(title: str) -> list[object]:
    """A table's rows; the goal without its backquotes."""
    return [pytest.param(row[0].strip('`'), *row[1:], id=row[0].strip('`')) for row in rows(title)]


def calls_in(cell: str) -> list[tuple[str, dict[str, object], bool]]:
    """Tool, arguments and whether it works, of each call in a cell."""
    calls = []
    for code, refused in _CODE.findall(cell):
        tool, _, arguments = code.partition(' ')
        calls.append((tool, json.loads(arguments or '{}'), not refused))
    return calls


def talk(
    goal: str,
    world: Any,
    toolset: Sequence[ToolOffer] = SHIPPED,
    examples: Examples | None = None,
) -> AIMessage:
    """Gives the model a goal, and its calls to the world; the last message, or the abort's."""
    model = offline_model(examples).bind_tools(
        [proxy(offer, lambda call: '') for offer in toolset]
    )
    messages: list[BaseMessage] = [SystemMessage('You are a rover.'), HumanMessage(goal)]
    for _ in range(MOST_MESSAGES):
        said = model.invoke(messages)
        assert isinstance(said, AIMessage)
        messages.append(said)
        if not said.tool_calls or said.tool_calls[0]['name'] == 'abort':
            return said
        for call in said.tool_calls:
            result = world.apply(call['name'], call['args'])
            messages.append(ToolMessage(format_result(result), tool_call_id=call['id']))
    raise AssertionError(f'No end in sight: {world.tools}')


def called(world: Any) -> list[tuple[str, dict[str, object], bool]]:
    return [(tool, arguments, result.ok) for tool, arguments, result in world.log]


def reason_of(message: AIMessage) -> str:
    """With which words a goal was given up."""
    assert [call['name'] for call in message.tool_calls] == ['abort'], message.content
    return str(message.tool_calls[0]['args']['reason'])


def assert_declined(
    goal: str,
    because: str,
    world: Any,
    toolset: Sequence[ToolOffer] = SHIPPED,
    examples: Examples | None = None,
) -> None:
    reason = reason_of(talk(goal, world, toolset, examples))
    assert world.log == []
    assert because.strip('`') in reason
    assert 'docs/models.md' in reason


@pytest.mark.parametrize(('goal', 'calls'), cases('Commands'))
def test_a_command_calls_its_tools_and_is_reached(goal: Any, calls: Any) -> None:
    world = LightWorld(mast=False)
    answer = talk(goal, world)
    assert called(world) == calls_in(calls)
    assert all(tool in answer.content for tool in world.tools)


@pytest.mark.parametrize(('goal', 'calls'), cases('Remembered places'))
def test_a_phrase_about_a_remembered_place_calls_its_tool(goal: Any, calls: Any) -> None:
    world = LightWorld(mast=False)
    answer = talk(goal, world)
    assert called(world) == calls_in(calls)
    if 'recall' in world.tools:
        assert 'Bishop at (7.0, 3.5) m' in answer.content


@pytest.mark.parametrize(('goal', 'calls', 'has'), cases('Questions'))
def test_a_question_is_answered_with_what_the_result_says(goal: Any, calls: Any, has: Any) -> None:
    world = LightWorld()
    answer = talk(goal, world)
    assert called(world) == calls_in(calls)
    assert has.strip('`') in answer.content


@pytest.mark.parametrize('goal', cases('A good picture'))
@pytest.mark.parametrize('variant', ['A', 'B'])
def test_a_good_picture_is_sought(goal: Any, variant: str) -> None:
    toolset = Registry(load_config(overrides=[f'executive.variant={variant}'])).toolset()
    world = LightWorld(mast=variant == 'B')
    answer = talk(goal, world, toolset)
    assert not answer.tool_calls
    assert world.log[-1][2].data['is_good'] is True
    assert '0.97' in answer.content
    assert 'coarse' in answer.content


@pytest.mark.parametrize(('goal', 'calls'), cases('What a refusal asks for'))
def test_a_refused_part_is_mended(goal: Any, calls: Any) -> None:
    world = LightWorld()
    talk(goal, world)
    assert called(world) == calls_in(calls)


@pytest.mark.parametrize(('goal', 'because'), cases('Declined'))
def test_what_no_tool_covers_is_declined_with_the_reason(goal: Any, because: Any) -> None:
    assert_declined(goal, because, LightWorld())


@pytest.mark.parametrize(('goal', 'calls'), cases('Tools of your own'))
def test_a_tool_of_ones_own_needs_no_rule(goal: Any, calls: Any) -> None:
    entries = yaml.safe_load(section('Tools of your own').split('```')[1].removeprefix('text'))
    own = [
        ToolOffer(name, entry['description'], Skill.model_validate(entry).args_schema, 1.0)
        for name, entry in entries.items()
    ]
    examples = {
        name: tuple(SkillExample(say=each) for each in entry.get('examples', ()))
        for name, entry in entries.items()
    }
    world = LightWorld(mast=False)
    if calls.startswith('declined: '):
        because = calls.removeprefix('declined: ')
        assert_declined(goal, because, world, (*SHIPPED, *own), examples)
        return
    talk(goal, world, (*SHIPPED, *own), examples)
    assert called(world) == calls_in(calls)
