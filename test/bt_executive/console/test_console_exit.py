"""The conversation with a wire and a screen that only write down what they are told."""

from __future__ import annotations

from conversations import Converse, Diary, ended
from fakes.console import CANCELLED
import pytest

from bt_executive.client.front_end_events import ServiceReply
from bt_executive.console.console_line_order_goals_and_exit import (
    ABSENT_EXIT_TIMEOUT_S,
    EXIT_TIMEOUT_S,
)


@pytest.mark.parametrize('piped', [True, False])
def test_an_interrupt_stops_the_rover_before_the_end(
    conversation: Converse, diary: Diary, piped: bool
) -> None:
    repl = conversation(piped)
    repl.handle_line('a goal')
    repl.handle_interrupt()
    assert diary.sent[-1] == 'stop'
    repl.handle_reply(ServiceReply('stop', True, ''))
    assert repl.exit_code is None
    repl.handle_goal_end(ended(1, 'interrupted'))
    assert repl.exit_code == 130


@pytest.mark.parametrize('attached', [True, False])
def test_an_interrupt_is_sent_before_a_word_is_written(
    conversation: Converse, diary: Diary, monkeypatch: pytest.MonkeyPatch, attached: bool
) -> None:
    def stuck(_text: str) -> None:
        raise BrokenPipeError

    repl = conversation(piped=True, attached=attached)
    repl.handle_line('a goal')
    monkeypatch.setattr(diary, 'info', stuck)
    with pytest.raises(BrokenPipeError):
        repl.handle_interrupt()
    assert diary.sent[1:] == [CANCELLED if attached else 'stop']


@pytest.mark.parametrize('leave', ['interrupt', 'quit'])
def test_an_attached_console_takes_its_own_goals_away_and_says_that_the_rest_goes_on(
    conversation: Converse, diary: Diary, leave: str
) -> None:
    repl = conversation(piped=False, attached=True)
    repl.handle_line('go')
    repl.handle_interrupt() if leave == 'interrupt' else repl.handle_line(':quit')
    assert diary.sent[1:] == [CANCELLED]
    assert diary.said[-2:] == [
        'Cancelling what was asked for here',
        'The system goes on, with the goals of others if it has any',
    ]
    assert repl.exit_code is None
    repl.handle_goal_end(ended(1, 'interrupted'))
    assert repl.exit_code == (130 if leave == 'interrupt' else 0)


def test_an_attached_console_without_goals_stops_nothing_when_it_is_interrupted(
    conversation: Converse, diary: Diary
) -> None:
    repl = conversation(piped=False, attached=True)
    repl.handle_interrupt()
    assert diary.sent == []
    assert 'The system goes on' in str(diary.said[-1])
    assert repl.exit_code == 130


@pytest.mark.parametrize('leave', ['interrupt', 'quit'])
@pytest.mark.parametrize('returns', [True, False])
def test_an_attached_console_takes_its_own_goals_away_from_an_executive_that_is_away(
    conversation: Converse, diary: Diary, leave: str, returns: bool
) -> None:
    repl = conversation(piped=False, attached=True)
    repl.handle_line('go')
    repl.handle_executive_lost()
    repl.handle_interrupt() if leave == 'interrupt' else repl.handle_line(':quit')
    assert diary.sent[1:] == [CANCELLED]
    diary.now = ABSENT_EXIT_TIMEOUT_S - 0.1
    repl.update()
    assert repl.exit_code is None
    if returns:
        repl.handle_executive_ready()
        repl.handle_goal_end(ended(1, 'interrupted'))
    diary.now = ABSENT_EXIT_TIMEOUT_S
    repl.update()
    assert repl.exit_code == (130 if leave == 'interrupt' else 0)
    assert ('may go on until :stop, or its end' in str(diary.said[-1])) != returns


def test_an_attached_console_without_goals_does_not_wait_for_an_executive_that_is_away(
    conversation: Converse, diary: Diary
) -> None:
    repl = conversation(piped=False, ready=False, attached=True)
    repl.handle_line(':stop')
    repl.handle_interrupt()
    assert (repl.exit_code, diary.sent) == (130, [])
    assert 'Not sent any more: :stop' in diary.said


def test_an_attached_console_says_that_a_goal_may_go_on_that_nobody_confirms_to_be_cancelled(
    conversation: Converse, diary: Diary
) -> None:
    repl = conversation(piped=False, attached=True)
    repl.handle_line('go')
    repl.handle_interrupt()
    repl.handle_interrupt()
    repl.update()
    assert repl.exit_code == 130
    assert 'may go on until :stop, or its end' in str(diary.said[-1])


def test_an_interrupt_waits_for_a_bounded_time(conversation: Converse, diary: Diary) -> None:
    repl = conversation(piped=False)
    repl.handle_interrupt()
    repl.update()
    assert repl.exit_code is None
    diary.now = EXIT_TIMEOUT_S
    repl.update()
    assert repl.exit_code == 130


def test_a_second_interrupt_does_not_wait(conversation: Converse) -> None:
    repl = conversation(piped=False)
    repl.handle_interrupt()
    repl.handle_interrupt()
    repl.update()
    assert repl.exit_code == 130


def test_without_an_executive_an_interrupt_ends_at_once(conversation: Converse) -> None:
    repl = conversation(piped=False, ready=False)
    repl.handle_interrupt()
    assert repl.exit_code == 130


def test_quit_at_a_terminal_stops_what_is_under_way(conversation: Converse, diary: Diary) -> None:
    repl = conversation(piped=False)
    repl.handle_line('a goal')
    repl.handle_line(':quit')
    assert diary.sent[-1] == 'stop'
    repl.handle_goal_end(ended(1, 'interrupted'))
    repl.handle_reply(ServiceReply('stop', True, ''))
    assert repl.exit_code == 0


def test_quit_with_nothing_under_way_ends_at_once(conversation: Converse, diary: Diary) -> None:
    repl = conversation(piped=False)
    repl.handle_line(':quit')
    assert (repl.exit_code, diary.sent) == (0, [])


@pytest.mark.parametrize('attached', [False, True])
def test_quit_stops_goals_of_the_last_run_too_but_not_in_somebody_elses_system(
    conversation: Converse, diary: Diary, attached: bool
) -> None:
    repl = conversation(piped=False, attached=attached)
    repl.note_resumed_goals()
    repl.handle_line(':quit')
    assert diary.sent == ([] if attached else ['stop'])
