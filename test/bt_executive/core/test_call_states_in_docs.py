"""The table of call states in the documentation is the table in the code."""

from __future__ import annotations

from pathlib import Path

from bt_executive.core.call_states import TERMINAL, TRANSITIONS, CallState

PAGE = Path(__file__).resolve().parents[3] / 'docs' / 'skills.md'


def drawn() -> str:
    """The table as Markdown: state, and what happens → the next state."""
    rows = ['| state | what happens → next state |', '|---|---|']
    for state in CallState:
        if state in TERMINAL:
            continue
        nexts: dict[CallState, list[str]] = {}
        for happened, after in TRANSITIONS[state].items():
            nexts.setdefault(after, []).append(happened.value)
        ways = [f'{", ".join(words)} → **{after.value}**' for after, words in nexts.items()]
        rows.append(f'| {state.value} | {"; ".join(ways)} |')
    ends = ', '.join(state.value for state in CallState if state in TERMINAL)
    return '\n'.join([*rows, f'| {ends} | nothing: terminal |'])


def test_the_page_shows_the_table_as_it_is() -> None:
    assert drawn() in PAGE.read_text(encoding='utf-8'), f'paste into docs/skills.md:\n{drawn()}'
