"""The conversation with a wire and a screen that only write down what they are told."""

import pytest

from bt_executive.client.approvals import Resolve
from bt_executive.client.events import Answered, GoalEnded
from bt_executive.client.requests import Goal, Tool
from bt_executive.console.commands import (
    Look,
    Vocabulary,
)
from bt_executive.console.repl import LEAVE_LIMIT_S, Repl
from rover_common.config.load import load_config


class Diary:
    """Wire and screen at once."""

    def __init__(self):
        self.sent, self.said, self.ends, self.now = [], [], [], 0.0

    def start(self, ticket, request):
        self.sent.append((ticket, request))

    def ask(self, question):
        self.sent.append(question)

    def cancel(self):
        self.sent.append('cancel own goals')

    def resolve(self, answer):
        self.sent.append(answer)

    def say(self, text):
        self.said.append(text)

    complain = show = say

    def show_page(self, look):
        self.said.append(look)

    def show_help(self, commands):
        self.said.append(f'help on {commands[0][0]}')

    def show_end(self, end):
        self.ends.append(end)


@pytest.fixture
def diary():
    return Diary()


@pytest.fixture
def conversation(diary):
    def make(piped, ready=True, attached=False):
        words = Vocabulary(load_config())
        repl = Repl(words, diary, diary, lambda: diary.now, piped, attached)
        if ready:
            repl.executive_ready()
        return repl

    return make


@pytest.fixture(params=[':stop', ':safe_stop', 'stop!', '止まれ'])
def stop(request):
    """What stops, as it can be written."""
    return request.param


def ended(ticket, outcome='reached'):
    return GoalEnded(ticket, outcome, 'It is bright.')


def test_piped_lines_wait_for_each_other_and_the_end_of_input_ends_with_0(conversation, diary):
    repl = conversation(piped=True)
    for line in ('first goal', ':cap', ':tree'):
        repl.line(line)
    repl.end_of_input()
    assert diary.sent == [(1, Goal('first goal'))]
    repl.goal_ended(ended(1, 'gave_up'))
    assert diary.sent[1:] == [(2, Tool('capture_and_score'))]
    repl.goal_ended(ended(2))
    assert diary.sent[2:] == ['show_tree']
    assert repl.exit_code is None
    repl.answered(Answered('show_tree', True, 'Executive'))
    assert repl.exit_code == 0
    assert 'Executive' in diary.said


def test_piped_quit_comes_after_the_goals_and_ends_the_rest(conversation, diary):
    repl = conversation(piped=True)
    for line in ('a goal', ':quit', 'never sent'):
        repl.line(line)
    repl.goal_ended(ended(1))
    assert repl.exit_code == 0
    assert diary.sent == [(1, Goal('a goal'))]


def test_at_a_terminal_goals_queue_and_commands_work_at_once(conversation, diary):
    repl = conversation(piped=False)
    for line in ('one', 'two', ':stop', ':tree', ':status', ':help'):
        repl.line(line)
    assert diary.sent == [(1, Goal('one')), (2, Goal('two')), 'stop', 'show_tree', 'get_status']
    assert diary.said == ['help on :help']


def test_status_is_a_tool_when_nothing_is_under_way(conversation, diary):
    conversation(piped=False).line(':status')
    assert diary.sent == [(1, Tool('get_status'))]


def test_lines_wait_for_the_executive(conversation, diary):
    repl = conversation(piped=False, ready=False)
    repl.line('a goal')
    assert diary.sent == []
    repl.executive_ready()
    assert diary.sent == [(1, Goal('a goal'))]


def test_an_unknown_command_is_explained_and_the_conversation_goes_on(conversation, diary):
    repl = conversation(piped=True)
    repl.line(':hepl')
    repl.line('a goal')
    assert 'Did you mean :help?' in diary.said[0]
    assert diary.sent == [(1, Goal('a goal'))]


@pytest.mark.parametrize('piped', [True, False])
def test_an_interrupt_stops_the_rover_before_the_end(conversation, diary, piped):
    repl = conversation(piped)
    repl.line('a goal')
    repl.interrupt()
    assert diary.sent[-1] == 'stop'
    repl.answered(Answered('stop', True, ''))
    assert repl.exit_code is None
    repl.goal_ended(ended(1, 'interrupted'))
    assert repl.exit_code == 130


@pytest.mark.parametrize('leave', ['interrupt', 'quit'])
def test_an_attached_console_takes_its_own_goals_away_and_says_that_the_rest_goes_on(
    conversation, diary, leave
):
    repl = conversation(piped=False, attached=True)
    repl.line('go')
    repl.interrupt() if leave == 'interrupt' else repl.line(':quit')
    assert diary.sent[1:] == ['cancel own goals']
    assert diary.said[-2:] == [
        'Cancelling what was asked for here',
        'The system goes on, with the goals of others if it has any',
    ]
    assert repl.exit_code is None
    repl.goal_ended(ended(1, 'interrupted'))
    assert repl.exit_code == (130 if leave == 'interrupt' else 0)


