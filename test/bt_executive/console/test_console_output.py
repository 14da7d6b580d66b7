from __future__ import annotations

from collections.abc import Callable
import io
import re
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
import pytest
from rich.console import Console
from rich.text import Text

from bt_executive.client.front_end_events import GoalEnded
from bt_executive.console.console_output import Display, StreamedLine, in_colours, summary_rows
from bt_executive.console.log_line import log_line as describe_event
from bt_executive.view.run_clock import RunClock
from rover_common.trace_event import Kind, TraceEvent


def event(kind: Kind, message: str = '', **fields: Any) -> TraceEvent:
    return TraceEvent(event_id='1', ts=0.0, kind=kind, message=message, **fields)


@pytest.fixture
def screen(monkeypatch: pytest.MonkeyPatch) -> Callable[..., tuple[Display, io.StringIO]]:
    monkeypatch.delenv('NO_COLOR', raising=False)

    def make(terminal: bool, width: int = 80) -> tuple[Display, io.StringIO]:
        paper = io.StringIO()
        console = Console(file=paper, force_terminal=terminal, width=width, highlight=False)
        return Display(console, RunClock(lambda: 0.0, 0.0), lambda request: request.page), paper

    return make


@pytest.mark.parametrize(
    ('happened', 'text'),
    [
        (
            event('DECIDE', tool_name='move_nudge', ok=True, data={'proposed_by': 'operator'}),
            'operator asks for move_nudge: allowed',
        ),
        (
            event(
                'DECIDE',
                tool_name='move_nudge',
                ok=False,
                error_reason='Need to close mast',
                data={'guard': 'mast_closed', 'arguments': {'seconds': 2}},
            ),
            'planner asks for move_nudge(seconds=2): refused, '
            'Need to close mast (guard mast_closed)',
        ),
        (
            event(
                'DECIDE',
                tool_name='navigate_to',
                ok=True,
                data={'arguments': {'x': 0.1 + 0.2, 'y': -2.0, 'via': [1 / 3, 7], 'why': 'x=0.1'}},
            ),
            "planner asks for navigate_to(x=0.3, y=-2.0, via=[0.333333, 7], why='x=0.1'): allowed",
        ),
        (
            event(
                'DECIDE',
                tool_name='move_nudge',
                ok=True,
                data={'arguments': {'seconds': 2}, 'edited': True},
            ),
            'planner asks for move_nudge(seconds=2), as the operator changed it: allowed',
        ),
        (
            event('DECIDE', tool_name='navigate_to', ok=True, data={'arguments': 'odd'}),
            'planner asks for navigate_to: allowed',
        ),
        (
            event(
                'RESULT',
                'capture_and_score: score 0.48, too dark',
                tool_name='capture_and_score',
                ok=True,
                score=0.484,
            ),
            'capture_and_score: score 0.48, too dark',
        ),
        (
            event('ERROR', 'failed', tool_name='mast_open', ok=False, error_reason='timed out'),
            'mast_open: failed: timed out',
        ),
        (event('RESULT', 'closed', tool_name='mast_close', ok=True), 'mast_close: closed'),
        (event('HYPOTHESIZE', 'It is dark.'), 'It is dark.'),
        (event('ACT', 'Hello.', tool_name='speak', data={'spoken': 'Hello.'}), 'Hello.'),
        (
            event('ACT', 'Question: Left?', tool_name='ask_operator', data={'question': 'Left?'}),
            'Left?',
        ),
        (
            event('ERROR', 'Adapter is silent', error_reason='no status'),
            'Adapter is silent: no status',
        ),
    ],
)
def test_events_in_words(happened: Any, text: str) -> None:
    assert describe_event(happened).text == text


def test_a_mode_is_decided_and_not_seen() -> None:
    assert (
        describe_event(event('OBSERVE', 'Mode IDLE → EXEC', data={'mode': 'EXEC'})).label
        == 'decides'
    )
    assert describe_event(event('OBSERVE', 'The adapter reports its status')).label == 'sees'


def test_into_a_pipe_an_event_is_one_line_without_colours(screen: Any) -> None:
    display, paper = screen(terminal=False, width=40)
    display.trace(event('HYPOTHESIZE', 'a long thought ' * 20))
    assert paper.getvalue().count('\n') == 1
    assert '\x1b' not in paper.getvalue()
    assert paper.getvalue().startswith('   0.0s  thinks   a long thought')


