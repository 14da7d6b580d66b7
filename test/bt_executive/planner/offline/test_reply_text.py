"""What this model says that it can do, it can do."""

from __future__ import annotations

import re

from hypothesis import given, settings
from hypothesis import strategies as st
from offline_tools import CONFIG, NO_TOOL, SHIPPED, tools_of
import pytest

from bt_executive.core.executive_ports import ToolOffer
from bt_executive.planner.offline.conversation_steps import Act, FinalAnswer, GiveUp, Transcript
from bt_executive.planner.offline.next_step import decide
from bt_executive.planner.offline.offered_tools import Tools
from bt_executive.planner.offline.reply_text import asks_for_help, examples, nearest
from bt_executive.web.example_goals import goal_examples
from rover_common.config.robot_examples import MOST_SHOWN

pytestmark = pytest.mark.long  # the sentence encoder
OWN = tools_of(
    [
        ToolOffer('lamp', 'Switch the lamp on the roof on or off.', {'properties': {}}, 1.0),
        ToolOffer('pump', 'Pump air into the tires.', {'properties': {}}, 1.0),
    ]
)


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
def test_whoever_asks_gets_goals_that_work_in_the_same_language(goal: str) -> None:
    decision = decide(Transcript(goal), SHIPPED, NO_TOOL)
    assert isinstance(decision, FinalAnswer)
    found = examples(goal, SHIPPED, NO_TOOL)
    assert len(set(found)) == MOST_SHOWN
    assert all(f'“{each}”' in decision.text for each in found)
    assert all(each.isascii() == goal.isascii() for each in found) or '？' not in goal


def test_they_are_the_ones_that_the_page_shows() -> None:
    shown = goal_examples(CONFIG)
    assert examples('what can you do', SHIPPED, NO_TOOL) == shown['en']
    assert examples('何ができますか', SHIPPED, NO_TOOL) == shown['ja']


@pytest.mark.parametrize('goal', ['what can you see', 'help the rover', 'do what you can'])
def test_other_goals_do_not_ask_for_them(goal: str) -> None:
    assert not asks_for_help(goal)


def test_a_decline_names_a_goal_that_works() -> None:
    decision = decide(Transcript('drive forward 2 m'), SHIPPED, NO_TOOL)
    assert isinstance(decision, GiveUp)
    assert re.search(r'the nearest that works is “[^”]*forward[^”]*”', decision.reason)


@pytest.mark.parametrize('goal', ['fly to the moon', 'what is the capital of France?'])
def test_what_is_near_to_no_tool_has_no_nearest_goal(goal: str) -> None:
    decision = decide(Transcript(goal), SHIPPED, NO_TOOL)
    assert isinstance(decision, GiveUp)
    assert 'nearest' not in decision.reason


@settings(max_examples=15)
@given(st.text(max_size=40), st.sampled_from([SHIPPED, OWN]))
def test_whatever_is_declined_what_is_named_instead_works(goal: str, tools: Tools) -> None:
    example = nearest(goal, tools, NO_TOOL)
    assert not example or isinstance(decide(Transcript(example), tools, NO_TOOL), Act)
