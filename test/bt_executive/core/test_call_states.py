"""The states of a call, and their table in docs/skills.md."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st
import pytest

from bt_executive.core.call_states import ENDING, TERMINAL, TRANSITIONS, CallState, advance
from bt_executive.core.call_states import CallInput as I
from bt_executive.core.call_states import CallState as S

inputs = st.lists(st.sampled_from(I), max_size=30)


def walk(*happened: I) -> S:
    state = S.REQUESTED
    for each in happened:
        state = advance(state, each) or state
    return state


def test_every_state_has_a_row_and_the_terminal_ones_are_empty() -> None:
    assert set(TRANSITIONS) == set(S)
    assert all(not TRANSITIONS[state] for state in TERMINAL)


@pytest.mark.parametrize('state', sorted(set(S) - TERMINAL, key=str))
def test_every_open_state_can_be_given_up(state: S) -> None:
    assert advance(state, I.TIME_OUT) is S.TIMED_OUT
    assert advance(state, I.LOSE) in (S.LOST, S.TIMED_OUT)


@given(inputs)
def test_a_life_has_at_most_one_terminal_entry(happened: list[I]) -> None:
    states = [S.REQUESTED]
    for each in happened:
        states.append(advance(states[-1], each) or states[-1])
    changes = [after for before, after in pairwise(states) if before is not after]
    assert sum(state in TERMINAL for state in changes) <= 1
    if any(state in TERMINAL for state in changes):
        assert changes[-1] in TERMINAL


@given(inputs)
def test_who_was_to_end_never_runs_again(happened: list[I]) -> None:
    state, was_ending = S.REQUESTED, False
    for each in happened:
        state = advance(state, each) or state
        assert not (was_ending and state in (S.SENT, S.ACCEPTED, S.RUNNING))
        was_ending = was_ending or state in ENDING


@pytest.mark.parametrize(
    ('happened', 'state'),
    [
        ((I.CANCEL,), S.CANCELLED),
        ((I.SEND, I.REJECT), S.REJECTED),
        ((I.SEND, I.ACCEPT, I.PROGRESS, I.SUCCEED), S.SUCCEEDED),
        ((I.SEND, I.PROGRESS, I.ACCEPT), S.ACCEPTED),
        ((I.SEND, I.CANCEL), S.CANCEL_WANTED),
        ((I.SEND, I.CANCEL, I.ACCEPT), S.CANCELLING),
        ((I.SEND, I.CANCEL, I.REJECT), S.CANCELLED),
        ((I.SEND, I.ACCEPT, I.CANCEL, I.CANCEL_REFUSED), S.CANCELLING),
        ((I.SEND, I.ACCEPT, I.CANCEL, I.CANCEL_ACCEPTED, I.CANCELLED), S.CANCELLED),
        ((I.SEND, I.ACCEPT, I.CANCEL, I.SUCCEED), S.SUCCEEDED),
        ((I.SEND, I.EXPIRE, I.ACCEPT), S.EXPIRED),
        ((I.SEND, I.ACCEPT, I.EXPIRE, I.CANCELLED), S.TIMED_OUT),
        ((I.SEND, I.ACCEPT, I.EXPIRE, I.SUCCEED), S.TIMED_OUT),
        ((I.SEND, I.ACCEPT, I.SUCCEED, I.FAIL, I.CANCELLED), S.SUCCEEDED),
        ((I.SEND, I.ACCEPT, I.TIME_OUT, I.SUCCEED), S.TIMED_OUT),
    ],
)
def test_lives(happened: tuple[I, ...], state: S) -> None:
    assert walk(*happened) is state


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
