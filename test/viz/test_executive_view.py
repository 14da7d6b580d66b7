"""The executive's word: the latest that could be read, as long as it speaks."""

from __future__ import annotations

import json

import pytest

from bt_executive.core.state import BrainState, Mode, TasksState, state_to_json
from curiosity_viz.executive_view import SILENT_AFTER_S, ExecutiveView, ExecutiveWord

EXEC = state_to_json(BrainState(tasks=TasksState(mode=Mode.EXEC)))


def request(number: int) -> dict[str, object]:
    return {'id': f'ask-{number}', 'tool': 'move_nudge', 'arguments': {'n': number}, 'risk': 'r'}


def test_it_is_silent_at_first_and_after_a_while() -> None:
    view = ExecutiveView()
    assert view.word(0.0) == ExecutiveWord()
    view.take_state(EXEC, 100.0)
    assert view.word(100.0 + SILENT_AFTER_S).mode == 'EXEC'
    assert view.word(100.1 + SILENT_AFTER_S) == ExecutiveWord()


def test_requests_are_counted_beyond_three_and_end_with_the_next_message() -> None:
    view = ExecutiveView()
    view.take_state(EXEC, 0.0)
    view.take_requests(json.dumps([request(number) for number in range(5)]))
    *lines, rest = view.word(0.0).requests
    assert [line.split(': ')[1] for line in lines] == [f'move_nudge(n={n})' for n in range(3)]
    assert rest == 'and 2 more'
    view.take_requests('[]')
    assert view.word(0.0).requests == ()


@pytest.mark.parametrize('text', ['', '{}', '{"tasks": {"mode": 3}}', '[' * 10_000])
def test_what_is_no_state_is_refused_and_the_last_one_holds(text: str) -> None:
    view = ExecutiveView()
    view.take_state(EXEC, 0.0)
    with pytest.raises(ValueError, match=r'tasks|JSON|object'):
        view.take_state(text, 0.0)
    assert view.word(0.0).mode == 'EXEC'
