"""What stops, pauses and releases, among the other lines of a conversation."""

from __future__ import annotations

from typing import Any

from conversations import Converse, Diary, ended
import pytest

from bt_executive.client.front_end_events import ServiceReply
from bt_executive.client.front_end_requests import GoalRequest
from bt_executive.console.console_line_order_goals_and_exit import Repl


@pytest.fixture(params=[':stop', ':safe_stop', ': STOP! now', 'stop!', '止まれ'])
def stop(request: pytest.FixtureRequest) -> str:
    """What stops, as it can be written."""
    return str(request.param)


def asked_by(line: str) -> str:
    return 'safe_stop' if line == ':safe_stop' else 'stop'


def test_from_a_pipe_what_stops_overtakes_the_goal_and_the_lines_before_it(
    conversation: Converse, diary: Diary, stop: Any
) -> None:
    repl = conversation(piped=True)
    for line in ('a goal', 'a second goal', ':cap', ':tree', stop):
        repl.handle_line(line)
    assert diary.sent == [(1, GoalRequest('a goal')), asked_by(stop)]
    repl.handle_reply(ServiceReply(asked_by(stop), True, 'stopping'))
    repl.handle_goal_end(ended(1, 'interrupted'))
    assert diary.sent[2:] == ['show_tree'], 'what only looks is done, what would start is not'
    assert 'Not started, because of the stop: a second goal' in diary.said


def test_a_stop_is_sent_before_dropped_lines_are_reported(
    conversation: Converse, diary: Diary, monkeypatch: pytest.MonkeyPatch, stop: Any
) -> None:
    sent: list[Any] = []
    repl = conversation(piped=True)
    monkeypatch.setattr(diary, 'error', lambda _text: sent.append(diary.sent[-1]))
    for line in ('a goal', 'a second goal', stop):
        repl.handle_line(line)
    assert sent == [asked_by(stop)]


def test_from_a_pipe_a_goal_after_the_stop_is_pursued_after_the_stop(
    conversation: Converse, diary: Diary, stop: Any
) -> None:
    repl = conversation(piped=True)
    for line in ('a goal', stop, 'a better goal'):
        repl.handle_line(line)
    repl.handle_goal_end(ended(1, 'interrupted'))
    assert len(diary.sent) == 2, 'the stop is not answered yet'
    repl.handle_reply(ServiceReply(asked_by(stop), True, 'stopping'))
    assert diary.sent[2:] == [(2, GoalRequest('a better goal'))]


@pytest.mark.parametrize('pause', [':pause', 'wait a moment'])
@pytest.mark.parametrize('resume', [':resume', 'go on'])
def test_from_a_pipe_a_pause_and_its_end_wait_for_no_goal(
    conversation: Converse, diary: Diary, pause: str, resume: str
) -> None:
    repl = conversation(piped=True)
    for line in ('a goal', 'the next goal', pause, resume):
        repl.handle_line(line)
    assert diary.sent == [(1, GoalRequest('a goal')), 'pause']
    repl.handle_reply(ServiceReply('pause', True, 'pausing'))
    assert diary.sent[2:] == ['resume']
    repl.handle_reply(ServiceReply('resume', True, 'going on'))
    repl.handle_goal_end(ended(1))
    assert diary.sent[3:] == [(2, GoalRequest('the next goal'))]


@pytest.mark.parametrize('piped', [True, False])
@pytest.mark.parametrize('release', [':resume', ':reset'])
def test_what_releases_is_dropped_by_a_stop_that_comes_after_it(
    conversation: Converse, diary: Diary, stop: Any, release: str, piped: bool
) -> None:
    repl = conversation(piped)
    for line in (':pause', release, stop):
        repl.handle_line(line)
    repl.handle_reply(ServiceReply('pause', True, 'pausing'))
    repl.handle_reply(ServiceReply(asked_by(stop), True, 'stopping'))
    assert diary.sent == ['pause', asked_by(stop)]


@pytest.mark.parametrize('piped', [True, False])
@pytest.mark.parametrize(('release', 'question'), [('resume', 'pause'), ('reset', 'safe_stop')])
def test_a_stop_that_overtakes_a_release_on_its_way_is_asked_again_after_it(
    conversation: Converse, diary: Diary, release: str, question: str, piped: bool
) -> None:
    repl = conversation(piped)
    for line in (f':{release}', f':{question}', f':{question}'):
        repl.handle_line(line)
    repl.handle_end_of_input()
    assert diary.sent == [release, question, question], 'what stops does not wait'
    for _ in range(2):
        repl.handle_reply(ServiceReply(question, True, 'ok'))
    repl.handle_reply(ServiceReply(release, True, 'ok'))  # the executive took it last
    assert diary.sent[3:] == [question]
    assert repl.exit_code is None
    repl.handle_reply(ServiceReply(question, True, 'ok'))
    assert len(diary.sent) == 4
    assert repl.exit_code == 0


def test_a_stop_is_not_asked_again_for_a_release_that_was_answered_before_it(
    conversation: Converse, diary: Diary
) -> None:
    repl = conversation(piped=False)
    repl.handle_line(':resume')
    repl.handle_reply(ServiceReply('resume', True, 'going on'))
    repl.handle_line(':pause')
    repl.handle_line(':resume')
    repl.handle_reply(ServiceReply('pause', True, 'pausing'))
    repl.handle_reply(ServiceReply('resume', True, 'going on'))
    assert diary.sent == ['resume', 'pause', 'resume']


