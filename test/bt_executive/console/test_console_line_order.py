"""The conversation with a wire and a screen that only write down what they are told."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from conversations import Converse, Diary, ended
import pytest

from bt_executive.client.front_end_events import GoalEnded, ServiceReply
from bt_executive.client.front_end_requests import (
    ApprovalAnswer,
    GoalRequest,
    ShowPage,
    ToolRequest,
)


def test_piped_lines_wait_for_each_other_and_the_end_of_input_ends_it(
    conversation: Converse, diary: Diary
) -> None:
    repl = conversation(piped=True)
    for line in ('first goal', ':cap', ':tree'):
        repl.handle_line(line)
    repl.handle_end_of_input()
    assert diary.sent == [(1, GoalRequest('first goal'))]
    repl.handle_goal_end(ended(1, 'gave_up'))
    assert diary.sent[1:] == [(2, ToolRequest('capture_and_score'))]
    repl.handle_goal_end(ended(2))
    assert diary.sent[2:] == ['show_tree']
    assert repl.exit_code is None
    repl.handle_reply(ServiceReply('show_tree', True, 'Executive'))
    assert repl.exit_code == 1, 'a goal was not reached'
    assert 'Executive' in diary.said


def test_ends_say_whose_they_are_while_there_are_several_goals(
    conversation: Converse, diary: Diary
) -> None:
    repl = conversation(piped=False)
    for line in ('first goal', 'second goal', ':cap'):
        repl.handle_line(line)
    for ticket in (1, 2, 3):
        repl.handle_goal_end(ended(ticket, 'interrupted'))
    repl.handle_line('alone')
    repl.handle_goal_end(ended(4))
    repl.handle_line('waited')
    repl.handle_goal_end(replace(ended(5), waited=True))
    assert diary.named == ['first goal', 'second goal', 'capture_and_score', '', 'waited']


@pytest.mark.parametrize(
    ('outcome', 'summary', 'code'),
    [
        ('reached', {'succeeded': True}, 0),
        ('answered', {'succeeded': True}, 0),
        ('answered', {'succeeded': False}, 1),
        ('claimed', {'succeeded': False}, 1),
        ('gave_up', {}, 1),
        ('interrupted', {}, 1),
        ('failed', {}, 1),
        ('something new', {}, 1),
    ],
)
@pytest.mark.parametrize('quits', [False, True])
def test_a_script_ends_with_1_if_a_goal_was_not_reached(
    conversation: Converse, outcome: str, summary: dict[str, object], code: int, quits: bool
) -> None:
    repl = conversation(piped=True)
    repl.handle_line('one')
    repl.handle_line('two')
    if quits:
        repl.handle_line(':quit')
    repl.handle_end_of_input()
    repl.handle_goal_end(GoalEnded(1, outcome, '', summary))
    repl.handle_goal_end(GoalEnded(2, 'reached', '', {'succeeded': True}))
    assert repl.exit_code == code


@pytest.mark.parametrize(
    'line',
    [':no_such_command', ':tool no_such_tool', ':tool wait {"a":1,"a":2}', '\u200b', ':goto x'],
)
@pytest.mark.parametrize('piped', [True, False])
def test_a_script_ends_with_1_if_a_line_came_to_nothing(
    conversation: Converse, line: str, piped: bool
) -> None:
    repl = conversation(piped=piped)
    repl.handle_line(line)
    repl.handle_line('a goal')
    repl.handle_goal_end(ended(1))
    repl.handle_line(':quit')
    assert repl.exit_code == int(piped)


def test_a_script_ends_with_1_if_a_goal_was_not_started_or_a_command_was_refused(
    conversation: Converse,
) -> None:
    dropped, refused = conversation(piped=True), conversation(piped=True)
    for line in ('one', 'two', ':stop'):
        dropped.handle_line(line)
    dropped.handle_end_of_input()
    dropped.handle_reply(ServiceReply('stop', True, 'stopping'))
    dropped.handle_goal_end(GoalEnded(1, 'reached', '', {'succeeded': True}))
    refused.handle_line(':reset')
    refused.handle_end_of_input()
    refused.handle_reply(ServiceReply('reset', False, 'the cause persists'))
    assert (dropped.exit_code, refused.exit_code) == (1, 1)


def test_at_a_terminal_the_operator_has_seen_what_was_not_reached(conversation: Converse) -> None:
    repl = conversation(piped=False)
    repl.handle_line('one')
    repl.handle_goal_end(GoalEnded(1, 'claimed', '', {'succeeded': False}))
    repl.handle_line(':quit')
    assert repl.exit_code == 0


def test_piped_quit_comes_after_the_goals_and_ends_the_rest(
    conversation: Converse, diary: Diary
) -> None:
    repl = conversation(piped=True)
    for line in ('a goal', ':quit', 'never sent'):
        repl.handle_line(line)
    repl.handle_goal_end(ended(1))
    assert repl.exit_code == 0
    assert diary.sent == [(1, GoalRequest('a goal'))]


def test_at_a_terminal_goals_queue_and_commands_work_at_once(
    conversation: Converse, diary: Diary
) -> None:
    repl = conversation(piped=False)
    for line in ('one', 'two', ':stop', ':tree', ':status', ':help'):
        repl.handle_line(line)
    assert diary.sent == [
        (1, GoalRequest('one')),
        (2, GoalRequest('two')),
        'stop',
        'show_tree',
        'get_status',
    ]
    assert diary.said == ['help on Stop and resume']


def test_lines_wait_for_the_executive(conversation: Converse, diary: Diary) -> None:
    repl = conversation(piped=False, ready=False)
    repl.handle_line('a goal')
    assert diary.sent == []
    repl.handle_executive_ready()
    assert diary.sent == [(1, GoalRequest('a goal'))]


def test_an_unknown_command_is_explained_and_the_conversation_goes_on(
    conversation: Converse, diary: Diary
) -> None:
    repl = conversation(piped=True)
    repl.handle_line(':hepl')
    repl.handle_line('a goal')
    assert 'Did you mean :help?' in str(diary.said[0])
    assert diary.sent == [(1, GoalRequest('a goal'))]


def test_a_goal_outlives_its_executive_and_the_next_line_waits_for_its_end(
    conversation: Converse, diary: Diary
) -> None:
    repl = conversation(piped=True)
    repl.handle_line('one')
    repl.handle_line('two')
    repl.handle_executive_lost()
    repl.handle_executive_ready()
    assert (diary.ends, len(diary.sent)) == ([], 1)
    repl.handle_goal_end(ended(1))
    assert diary.ends == [ended(1)]
    assert diary.sent[-1] == (2, GoalRequest('two'))


def test_a_late_end_of_a_goal_already_given_up_changes_nothing(
    conversation: Converse, diary: Diary
) -> None:
    repl = conversation(piped=True)
    repl.handle_line('one')
    repl.handle_executive_lost()
    repl.give_up('The executive died.')
    repl.handle_goal_end(ended(1))
    assert diary.ends == [GoalEnded(1, 'failed', 'The executive died.')]


def test_a_refused_question_is_shown_as_a_complaint(conversation: Converse, diary: Diary) -> None:
    repl = conversation(piped=False)
    repl.handle_line(':tree')
    repl.handle_reply(ServiceReply('show_tree', False, 'No server answers.'))
    assert diary.said == ['No server answers.']


@pytest.mark.parametrize('piped', [True, False])
def test_answers_to_requests_do_not_wait_for_the_goal_that_waits_for_them(
    conversation: Converse, diary: Diary, piped: bool
) -> None:
    repl = conversation(piped)
    repl.requests.set_pending(['ask-0a1b2c-1'])
    for line in ('a goal', ':pending', ':approve'):
        repl.handle_line(line)
    assert diary.sent == [
        (1, GoalRequest('a goal')),
        'pending',
        ApprovalAnswer('approve', 'ask-0a1b2c-1'),
    ]
    repl.handle_reply(ServiceReply('pending', True, 'ask-0a1b2c'))
    repl.handle_reply(ServiceReply('resolve_approval', False, 'It has expired.'))
    assert diary.said == ['ask-0a1b2c', 'It has expired.']
    repl.handle_end_of_input()
    assert repl.exit_code is None
    repl.handle_goal_end(ended(1))
    assert repl.exit_code == 0


def test_an_answer_that_cannot_be_read_is_explained(conversation: Converse, diary: Diary) -> None:
    conversation(piped=False).handle_line(':edit 2')
    assert ':edit takes' in str(diary.said[0])
    assert diary.sent == []


def test_from_a_pipe_a_plain_line_answers_the_question_that_is_open(
    conversation: Converse, diary: Diary
) -> None:
    repl = conversation(piped=True)
    repl.handle_line('a goal')
    repl.handle_line('the next goal')  # it came before the question
    repl.handle_question('Left or right?')
    repl.handle_line(':cap')
    repl.handle_line('left')
    repl.handle_line('another goal')
    assert diary.sent == [(1, GoalRequest('a goal')), (2, GoalRequest('left'))]
    repl.handle_goal_end(ended(2))
    repl.handle_goal_end(ended(1))
    assert diary.sent[2:] == [(3, GoalRequest('the next goal'))]


@pytest.mark.parametrize('piped', [True, False])
def test_go_on_answers_the_question_that_is_open_and_else_resumes(
    conversation: Converse, diary: Diary, piped: bool
) -> None:
    repl = conversation(piped=piped)
    repl.handle_line('a goal')
    repl.handle_question('Shall I go on?')
    repl.handle_line('go on')
    repl.handle_line('go on')
    assert diary.sent == [(1, GoalRequest('a goal')), (2, GoalRequest('go on')), 'resume']


@pytest.mark.parametrize(
    'closed', [lambda r: r.handle_question(None), lambda r: r.handle_executive_lost()]
)
def test_after_the_question_a_plain_line_is_a_goal_again(
    conversation: Converse, diary: Diary, closed: Any
) -> None:
    repl = conversation(piped=True)
    repl.handle_line('a goal')
    repl.handle_question('Left or right?')
    closed(repl)
    repl.handle_line('left')
    assert diary.sent == [(1, GoalRequest('a goal'))]


@pytest.mark.parametrize('ready', [True, False])
def test_what_the_console_knows_by_itself_is_shown_at_once(
    conversation: Converse, diary: Diary, ready: bool
) -> None:
    repl = conversation(piped=False, ready=ready)
    for line in (':trace 5', ':skills', '：cost'):
        repl.handle_line(line)
    assert diary.said == [ShowPage('trace', 5), ShowPage('skills'), ShowPage('cost')]
    assert diary.sent == []


def test_a_tool_by_hand_takes_its_arguments_along(conversation: Converse, diary: Diary) -> None:
    conversation(piped=False).handle_line(':tool move_forward {"duration_s": 2}')
    assert diary.sent == [(1, ToolRequest('move_forward', '{"duration_s": 2}'))]


def test_a_goal_that_replaces_another_does_not_wait_for_it(
    conversation: Converse, diary: Diary
) -> None:
    repl = conversation(piped=True)
    for line in ('a goal', 'new goal: drive home'):
        repl.handle_line(line)
    assert diary.sent == [(1, GoalRequest('a goal')), (2, GoalRequest('new goal: drive home'))]


@pytest.mark.parametrize('line', [':approve', ':edit {"duration_s": 1}', ':reject'])
def test_an_answer_to_nothing_that_is_shown_is_not_sent(
    conversation: Converse, diary: Diary, line: str
) -> None:
    repl = conversation(piped=False)
    repl.handle_line(line)
    assert diary.sent == []
    assert diary.said == ['No request waits for approval.']


def test_a_lost_executives_requests_are_shown_no_more(
    conversation: Converse, diary: Diary
) -> None:
    repl = conversation(piped=False)
    repl.requests.set_pending(['ask-0a1b2c-1'])
    repl.handle_executive_lost()
    repl.handle_executive_ready()
    repl.handle_line(':approve')
    assert diary.sent == []
