from __future__ import annotations

import io

import pytest
from rich.console import Console
from rich.text import Text

from bt_executive.console.display import summary_rows
from bt_executive.console.passing_line import LiveWords


def console(terminal: bool) -> Console:
    return Console(file=io.StringIO(), force_terminal=terminal, width=40, highlight=False)


def written(live: LiveWords) -> str:
    file = live._console.file
    assert isinstance(file, io.StringIO)
    return file.getvalue()


def test_a_terminal_shows_words_as_they_come_and_wipes_them() -> None:
    live = LiveWords(console(terminal=True), shown=True)
    live.show_piece('text', 'I look ')
    live.show_piece('text', 'first')
    assert 'I look first' in Text.from_ansi(written(live).rsplit('\r', 1)[-1]).plain
    live.show_piece('end', '')
    assert written(live).endswith('\x1b[2K')
    live.show_piece('text', 'Anew')
    assert 'firstAnew' not in written(live)
    live.wipe()


def test_the_end_of_a_long_message_is_shown_on_one_line() -> None:
    live = LiveWords(console(terminal=True), shown=True)
    live.show_piece('text', 'x' * 5000 + 'the\nend')
    assert 'the end' in written(live)
    assert written(live).count('\n') == 0
    live.wipe()


@pytest.mark.parametrize(('terminal', 'shown'), [(False, True), (True, False)])
def test_otherwise_nothing_is_written(terminal: bool, shown: bool) -> None:
    live = LiveWords(console(terminal), shown)
    live.show_piece('text', 'I look')
    live.show_piece('end', '')
    assert written(live) == ''


def test_the_summary_tells_what_the_model_cost() -> None:
    use = {'calls': 3, 'input_tokens': 3600, 'output_tokens': 100, 'cost_usd': 0.0123}
    assert ('Model', '3 calls, 3600 + 100 tokens, 0.0123 USD') in summary_rows({'model': use})
    assert 'Model' not in dict(summary_rows({'model': {**use, 'input_tokens': 0}}))