def test_at_a_terminal_long_and_wide_lines_stay_within_its_width(
    screen: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv('NO_COLOR', '1')
    display, paper = screen(terminal=True)
    display.trace(event('HYPOTHESIZE', '地面のテクスチャを調査して、明るい場所を探します。' * 8))
    lines = paper.getvalue().splitlines()
    assert len(lines) > 4
    assert all(Text.from_ansi(line).cell_len <= 80 for line in lines)
    assert not re.search(r'\x1b\[[0-9;]*3[0-7]', paper.getvalue())  # no colour, NO_COLOR is set


def test_only_the_lead_of_a_line_is_dim(screen: Any) -> None:
    display, paper = screen(terminal=True)
    display.trace(event('RESULT', 'closed', tool_name='mast_close', ok=True))
    assert paper.getvalue() == '\x1b[2m   0.0s  result   \x1b[0mmast_close: closed\n'


def test_escape_sequences_are_never_passed_on(screen: Any) -> None:
    display, paper = screen(terminal=False)
    display.trace(event('HYPOTHESIZE', 'now\x1b[2J \x1b]0;owned\x07'))
    display.show_reply('one\n\x9btwo')
    display.show_summary({'answer': 'so\x1b[8m'})
    display.show_streamed_text('text', '\x1b[2J')
    assert not set('\x1b\x07\x9b') & set(paper.getvalue())
    assert 'now�[2J �]0;owned�' in paper.getvalue()


def test_a_sentence_as_an_answer_is_a_line_of_the_log(screen: Any) -> None:
    display, paper = screen(terminal=False)
    display.show_reply('SAFE until reset')
    assert paper.getvalue() == '   0.0s  answer   SAFE until reset\n'


def test_words_of_a_model_are_never_markup(screen: Any) -> None:
    display, paper = screen(terminal=False)
    display.trace(event('HYPOTHESIZE', '[bold]now[/bold] [link=x]'))
    assert '[bold]now[/bold] [link=x]' in paper.getvalue()


def test_the_summary_says_everything(screen: Any) -> None:
    display, paper = screen(terminal=False)
    summary = {
        'goal': 'go', 'outcome': 'gave_up', 'answer': 'Too far.', 'steps': 7, 'refusals': 1,
        'first_score': 0.1, 'last_score': 0.52, 'distance_m': 2.431, 'wall_s': 12.34,
    }  # fmt: skip
    display.show_summary(summary)
    for words in ('gave up', 'Too far.', '7, of which refused: 1', '2.43 m', '12.3 s'):
        assert words in paper.getvalue()
    assert '0.10 at first, 0.52 at last' in paper.getvalue()


def test_a_summary_without_measurements_shows_dashes() -> None:
    rows = dict(summary_rows({'outcome': 'failed', 'first_score': None}))
    assert rows['Score'] == '– at first, – at last'
    assert rows['Distance'] == '– m'


def test_an_answer_that_was_shown_already_is_not_repeated(screen: Any) -> None:
    display, paper = screen(terminal=False)
    display.trace(event('HYPOTHESIZE', 'It is bright.'))
    display.show_end(GoalEnded(1, 'reached', 'It is bright.'))
    assert paper.getvalue().count('It is bright.') == 1
    display.trace(event('RESULT', 'look: rocks', tool_name='look'))
    display.show_end(GoalEnded(1, 'reached', 'rocks'))
    assert paper.getvalue().count('rocks') == 1


def test_the_end_of_a_goal_is_shown(screen: Any) -> None:
    display, paper = screen(terminal=False)
    display.show_end(GoalEnded(1, 'gave_up', 'No light\nanywhere.'))
    assert 'ends     gave up: No light anywhere.' in paper.getvalue()


@pytest.mark.parametrize('verbose', [True, False])
def test_what_the_model_thinks_is_shown_if_that_is_wanted(verbose: bool) -> None:
    paper = io.StringIO()
    display = Display(
        Console(file=paper),
        RunClock(lambda: 0.0, 0.0),
        lambda request: request.page,
        verbose=verbose,
    )
    display.trace(event('HYPOTHESIZE', 'It is dark.'))
    display.trace(event('RESULT', 'mast_close: done', tool_name='mast_close', ok=True))
    assert ('It is dark.' in paper.getvalue()) is verbose
    assert 'mast_close: done' in paper.getvalue()
    other = {'executive.agent.verbose': not verbose}
    display.trace(event('OBSERVE', 'Parameters were set', data={'parameters': other}))
    display.trace(event('HYPOTHESIZE', 'It is cold.'))
    assert ('It is cold.' in paper.getvalue()) is not verbose
    for wrong in ({'parameters': 3}, {'parameters': {'executive.agent.verbose': 'no'}}):
        display.trace(event('OBSERVE', 'Parameters were set', data=wrong))
    display.trace(event('HYPOTHESIZE', 'It is late.'))
    assert ('It is late.' in paper.getvalue()) is not verbose


def console(terminal: bool) -> Console:
    return Console(file=io.StringIO(), force_terminal=terminal, width=40, highlight=False)


def written(live: StreamedLine) -> str:
    file = live._console.file
    assert isinstance(file, io.StringIO)
    return file.getvalue()


def test_a_terminal_shows_words_as_they_come_and_wipes_them() -> None:
    live = StreamedLine(console(terminal=True), enabled=True)
    live.show_streamed_text('text', 'I look ')
    live.show_streamed_text('text', 'first')
    assert 'I look first' in Text.from_ansi(written(live).rsplit('\r', 1)[-1]).plain
    live.show_streamed_text('end', '')
    assert written(live).endswith('\x1b[2K')
    live.show_streamed_text('text', 'Anew')
    assert 'firstAnew' not in written(live)
    live.wipe()


def test_the_end_of_a_long_message_is_shown_on_one_line() -> None:
    live = StreamedLine(console(terminal=True), enabled=True)
    live.show_streamed_text('text', 'x' * 5000 + 'the\nend')
    assert 'the end' in written(live)
    assert written(live).count('\n') == 0
    live.wipe()


@pytest.mark.parametrize(('terminal', 'shown'), [(False, True), (True, False)])
def test_otherwise_nothing_is_written(terminal: bool, shown: bool) -> None:
    live = StreamedLine(console(terminal), shown)
    live.show_streamed_text('text', 'I look')
    live.show_streamed_text('end', '')
    assert written(live) == ''


def test_the_summary_reports_what_the_model_cost() -> None:
    use = {'calls': 3, 'input_tokens': 3600, 'output_tokens': 100, 'cost_usd': 0.0123}
    assert ('Model', '3 calls, 3600 + 100 tokens, 0.0123 USD') in summary_rows({'model': use})
    assert 'Model' not in dict(summary_rows({'model': {**use, 'input_tokens': 0}}))


TREE = """[o] Act by priority [*]
    [-] Stay safe [✕]
        --> Safety event? [✕] -- no
    [-] Pursue the goal [*]
        --> Check the proposal [✕] -- Need to close mast
        --> Run the tool [*] -- 2 s left
        --> Take stock [-]"""


def test_with_room_every_row_is_there() -> None:
    lines = in_colours(TREE, 20)
    assert [line.plain for line in lines] == TREE.splitlines()
    assert any('cyan' in str(span.style) for span in lines[0].spans)


def test_what_has_nothing_to_say_goes_first_and_a_refusal_stays() -> None:
    text = '\n'.join(line.plain for line in in_colours(TREE, 5))
    assert 'Need to close mast' in text
    assert 'Run the tool' in text
    assert 'Take stock' not in text
    assert 'Safety event?' not in text
    assert '3 more rows' in text


def test_what_was_not_reached_goes_before_its_branch_whatever_it_said_once() -> None:
    old = '        --> Call /capture [-] -- done'
    lines = [*TREE.splitlines(), '    [-] Learn [-] -- learned', old, '    --> Idle [*] -- waits']
    text = [line.plain for line in in_colours('\n'.join(lines), len(lines) - 1)]
    assert old not in text
    assert '    [-] Learn [-] -- learned' in text
    assert '    --> Idle [*] -- waits' in text


@given(st.lists(st.sampled_from(TREE.splitlines()), max_size=60), st.integers(2, 30))
def test_there_are_never_more_rows_than_the_screen_has(lines: list[str], rows: int) -> None:
    assert len(in_colours('\n'.join(lines), rows)) <= rows
