"""The current view after each event: presence, events, scores, question."""

from __future__ import annotations

from typing import Any

from console_views import REQUEST, TREE
import pytest

from bt_executive.client.front_end_events import (
    ClientEvent,
    EndOfInput,
    ExecutiveLost,
    ExecutiveQuiet,
    ExecutiveReady,
    PendingApprovals,
    StateReceived,
    StreamedText,
)
from bt_executive.core.state import BrainState
from bt_executive.view.current_presence_events_and_scores import (
    MAX_EVENTS,
    MAX_STREAMED_CHARS,
    CurrentView,
    Score,
    update_view,
)
from rover_common.trace_event import Kind, TraceEvent


def traced(
    kind: Kind = 'OBSERVE',
    message: str = '',
    tool_name: str | None = None,
    score: float | None = None,
    **data: Any,
) -> TraceEvent:
    return TraceEvent('1', 0.0, kind, message, tool_name=tool_name, score=score, data=data)


def after(*events: ClientEvent, view: CurrentView | None = None) -> CurrentView:
    view = view or CurrentView()
    for event in events:
        view = update_view(view, event, 5.0)
    return view


def test_presence_and_since_when() -> None:
    assert after().presence == 'starting'
    ready = after(ExecutiveReady())
    assert (ready.presence, ready.since) == ('ready', 5.0)
    lost = update_view(ready, ExecutiveLost('gone'), 7.0)
    assert (lost.presence, lost.since) == ('lost', 7.0)
    assert update_view(lost, ExecutiveLost('still gone'), 9.0).since == 7.0
    back = update_view(lost, ExecutiveReady(), 10.0)
    assert (back.presence, back.lost_reason) == ('ready', ''), (
        'why it was lost before is no news of now'
    )


def test_a_question_stands_although_a_waiting_goal_ends() -> None:
    asked = traced('ACT', question='Left?')
    assert after(asked, traced('ERROR', goal_ended={}, waited=True)).question == 'Left?'
    assert after(asked, traced('ERROR', goal_ended={})).question is None


def test_reports_of_a_lost_executive_go_and_measurements_stay() -> None:
    view = after(
        ExecutiveReady(),
        StateReceived(BrainState(), 1.0),
        TREE,
        PendingApprovals((REQUEST,), 1.0),
        StreamedText('text', 'I look'),
        traced('ACT', question='Left?'),
        traced('RESULT', score=0.5, result={'is_good': True}),
        traced('RESULT', goal_ended={'goal': 'go'}),
        ExecutiveLost('gone'),
    )
    assert (view.state, view.tree, view.requests, view.streamed_text, view.question) == (
        None, None, (), '', None,
    )  # fmt: skip
    assert view.scores == (Score(0.5, True),)
    assert len(view.events) == 3


def test_scores_are_counted_once_each() -> None:
    result = traced('RESULT', score=0.5, result={})
    end = traced('RESULT', score=0.5, goal_ended={'goal': 'go'})
    assert after(result, end).scores == (Score(0.5, False),)


def test_streamed_text_accumulates_until_the_message_ends() -> None:
    view = after(StreamedText('text', 'I '), StreamedText('reasoning', 'look'))
    assert view.streamed_text == 'I look'
    assert len(after(StreamedText('text', 'x' * 5000)).streamed_text) == MAX_STREAMED_CHARS
    assert after(StreamedText('end', ''), view=view).streamed_text == ''


@pytest.mark.parametrize(
    'end',
    [
        traced('RESULT', tool_name='ask_operator', result={'answer': 'left'}),
        traced('ERROR', tool_name='ask_operator'),
        traced('ERROR', goal_ended={}),
    ],
)
def test_a_question_is_open_until_it_is_answered_or_given_up(end: Any) -> None:
    asked = after(traced('ACT', tool_name='ask_operator', question='Left?'))
    assert asked.question == 'Left?'
    assert after(traced('OBSERVE', 'something else'), view=asked).question == 'Left?'
    assert after(end, view=asked).question is None


def test_the_latest_events_are_kept_and_broken_data_harms_nothing() -> None:
    view = after(*[traced('OBSERVE', f'{number}') for number in range(MAX_EVENTS + 5)])
    assert [event.message for event in view.events[:1]] == ['5']
    broken = after(traced('RESULT', score=0.1, result=7, goal_ended='no'), EndOfInput())
    assert broken.scores == ()


def test_an_executive_is_quiet_until_it_is_received_again() -> None:
    events = (ExecutiveReady(), ExecutiveQuiet(True), ExecutiveQuiet(False))
    assert [after(*events[:count]).presence for count in (1, 2, 3)] == ['ready', 'quiet', 'ready']
    assert after(*events[:1], ExecutiveLost('It ended.'), events[2]).presence == 'lost'


@pytest.mark.parametrize('step', [1, None, 'no', []])
@pytest.mark.parametrize('names', [5, None, 'move_forward', {'a': 1}])
def test_parameters_of_another_type_change_nothing(step: Any, names: Any) -> None:
    stepping = {'executive.approval.step': True, 'executive.approval.break_at': ['move_forward']}
    hostile = {'executive.approval.step': step, 'executive.approval.break_at': names}
    view = after(traced(parameters=stepping), traced(parameters=hostile))
    assert (view.step, view.break_at) == (True, ('move_forward',))
