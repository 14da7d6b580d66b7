"""What becomes of a goal on the way: only what was confirmed counts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from offline_tools import tools_of
from planner_world import LightWorld, next_output, think_through
import pytest

from bt_executive.core.executive_ports import (
    Answer,
    PlannerContext,
    PlannerFailure,
    Proposal,
    ToolOffer,
    ToolResult,
)
from bt_executive.core.goal_outcome import EDITED_TO, INTERRUPTED, RAN_S
from bt_executive.planner.offline.chat_model import OfflineChatModel
from bt_executive.planner.offline.conversation_steps import (
    Act,
    FinalAnswer,
    GiveUp,
    Transcript,
    read_transcript,
)
from bt_executive.planner.offline.next_step import decide
from bt_executive.planner.prompt_toolset_and_result_text import format_result
from bt_executive.planner.rosa_planner import RosaPlanner
from bt_executive.skills.tool_registry import Registry
from rover_common.config.load import load_config

pytestmark = pytest.mark.long  # the sentence encoder
PAUSED = [INTERRUPTED.error_reason]


@pytest.fixture
def toolset() -> tuple[ToolOffer, ...]:
    return Registry(load_config()).toolset()


def test_a_part_that_fails_ends_those_after_it(toolset: Any) -> None:
    world = LightWorld(mast_open=False, faults={'mast_open': ['Mast did not move']})
    answer = think_through('turn left, open the mast and take a picture', world, toolset)
    assert world.tools == ['turn_left', 'mast_open']
    assert answer == (
        'NOT REACHED: I did not reach the goal: mast_open did not work: “Mast did not move”; '
        'done before that: turn_left.'
    )


def test_a_mend_that_fails_is_the_reason(toolset: Any) -> None:
    world = LightWorld(faults={'mast_close': ['Mast did not move']})
    answer = think_through('drive forward 3 s', world, toolset)
    assert world.tools == ['move_forward', 'mast_close']
    assert 'mast_close did not work: “Mast did not move”' in answer


def test_mending_has_an_end(toolset: Any) -> None:
    world = LightWorld(faults={'turn_left': ['Need to close mast'] * 99})
    answer = think_through('turn left', world, toolset)
    assert world.tools == ['turn_left', 'mast_close'] * 2 + ['turn_left']
    assert answer.startswith('NOT REACHED: ')


def test_a_refusal_is_mended_only_with_what_is_offered(toolset: Any) -> None:
    offered = tuple(each for each in toolset if each.name != 'mast_close')
    world = LightWorld()
    answer = think_through('turn left', world, offered)
    assert world.tools == ['turn_left']
    assert 'Need to close mast' in answer


def test_what_was_interrupted_begins_anew(toolset: Any) -> None:
    world = LightWorld(mast_open=False, faults={'navigate_to': PAUSED * 9})
    think_through('go to x 3 y 1 and open the mast', world, toolset)
    assert world.tools == ['navigate_to'] * 10 + ['mast_open']


def test_half_of_an_amount_is_not_done_twice(toolset: Any) -> None:
    world = LightWorld(mast_open=False, faults={'move_forward': PAUSED})
    answer = think_through('drive forward 10 s', world, toolset)
    assert world.tools == ['move_forward']
    assert 'how much of it is done is not known' in answer


class MovedMast(LightWorld):
    """Somebody else opens the mast during the first drive, and the guard stops it."""

    def _drive(self, tool: str, seconds: float) -> ToolResult:
        if self.log:
            return super()._drive(tool, seconds)
        self.mast_open = True
        return ToolResult(False, 'Need to close mast', {RAN_S: 7.9, 'driven_m': 3.84})


def test_an_amount_that_a_guard_cut_is_not_driven_again(toolset: Any) -> None:
    world = MovedMast(mast_open=False)
    answer = think_through('drive forward 10 s', world, toolset)
    assert world.tools == ['move_forward']
    assert 'move_forward was stopped before it was done: “Need to close mast”' in answer


def test_a_drive_without_an_amount_begins_again_after_a_guard(toolset: Any) -> None:
    world = MovedMast(mast_open=False)
    think_through('drive forward', world, toolset)
    assert world.tools == ['move_forward', 'mast_close', 'move_forward']


def test_a_status_that_does_not_say_it_is_no_answer(toolset: Any) -> None:
    answer = think_through('where are you?', LightWorld(poses=False), toolset)
    assert answer.startswith('NOT REACHED: ')
    assert 'the result of get_status does not say that' in answer


def test_a_status_without_values_claims_nothing(toolset: Any) -> None:
    answer = think_through('status', LightWorld(mast=False, poses=False), toolset)
    assert 'mast' not in answer
    assert 'rover' not in answer


def test_one_picture_is_one_picture_even_if_dark(toolset: Any) -> None:
    answer = think_through('Take a picture', LightWorld(), toolset)
    assert answer == 'Done: capture_and_score: score 0, is good no.'


def test_what_is_forgotten_is_not_done_again(toolset: Any) -> None:
    forgotten = Transcript('turn left and open the mast', (), whole=False)
    decision = decide(forgotten, {})
    assert isinstance(decision, GiveUp)
    assert 'nothing was done' in decision.reason  # no tools
    decision = decide(forgotten, tools_of(toolset))
    assert isinstance(decision, GiveUp)
    assert 'too many steps' in decision.reason


def after(goal: str, tool: str, asked: dict[str, Any], result: ToolResult, toolset: Any) -> Any:
    """What is decided when one call of a goal has come back with this result."""
    conversation = [
        HumanMessage(goal),
        AIMessage('', tool_calls=[{'name': tool, 'args': asked, 'id': '1'}]),
        ToolMessage(format_result(result), tool_call_id='1'),
    ]
    return decide(read_transcript(conversation), tools_of(toolset))


@pytest.mark.parametrize('data', [{}, {'log': 'x' * 10_000}])
def test_what_the_operator_changed_is_told_as_it_was_carried_out(
    toolset: Any, data: dict[str, Any]
) -> None:
    shorter = ToolResult(ok=True, data={**data, EDITED_TO: {'duration_s': 2.0}})
    decision = after('drive forward 8 s', 'move_forward', {'duration_s': 8}, shorter, toolset)
    assert isinstance(decision, FinalAnswer)
    assert decision.text.startswith('Done: move_forward (duration_s 2)')
    assert decision.text.endswith(', as the operator changed it.')


def test_a_goal_goes_on_from_what_the_operator_let_run(toolset: Any) -> None:
    goal = 'drive forward 8 s, then turn left 3 s'
    shorter = ToolResult(ok=True, data={EDITED_TO: {'duration_s': 2.0}})
    decision = after(goal, 'move_forward', {'duration_s': 8}, shorter, toolset)
    assert isinstance(decision, Act)
    assert (decision.tool, decision.arguments) == ('turn_left', {'duration_s': 3.0})


def test_what_the_operator_left_as_it_was_is_done(toolset: Any) -> None:
    same = ToolResult(ok=True, data={EDITED_TO: {'duration_s': 8.0}})
    decision = after('drive forward 8 s', 'move_forward', {'duration_s': 8}, same, toolset)
    assert decision == FinalAnswer('Done: move_forward (duration_s 8).')


def test_a_place_far_away_is_told_in_full(toolset: Any) -> None:
    far = ToolResult(ok=True, data={'rover_x_m': 12345.678, 'rover_y_m': -1.23456})
    decision = after('where are you', 'get_status', {}, far, toolset)
    assert decision == FinalAnswer('Done: get_status: rover x 12345.678 m, rover y -1.235 m.')


def test_what_is_declined_is_aborted(
    planner_of: Callable[..., RosaPlanner], offline_model: OfflineChatModel, toolset: Any
) -> None:
    planner = planner_of(offline_model)
    planner.start('hello', PlannerContext(toolset))
    output = next_output(planner)
    assert isinstance(output, Proposal)
    assert output.tool == 'abort'
    assert 'docs/models.md' in output.arguments['reason']


def test_without_abort_it_is_a_failure_and_no_answer(
    planner_of: Callable[..., RosaPlanner], offline_model: OfflineChatModel, toolset: Any
) -> None:
    planner = planner_of(offline_model)
    planner.start('hello', PlannerContext(tuple(e for e in toolset if e.name != 'abort')))
    output = next_output(planner)
    assert isinstance(output, PlannerFailure)
    assert 'small offline model' in output.reason


def test_an_abort_that_was_refused_is_not_tried_again(
    planner_of: Callable[..., RosaPlanner], offline_model: OfflineChatModel, toolset: Any
) -> None:
    planner = planner_of(offline_model)
    planner.start('hello', PlannerContext(toolset))
    next_output(planner)
    planner.give(ToolResult(False, 'No.'))
    assert isinstance(next_output(planner), PlannerFailure)


def test_a_goal_that_was_parked_goes_on_where_it_was(
    planner_of: Callable[..., RosaPlanner], offline_model: OfflineChatModel, toolset: Any
) -> None:
    planner = planner_of(offline_model)
    done = (Proposal('1', 'turn_left', {}), ToolResult(True))
    context = PlannerContext(toolset, history=(done,))
    planner.start('turn left and open the mast', context)
    assert next_output(planner).tool == 'mast_open'
    planner.give(ToolResult(True))
    assert next_output(planner) == Answer('Done: turn_left, mast_open.')


@pytest.mark.parametrize('count', [1, 9])
def test_several_things_are_told_in_words(toolset: Any, count: int) -> None:
    place = {'id': 'p1', 'name': 'layered rock', 'caption': 'a layered rock', 'x': 12.0, 'y': 2.0}
    data = {'reason': '', 'places': [place] * count}
    goal = 'where did you see the layered rock?'
    found = after(goal, 'recall', {'text': 'layered rock'}, ToolResult(True, data=data), toolset)
    assert isinstance(found, FinalAnswer)
    assert 'name layered rock caption a layered rock x 12 y 2' in found.text
    assert '{' not in found.text
    assert len(found.text) < 700
