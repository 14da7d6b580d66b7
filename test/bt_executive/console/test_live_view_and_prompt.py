"""The console in a terminal, with a pretended executive: keys in, screen out."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
import os
from pathlib import Path
import re
import signal
import sys
from typing import Any

from console_views import ASKED
from prompt_toolkit.completion import Completion
from prompt_toolkit.history import FileHistory, InMemoryHistory
from pseudo_terminal import PseudoTerminal
import pytest

from bt_executive.client.typed_commands import Vocabulary
from bt_executive.console.live_view_and_prompt import history_file, open_history, suggestions
from bt_executive.view.current_presence_events_and_scores import CurrentView
from rover_common.config.load import load_config

ERASE_SCREEN, RED, TITLE = b'\x1b[2J', b'\x1b[31m', b'\x1b]0;'
COLOUR = re.compile(rb'\x1b\[[0-9;]*\b(3[0-7]|4[0-7]|9[0-7]|38|48)\b[0-9;]*m')


@pytest.fixture
def terminal(tmp_path: Path) -> Iterator[Callable[..., PseudoTerminal]]:
    """Starts the console in a terminal."""
    terminals: list[PseudoTerminal] = []

    def begin(
        columns: int = 80, rows: int = 24, arguments: Sequence[str] = (), **environment: str
    ) -> PseudoTerminal:
        values = {**os.environ, 'XDG_STATE_HOME': str(tmp_path), **environment}
        values.pop('NO_COLOR', None) if 'NO_COLOR' not in environment else None
        command = [sys.executable, '-m', 'console_on_stage', str(tmp_path / 'run'), *arguments]
        made = PseudoTerminal(command, columns, rows, values)
        terminals.append(made)
        return made

    yield begin
    for each in terminals:
        each.close()


@pytest.mark.process
def test_goals_approvals_pasted_and_hostile_text_at_80_columns(terminal: Any) -> None:
    console = terminal()
    console.wait_for('▸ Idle  waiting for a goal')
    console.type('地面を調べて<enter>')
    console.wait_for('done with 地面を調べて')
    assert 'you      地面を調べて' in console.text()

    console.type('approval<enter>')
    console.wait_for('approve? move_nudge()')
    console.wait_for('ask-0a1b2c-1; Moves the rover')
    console.type(':approve ask<tab>')
    console.wait_for('› :approve ask-0a1b2c-1')
    console.type('<enter>')
    console.wait_for('approve ask-0a1b2c-1')
    console.wait_until_gone('approve? move_nudge()')

    console.paste('go on\n:quit\nand look')
    console.wait_for('› go on :quit and look')  # nothing is sent before Enter
    console.type('<enter>')
    console.wait_for('done with go on :quit and look')

    before = len(console.written)
    console.type('hostile<enter>')
    console.wait_for('done with hostile')
    assert 'hostile�[31m words esrever' in console.text()
    written = console.written[before:]
    assert not any(sequence in written for sequence in (ERASE_SCREEN, TITLE, b'\x07'))

    console.type('lose<enter>')
    console.wait_for('GONE  the executive does not answer')
    console.wait_for('failed: The executive is gone.')
    console.type(':quit<enter>')
    assert console.finish() == 0
    assert not console.left_behind()
    assert 'GONE' not in console.text()  # the view is taken away, the log stays
    assert 'you      :quit' in console.text()


@pytest.mark.process
def test_completion_a_flood_and_the_history_after_a_restart_at_200_columns(terminal: Any) -> None:
    console = terminal(200, 50)
    console.wait_for('▸ Idle  waiting for a goal')
    console.type(':hel<tab><enter>')
    console.wait_for('is a goal for the robot')
    console.type('flood<enter>')
    console.wait_for('done with flood')
    shown = [int(number) for number in re.findall(rb'event (\d+)', console.written)]
    assert shown == list(range(300))
    assert COLOUR.search(console.written)
    console.type('look around<enter><ctrl-d>')  # what was asked for is finished first
    assert console.finish() == 0
    assert 'done with look around' in console.text()

    again = terminal(200, 50, NO_COLOR='1')
    again.wait_for('▸ Idle')
    again.type('<up><up>')
    again.wait_for('› flood')
    again.type('<ctrl-r>hel<enter>')
    again.wait_for('› :help')
    again.type('<ctrl-r>flo<ctrl-c>')  # also in the middle of a search
    assert again.finish() == 130
    assert 'Stopping the robot' in again.text()
    assert not again.left_behind()
    assert not COLOUR.search(again.written)


@pytest.mark.process
def test_a_request_to_end_gives_the_terminal_back(terminal: Any) -> None:
    console = terminal()
    console.wait_for('IDLE')
    console.process.send_signal(signal.SIGTERM)
    assert console.finish() == 130
    assert not console.left_behind()


@pytest.mark.process
def test_a_crash_gives_the_terminal_back_and_is_shown(terminal: Any) -> None:
    console = terminal()
    console.wait_for('IDLE')
    console.type('crash<enter>')
    assert console.finish() == 1
    assert not console.left_behind()
    assert 'RuntimeError: the console fails' in console.text()


@pytest.mark.process
def test_a_tiny_terminal_and_one_that_changes(terminal: Any) -> None:
    console = terminal(20, 5)
    console.wait_for('IDLE')
    console.type('go<enter>')
    console.wait_for('with go')
    console.resize(100, 30)
    console.wait_for('▸ Idle  waiting for a goal')
    console.wait_until_once('IDLE')  # nothing of the old view is left
    console.wait_until_once('New goal: go')  # and the log is whole
    console.resize(8, 2)
    console.type('<ctrl-c>')
    assert console.finish() == 130


@pytest.mark.process
@pytest.mark.parametrize(('arguments', 'environment'), [(['--plain'], {}), ([], {'TERM': 'dumb'})])
def test_plain_lines_on_request_and_where_no_cursor_can_move(
    terminal: Any, arguments: Any, environment: Any
) -> None:
    console = terminal(arguments=arguments, **environment)
    console.wait_for('Type a goal for the robot')
    console.type('<ctrl-d>')
    assert console.finish() == 0
    assert 'START' not in console.text()
    assert b'\x1b[?25l' not in console.written  # the cursor was never hidden


def test_lines_are_kept_for_the_next_session_and_for_this_user_alone(tmp_path: Path) -> None:
    environment = {'XDG_STATE_HOME': str(tmp_path)}
    open_history(environment).append_string('地面を調べて')
    again = open_history(environment)
    assert isinstance(again, FileHistory)
    assert list(again.load_history_strings()) == ['地面を調べて']
    assert history_file(environment).stat().st_mode & 0o777 == 0o600


def test_a_line_that_cannot_be_written_is_kept_for_the_session(tmp_path: Path) -> None:
    history = open_history({'XDG_STATE_HOME': str(tmp_path)})
    history_file({'XDG_STATE_HOME': str(tmp_path)}).unlink()
    history_file({'XDG_STATE_HOME': str(tmp_path)}).symlink_to('/dev/full')
    history.append_string('drive on')
    assert history.get_strings() == ['drive on']


def test_without_the_variable_the_file_is_in_the_usual_place(tmp_path: Path) -> None:
    usual = tmp_path / '.local/state/bt_executive/history'
    home = {'HOME': str(tmp_path)}
    assert history_file(home) == usual
    assert history_file({**home, 'XDG_STATE_HOME': 'relative'}) == usual


def test_where_no_file_can_be_written_the_history_lasts_for_the_session() -> None:
    assert isinstance(open_history({'XDG_STATE_HOME': '/dev/null'}), InMemoryHistory)
    assert not Path('/dev/null/bt_executive').exists()


@pytest.fixture(scope='module')
def fitting() -> Callable[..., list[str]]:
    words = Vocabulary(load_config())
    return lambda line, view=ASKED: [each.text for each in suggestions(line, words, view)]


@pytest.mark.parametrize(
    ('line', 'fits'),
    [
        (':re', [':resume', ':reset', ':reject', ':recall', ':remember']),
        ('：ste', [':step']),
        ('：stx', []),
        ('：sta', [':state', ':status']),
        (':mast_', [':mast_open', ':mast_close', ':mast_rotate']),
        (':help', []),
        (':approve ', ['ask-0a1b2c']),
        (':edit ask-0', ['ask-0a1b2c']),
        (':reject　as', ['ask-0a1b2c']),
        (':tool turn', ['turn_left', 'turn_right']),
        (':stop ', []),
        ('demo', ['demo_ground_texture']),
        ('', []),
        ('go to the', []),
    ],
)
def test_what_fits(fitting: Any, line: str, fits: Any) -> None:
    assert fitting(line) == fits


def test_no_request_no_id(fitting: Any) -> None:
    assert fitting(':approve ', CurrentView()) == []


def test_a_suggestion_takes_the_place_of_the_last_word_and_explains_itself() -> None:
    words = Vocabulary(load_config())
    (found,) = suggestions(':tool turn_l', words, CurrentView())
    description = words.tools['turn_left'].description
    assert found == Completion('turn_left', -6, display_meta=description)