def test_an_attached_console_without_goals_stops_nothing_when_it_is_interrupted(
    conversation, diary
):
    repl = conversation(piped=False, attached=True)
    repl.interrupt()
    assert diary.sent == []
    assert 'The system goes on' in diary.said[-1]
    assert repl.exit_code == 130


def test_an_interrupt_waits_for_a_bounded_time(conversation, diary):
    repl = conversation(piped=False)
    repl.interrupt()
    repl.step()
    assert repl.exit_code is None
    diary.now = LEAVE_LIMIT_S
    repl.step()
    assert repl.exit_code == 130


def test_a_second_interrupt_does_not_wait(conversation):
    repl = conversation(piped=False)
    repl.interrupt()
    repl.interrupt()
    repl.step()
    assert repl.exit_code == 130


def test_without_an_executive_an_interrupt_ends_at_once(conversation):
    repl = conversation(piped=False, ready=False)
    repl.interrupt()
    assert repl.exit_code == 130


def test_quit_at_a_terminal_stops_what_is_under_way(conversation, diary):
    repl = conversation(piped=False)
    repl.line('a goal')
    repl.line(':quit')
    assert diary.sent[-1] == 'stop'
    repl.goal_ended(ended(1, 'interrupted'))
    repl.answered(Answered('stop', True, ''))
    assert repl.exit_code == 0


def test_quit_with_nothing_under_way_ends_at_once(conversation, diary):
    repl = conversation(piped=False)
    repl.line(':quit')
    assert (repl.exit_code, diary.sent) == (0, [])


def test_goals_of_a_lost_executive_fail_and_the_next_line_waits_for_its_return(
    conversation, diary
):
    repl = conversation(piped=True)
    repl.line('one')
    repl.line('two')
    repl.executive_lost('The executive died.')
    assert diary.ends == [GoalEnded(1, 'failed', 'The executive died.')]
    assert len(diary.sent) == 1
    repl.executive_ready()
    assert diary.sent[-1] == (2, Goal('two'))


def test_a_late_end_of_a_goal_already_given_up_changes_nothing(conversation, diary):
    repl = conversation(piped=True)
    repl.line('one')
    repl.executive_lost('The executive died.')
    repl.goal_ended(ended(1))
    assert [end.outcome for end in diary.ends] == ['failed']


def test_a_refused_question_is_shown_as_a_complaint(conversation, diary):
    repl = conversation(piped=False)
    repl.line(':tree')
    repl.answered(Answered('show_tree', False, 'Nobody answers.'))
    assert diary.said == ['Nobody answers.']


@pytest.mark.parametrize('piped', [True, False])
def test_answers_to_requests_do_not_wait_for_the_goal_that_waits_for_them(
    conversation, diary, piped
):
    repl = conversation(piped)
    repl.requests.wait(['ask-0a1b2c-1'])
    for line in ('a goal', ':pending', ':approve'):
        repl.line(line)
    assert diary.sent == [(1, Goal('a goal')), 'pending', Resolve('approve', 'ask-0a1b2c-1')]
    repl.answered(Answered('pending', True, 'ask-0a1b2c'))
    repl.answered(Answered('resolve_approval', False, 'It has expired.'))
    assert diary.said == ['ask-0a1b2c', 'It has expired.']
    repl.end_of_input()
    assert repl.exit_code is None
    repl.goal_ended(ended(1))
    assert repl.exit_code == 0


def test_an_answer_that_cannot_be_read_is_explained(conversation, diary):
    conversation(piped=False).line(':edit 2')
    assert ':edit takes' in diary.said[0]
    assert diary.sent == []


def test_from_a_pipe_a_plain_line_answers_the_question_that_is_open(conversation, diary):
    repl = conversation(piped=True)
    repl.line('a goal')
    repl.line('the next goal')  # it came before the question
    repl.operator_asked('Left or right?')
    repl.line(':cap')
    repl.line('left')
    repl.line('another goal')
    assert diary.sent == [(1, Goal('a goal')), (2, Goal('left'))]
    repl.goal_ended(ended(2))
    repl.goal_ended(ended(1))
    assert diary.sent[2:] == [(3, Goal('the next goal'))]


@pytest.mark.parametrize(
    'closed', [lambda r: r.operator_asked(None), lambda r: r.executive_lost('')]
)
def test_after_the_question_a_plain_line_is_a_goal_again(conversation, diary, closed):
    repl = conversation(piped=True)
    repl.line('a goal')
    repl.operator_asked('Left or right?')
    closed(repl)
    repl.line('left')
    assert diary.sent == [(1, Goal('a goal'))]


@pytest.mark.parametrize('ready', [True, False])
def test_what_the_console_knows_by_itself_is_shown_at_once(conversation, diary, ready):
    repl = conversation(piped=False, ready=ready)
    for line in (':trace 5', ':skills', '：cost'):
        repl.line(line)
    assert diary.said == [Look('trace', 5), Look('skills'), Look('cost')]
    assert diary.sent == []


def test_a_tool_by_hand_takes_its_arguments_along(conversation, diary):
    conversation(piped=False).line(':tool move_forward {"duration_s": 2}')
    assert diary.sent == [(1, Tool('move_forward', '{"duration_s": 2}'))]


