"""A wish about a thing is told apart by its verb, whatever the thing is."""

from __future__ import annotations

from offline_tools import SHIPPED, plan
import pytest

from bt_executive.planner.offline.named_things import ENOUGH, does_something_else
from bt_executive.planner.offline.planned_tasks import PlannedCommand

pytestmark = pytest.mark.long  # the sentence encoder
EXAMPLES = [each.say for each in SHIPPED['go_to_remembered'].examples]


@pytest.mark.parametrize('thing', ['stone', 'flag', 'weather station'])
@pytest.mark.parametrize(
    'wish', ['kick the {}', 'polish the {}', 'haul the {} away', 'saw up the {}']
)
def test_what_is_done_with_a_thing_is_no_visit(wish: str, thing: str) -> None:
    assert does_something_else(wish.format(thing), thing, EXAMPLES)
    assert isinstance(plan(wish.format(thing)), str)


@pytest.mark.parametrize('thing', ['stone', 'flag', 'weather station'])
@pytest.mark.parametrize('wish', ['go over to the {}', 'travel to that {}', 'take us to the {}'])
def test_a_visit_is_one(wish: str, thing: str) -> None:
    assert not does_something_else(wish.format(thing), thing, EXAMPLES)


def test_a_tool_with_few_examples_is_not_judged_by_what_else_may_be_done() -> None:
    few = [each for each in EXAMPLES if '{' in each][: ENOUGH - 1]
    assert not does_something_else('kick the stone', 'stone', few)


def test_what_was_named_before_says_nothing_of_the_verb() -> None:
    assert not does_something_else('go there', 'stone', EXAMPLES)


@pytest.mark.parametrize('thing', ['north camp', 'charging station', 'red door', 'lander'])
@pytest.mark.parametrize('wish', ['go to the {}', 'drive back to the {}', 'visit the {}'])
def test_whatever_is_named_in_the_frame_of_an_example(wish: str, thing: str) -> None:
    assert plan(wish.format(thing)) == [PlannedCommand('go_to_remembered', {'text': thing})]


@pytest.mark.parametrize('goal', ['go to the red door twice', 'do not go to the red door'])
def test_what_stands_in_the_frame_beside_a_thing_is_not_lost(goal: str) -> None:
    assert isinstance(plan(goal), str)
