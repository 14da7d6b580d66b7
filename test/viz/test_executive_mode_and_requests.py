"""The executive's word: the latest that could be read, as long as it speaks."""

from __future__ import annotations

import pytest

from curiosity_viz.executive_mode_and_requests import (
    SILENT_AFTER_S,
    ExecutiveReport,
    ExecutiveView,
    Request,
)


def request(number: int) -> Request:
    return Request(f'ask-{number}', 'move_nudge', {'n': number})


def test_it_is_silent_at_first_and_after_a_while() -> None:
    view = ExecutiveView()
    assert view.report(0.0) == ExecutiveReport()
    view.update_state('EXEC', '', 100.0)
    assert view.report(100.0 + SILENT_AFTER_S).mode == 'EXEC'
    assert view.report(100.1 + SILENT_AFTER_S) == ExecutiveReport()


def test_requests_are_counted_beyond_three_and_end_with_the_next_message() -> None:
    view = ExecutiveView()
    view.update_state('EXEC', '', 0.0)
    view.update_requests([request(number) for number in range(5)])
    *lines, rest = view.report(0.0).requests
    assert [line.split(': ')[1] for line in lines] == [f'move_nudge(n={n})' for n in range(3)]
    assert rest == 'and 2 more'
    view.update_requests([])
    assert view.report(0.0).requests == ()


@pytest.mark.parametrize('mode', ['', 'exec', '\x00', 'M' * 2_000_000])
def test_what_is_no_mode_is_refused_and_the_last_one_holds(mode: str) -> None:
    view = ExecutiveView()
    view.update_state('EXEC', '', 0.0)
    with pytest.raises(ValueError, match='it can be IDLE, EXEC, CHARGE, SAFE'):
        view.update_state(mode, '', 0.0)
    assert view.report(0.0).mode == 'EXEC'
