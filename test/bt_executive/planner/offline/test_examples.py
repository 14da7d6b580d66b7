"""What this model says that it can do, it can do."""

from __future__ import annotations

from collections.abc import Sequence
import re
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage
import pytest

from bt_executive.core.ports import ToolOffer
from bt_executive.planner.offline.chat_model import OfflineChatModel
from bt_executive.planner.offline.decision import Act, GiveUp, Say
from bt_executive.planner.offline.examples import MOST, examples, is_asked_for, nearest
from bt_executive.planner.offline.pursue import decide
from bt_executive.planner.offline.toolbox import OfflineTool, Tools
from bt_executive.planner.offline.transcript import Transcript
from bt_executive.planner.prompts import args_schema, describe
from bt_executive.planner.results import format_result
from bt_executive.planner.rosa_agent import proxy
from bt_executive.skills.registry import Registry
from rover_common.config.load import load_config


def tools_of(offers: Sequence[ToolOffer]) -> Tools:
    return {
        each.name: OfflineTool(each.name, describe(each), args_schema(each)) for each in offers
    }


OFFERS = Registry(load_config()).toolset()
SHIPPED = tools_of(OFFERS)
OWN = tools_of(
    [
        ToolOffer('lamp', 'Switch the lamp on the mast on or off.', {'properties': {}}, 1.0),
        ToolOffer('pump', 'Pump air into the tires.', {'properties': {}}, 1.0),
    ]
)


def carried_out(goal: str, world: Any) -> AIMessage:
    """The model's last words for a goal in a world."""
    model = OfflineChatModel().bind_tools([proxy(offer, lambda call: '') for offer in OFFERS])
    messages: list[BaseMessage] = [HumanMessage(goal)]
    for _ in range(80):
        said = model.invoke(messages)
        assert isinstance(said, AIMessage)
        messages.append(said)
        if not said.tool_calls or said.tool_calls[0]['name'] == 'abort':
            return said
        for call in said.tool_calls:
            result = world.apply(call['name'], call['args'])
            messages.append(ToolMessage(format_result(result), tool_call_id=call['id']))
    raise AssertionError(goal)


@pytest.mark.parametrize('goal', examples(SHIPPED))
def test_each_example_is_carried_out_to_its_end(goal: str, light_world: Any) -> None:
    world = light_world(mast=False)
    said = carried_out(goal, world)
    assert not said.tool_calls, said
    assert world.log


def test_there_are_six_of_the_shipped_robot() -> None:
    assert len(set(examples(SHIPPED))) == MOST


@pytest.mark.parametrize(
    'goal',
    [
        'what can you do',
        'What can you do?',
        'what can I say?',
        'show me examples',
        'help',
        '何ができますか？',
        '你能做什么？',
    ],
)
def test_whoever_asks_gets_them(goal: str) -> None:
    decision = decide(Transcript(goal), SHIPPED)
    assert isinstance(decision, Say)
    assert [each for each in examples(SHIPPED) if f'“{each}”' in decision.text] == examples(
        SHIPPED
    )


@pytest.mark.parametrize('goal', ['what can you see', 'help the rover', 'do what you can'])
def test_other_goals_do_not_ask_for_them(goal: str) -> None:
    assert not is_asked_for(goal)


@pytest.mark.parametrize(
    ('goal', 'example'),
    [
        ('drive forward 2 m', 'move forward 3 s'),
        ('turn left 90 degrees', 'turn left 3 s'),
        ('take a picture of the rock', 'take a picture'),
        ('open the mast and sing', 'raise the mast'),
        ('what is the weather?', 'get status'),
        ('go to x 5', 'navigate to x 5 y 0'),
    ],
)
def test_a_decline_names_what_is_nearest(goal: str, example: str) -> None:
    decision = decide(Transcript(goal), SHIPPED)
    assert isinstance(decision, GiveUp)
    assert decision.reason.count(f'“{example}”') == 1


@given(st.text(max_size=40), st.sampled_from([SHIPPED, OWN]))
def test_whatever_is_declined_what_is_named_instead_works(goal: str, tools: Tools) -> None:
    example = nearest(goal, tools)
    assert isinstance(decide(Transcript(example), tools), Act)
    decision = decide(Transcript(goal), tools)
    if isinstance(decision, GiveUp):
        assert len(re.findall('docs/models.md', decision.reason)) == 1 + ('\n' in decision.reason)