def asked_by(line):
    return 'safe_stop' if line == ':safe_stop' else 'stop'


def test_from_a_pipe_what_stops_overtakes_the_goal_and_the_lines_before_it(
    conversation, diary, stop
):
    repl = conversation(piped=True)
    for line in ('a goal', 'a second goal', ':cap', ':tree', stop):
        repl.line(line)
    assert diary.sent == [(1, Goal('a goal')), asked_by(stop)]
    repl.answered(Answered(asked_by(stop), True, 'stopping'))
    repl.goal_ended(ended(1, 'interrupted'))
    assert diary.sent[2:] == ['show_tree'], 'what only looks is done, what would start is not'
    assert 'Not begun, because of the stop: a second goal' in diary.said


def test_from_a_pipe_a_goal_after_the_stop_is_pursued_after_the_stop(conversation, diary, stop):
    repl = conversation(piped=True)
    for line in ('a goal', stop, 'a better goal'):
        repl.line(line)
    repl.goal_ended(ended(1, 'interrupted'))
    assert len(diary.sent) == 2, 'the stop is not answered yet'
    repl.answered(Answered(asked_by(stop), True, 'stopping'))
    assert diary.sent[2:] == [(2, Goal('a better goal'))]


@pytest.mark.parametrize('pause', [':pause', 'wait a moment'])
@pytest.mark.parametrize('resume', [':resume', 'go on'])
def test_from_a_pipe_a_pause_and_its_end_wait_for_no_goal(conversation, diary, pause, resume):
    repl = conversation(piped=True)
    for line in ('a goal', 'the next goal', pause, resume):
        repl.line(line)
    assert diary.sent == [(1, Goal('a goal')), 'pause']
    repl.answered(Answered('pause', True, 'pausing'))
    assert diary.sent[2:] == ['resume']
    repl.answered(Answered('resume', True, 'going on'))
    repl.goal_ended(ended(1))
    assert diary.sent[3:] == [(2, Goal('the next goal'))]


@pytest.mark.parametrize('piped', [True, False])
@pytest.mark.parametrize('release', [':resume', ':reset'])
def test_what_releases_is_dropped_by_a_stop_that_comes_after_it(
    conversation, diary, stop, release, piped
):
    repl = conversation(piped)
    for line in (':pause', release, stop):
        repl.line(line)
    repl.answered(Answered('pause', True, 'pausing'))
    repl.answered(Answered(asked_by(stop), True, 'stopping'))
    assert diary.sent == ['pause', asked_by(stop)]


@pytest.mark.parametrize('piped', [True, False])
def test_nothing_that_was_written_before_a_stop_starts_when_the_executive_is_back(
    conversation, diary, stop, piped
):
    repl = conversation(piped, ready=False)
    for line in ('a goal', stop, 'a better goal'):
        repl.line(line)
    repl.executive_ready()
    assert diary.sent == [asked_by(stop)]
    repl.answered(Answered(asked_by(stop), True, 'stopping'))
    assert diary.sent[1:] == [(1, Goal('a better goal'))]


def test_a_stop_is_no_answer_to_a_question(conversation, diary):
    repl = conversation(piped=True)
    repl.line('a goal')
    repl.operator_asked('Left or right?')
    repl.line('stop')
    assert diary.sent == [(1, Goal('a goal')), 'stop']


def test_a_goal_that_replaces_another_does_not_wait_for_it(conversation, diary):
    repl = conversation(piped=True)
    for line in ('a goal', 'new goal: drive home'):
        repl.line(line)
    assert diary.sent == [(1, Goal('a goal')), (2, Goal('new goal: drive home'))]


def test_the_end_of_a_pipe_waits_for_the_answer_to_a_stop(conversation, diary, stop):
    repl = conversation(piped=True)
    repl.line(stop)
    repl.end_of_input()
    assert repl.exit_code is None
    repl.answered(Answered(asked_by(stop), True, 'stopping'))
    assert repl.exit_code == 0


def test_from_a_pipe_a_paused_goal_does_not_keep_the_console_from_ending(conversation, diary):
    repl = conversation(piped=True)
    for line in ('a goal', ':pause', ':quit'):
        repl.line(line)
    repl.answered(Answered('pause', True, 'pausing'))
    assert diary.sent[1:] == ['pause', 'stop']
    repl.goal_ended(ended(1, 'interrupted'))
    repl.answered(Answered('stop', True, 'stopping'))
    assert repl.exit_code == 0


@pytest.mark.parametrize('line', [':approve', ':edit {"duration_s": 1}', ':reject'])
def test_an_answer_to_nothing_that_is_shown_is_not_sent(conversation, diary, line):
    repl = conversation(piped=False)
    repl.line(line)
    assert diary.sent == []
    assert diary.said == ['No request waits for approval.']


def test_a_lost_executives_requests_are_shown_no_more(conversation, diary):
    repl = conversation(piped=False)
    repl.requests.wait(['ask-0a1b2c-1'])
    repl.executive_lost('')
    repl.executive_ready()
    repl.line(':approve')
    assert diary.sent == []