def paused_before_the_resume_is_answered(conversation: Converse) -> Repl:
    repl = conversation(piped=False)
    for line in (':resume', ':pause'):
        repl.handle_line(line)
    repl.handle_reply(ServiceReply('pause', True, 'pausing'))
    return repl


def test_a_release_waits_for_the_stop_that_is_asked_again(
    conversation: Converse, diary: Diary
) -> None:
    repl = paused_before_the_resume_is_answered(conversation)
    repl.handle_line(':resume')
    repl.handle_reply(ServiceReply('resume', True, 'going on'))
    assert diary.sent == ['resume', 'pause', 'pause']
    repl.handle_reply(ServiceReply('pause', True, 'pausing'))
    assert diary.sent[3:] == ['resume'], 'it is the last word'


def test_a_stop_that_a_lost_executive_may_have_served_before_a_release_reaches_the_next_one(
    conversation: Converse, diary: Diary
) -> None:
    repl = paused_before_the_resume_is_answered(conversation)
    repl.handle_executive_lost()
    repl.handle_executive_ready()
    assert diary.sent[2:] == ['pause']


@pytest.mark.parametrize('piped', [True, False])
def test_nothing_that_was_written_before_a_stop_starts_when_the_executive_is_back(
    conversation: Converse, diary: Diary, stop: Any, piped: bool
) -> None:
    repl = conversation(piped, ready=False)
    for line in ('a goal', stop, 'a better goal'):
        repl.handle_line(line)
    repl.handle_executive_ready()
    assert diary.sent == [asked_by(stop)]
    repl.handle_reply(ServiceReply(asked_by(stop), True, 'stopping'))
    assert diary.sent[1:] == [(1, GoalRequest('a better goal'))]


def test_a_stop_is_no_answer_to_a_question(conversation: Converse, diary: Diary) -> None:
    repl = conversation(piped=True)
    repl.handle_line('a goal')
    repl.handle_question('Left or right?')
    repl.handle_line('stop')
    assert diary.sent == [(1, GoalRequest('a goal')), 'stop']


def test_the_end_of_a_pipe_waits_for_the_answer_to_a_stop(
    conversation: Converse, diary: Diary, stop: Any
) -> None:
    repl = conversation(piped=True)
    repl.handle_line(stop)
    repl.handle_end_of_input()
    assert repl.exit_code is None
    repl.handle_reply(ServiceReply(asked_by(stop), True, 'stopping'))
    assert repl.exit_code == 0


def test_from_a_pipe_a_paused_goal_does_not_keep_the_console_from_ending(
    conversation: Converse, diary: Diary
) -> None:
    repl = conversation(piped=True)
    for line in ('a goal', ':pause', ':quit'):
        repl.handle_line(line)
    repl.handle_reply(ServiceReply('pause', True, 'pausing'))
    assert diary.sent[1:] == ['pause', 'stop']
    repl.handle_goal_end(ended(1, 'interrupted'))
    repl.handle_reply(ServiceReply('stop', True, 'stopping'))
    assert repl.exit_code == 0


@pytest.mark.parametrize('piped', [True, False])
@pytest.mark.parametrize('question', ['stop', 'safe_stop', 'pause'])
def test_a_stop_that_its_executive_did_not_answer_is_sent_to_the_next_one_first(
    conversation: Converse, diary: Diary, question: str, piped: bool
) -> None:
    repl = conversation(piped)
    for line in (f':{question}', f':{question}', ':resume', 'a better goal'):
        repl.handle_line(line)
    sent = len(diary.sent)
    repl.handle_executive_lost()
    repl.handle_executive_lost()  # its process has ended, too
    word = question.replace('_', ' ')
    assert diary.said == [f'The {word} is sent as soon as the executive answers']
    repl.handle_executive_ready()
    assert diary.sent[sent:] == [question], 'nothing is released or begun before its answer'
    for asked in (question, 'resume'):
        repl.handle_reply(ServiceReply(asked, True, 'ok'))
    assert diary.sent[sent + 1 :] == ['resume', (1, GoalRequest('a better goal'))]


def test_the_end_of_a_pipe_waits_for_a_stop_that_the_executive_did_not_live_to_answer(
    conversation: Converse, diary: Diary, stop: Any
) -> None:
    repl = conversation(piped=True)
    repl.handle_line(stop)
    repl.handle_end_of_input()
    repl.handle_executive_lost()
    assert repl.exit_code is None
    repl.handle_executive_ready()
    repl.handle_reply(ServiceReply(asked_by(stop), True, 'stopping'))
    assert diary.sent == [asked_by(stop)] * 2
    assert repl.exit_code == 0


def test_from_a_pipe_a_goal_that_a_pause_holds_after_a_stop_does_not_keep_it_from_ending(
    conversation: Converse, diary: Diary
) -> None:
    repl = conversation(piped=True)
    for line, question in ((':pause', 'pause'), (':stop', 'stop')):
        repl.handle_line(line)
        repl.handle_reply(ServiceReply(question, True, 'ok'))
    repl.handle_line('a goal')
    repl.handle_line(':quit')
    assert diary.sent == ['pause', 'stop', (1, GoalRequest('a goal')), 'stop']


@pytest.mark.parametrize('attached', [False, True])
def test_at_a_terminal_quit_does_not_wait_for_a_stop_that_nobody_takes(
    conversation: Converse, diary: Diary, attached: bool
) -> None:
    repl = conversation(piped=False, attached=attached)
    repl.handle_line(':stop')
    repl.handle_executive_lost()
    repl.handle_line(':help')
    repl.handle_line(':quit')
    assert repl.exit_code == 0
    assert 'Not sent any more: :stop' in diary.said
