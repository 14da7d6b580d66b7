"""What was done is never forgotten, and never grows without bound."""

from __future__ import annotations

from collections.abc import Callable, Sequence
import json
import math

from hypothesis import given
from hypothesis import strategies as st
from langchain_core.messages import (
    AIMessage,
    BaseMessage,
    HumanMessage,
    SystemMessage,
    ToolMessage,
)
from planner_world import TOOLSETS, LightWorld, model_that_says, next_output, pursue, say
import pytest

from bt_executive.core.executive_ports import (
    Answer,
    PlannerContext,
    Proposal,
    ToolResult,
)
from bt_executive.planner.context_window import LATEST_STEPS, SUMMARY_LIMIT, as_messages, bounded
from bt_executive.planner.offline.chat_model import OfflineChatModel
from bt_executive.planner.offline.conversation_steps import read_transcript
from bt_executive.planner.rosa_planner import RosaPlanner

pytestmark = pytest.mark.slow

STATS = {'score': 0.123456789, 'is_good': False, 'stats': {'rover_x': 1.5, 'list': [1] * 500}}
HEAD = [SystemMessage('You are a rover.'), HumanMessage('Find light.')]


def steps(count: int) -> list[tuple[Proposal, ToolResult]]:
    return [
        (
            Proposal(str(number), 'capture_and_score', {}, f'Thought {number}. ' * 10),
            ToolResult(True, data={**STATS, 'number': number}),
        )
        for number in range(count)
    ]


def size(messages: Sequence[BaseMessage]) -> int:
    return sum(len(str(each.content)) for each in messages)


def test_a_short_history_is_left_alone() -> None:
    messages = [*HEAD, *as_messages(steps(3))]
    assert bounded(messages, 24_000) == messages


def test_old_results_are_shortened_first_and_keep_what_was_measured() -> None:
    messages = [*HEAD, *as_messages(steps(12))]
    kept = bounded(messages, 14_000)
    assert len(kept) == len(messages)
    old = json.loads(str(kept[3].content))['data']
    assert old == {
        'score': 0.1235,
        'is_good': False,
        'number': 0.0,
        'stats': {'rover_x': 1.5},
    }
    assert kept[-2 * LATEST_STEPS :] == messages[-2 * LATEST_STEPS :]


def test_what_is_no_finite_number_is_left_out_of_an_old_result() -> None:
    data = {**STATS, 'far': 10**400, 'nothing': math.nan, 'near': 10**20}
    told = Proposal('first', 'recall', {}), ToolResult(True, data=data)
    kept = bounded([*HEAD, *as_messages([told, *steps(12)])], 14_000)
    old = json.loads(str(kept[3].content))['data']
    assert {*old} == {'score', 'is_good', 'stats', 'near'}
    assert old['near'] == 1e20


def test_the_oldest_steps_become_a_summary() -> None:
    kept = bounded([*HEAD, *as_messages(steps(200))], 12_000)
    assert 'Earlier steps of this goal' in kept[0].content
    assert 'steps before these' in kept[0].content
    assert 'capture_and_score' in kept[0].content
    assert kept[1] == HEAD[1]


@given(st.integers(0, 60), st.integers(2000, 30_000))
def test_no_call_is_parted_from_its_result_and_the_size_is_bounded(count: int, limit: int) -> None:
    kept = bounded([*HEAD, *as_messages(steps(count))], limit)
    calls = [
        call['id'] for each in kept if isinstance(each, AIMessage) for call in each.tool_calls
    ]
    results = [each.tool_call_id for each in kept if isinstance(each, ToolMessage)]
    assert calls == results
    latest = size(list(as_messages(steps(LATEST_STEPS))))
    assert size(kept) <= limit + latest + SUMMARY_LIMIT + 500


def test_the_offline_model_understands_what_was_done_before() -> None:
    done = steps(2)
    transcript = read_transcript([HumanMessage('Find light.'), *as_messages(done)])
    assert [step.tool for step in transcript.steps] == ['capture_and_score'] * 2
    assert transcript.steps[1].data['number'] == 1


def test_a_run_with_a_tiny_history_still_comes_to_its_end(
    planner_of: Callable[..., RosaPlanner], offline_model: OfflineChatModel
) -> None:
    planner = planner_of(offline_model, overrides=['planner.max_history_chars=2000'])
    world = LightWorld(x_good=8.0)
    pursue(planner, 'Take a bright picture', world, TOOLSETS['B'])
    assert world.score >= 0.8


def test_results_and_refusals_stay_after_a_fault(planner_of: Callable[..., RosaPlanner]) -> None:
    model = model_that_says(
        say('', ('move_nudge', {})), ConnectionError('gone'), say('', ('mast_close', {}))
    )
    planner = planner_of(model)
    planner.start('go', PlannerContext(TOOLSETS['B']))
    next_output(planner)
    planner.give(ToolResult(False, 'Need to close mast'))
    assert next_output(planner).tool == 'mast_close'
    assert 'Need to close mast' in str(model.seen[-1][-1].content)


def test_a_goal_that_is_taken_up_again_needs_no_second_look(
    planner_of: Callable[..., RosaPlanner], offline_model: OfflineChatModel
) -> None:
    planner = planner_of(offline_model)
    seen = ToolResult(True, data={'score': 0.9, 'is_good': True, 'stats': {}})
    history = ((Proposal('1', 'capture_and_score', {}), seen),)
    planner.start('Take a bright picture', PlannerContext(TOOLSETS['B'], history=history))
    assert isinstance(next_output(planner), Answer)
