"""What stands in the executive's log, and so on the console of `ros2 launch`."""

from __future__ import annotations

from typing import Any

import pytest

from bt_executive.ros.executive_publishers import LONGEST, log_line
from rover_common.trace_event import Kind, TraceEvent


def event(kind: Kind, message: str = 'words', **fields: Any) -> TraceEvent:
    return TraceEvent('1', 0.0, kind, message, **fields)


TOLD = [
    (event('OBSERVE', 'New goal: look'), 'New goal: look'),
    (
        event('DECIDE', 'no', tool_name='move_nudge', ok=False, error_reason='Need to close mast'),
        'move_nudge was refused: Need to close mast',
    ),
    (event('ACT', 'Question: left?', data={'question': 'left?'}), 'Question: left?'),
    (event('RESULT', 'mast_close: done', tool_name='mast_close'), 'mast_close: done'),
    (event('ERROR', 'Goal gave up: dark'), 'Goal gave up: dark'),
]
OF_THE_MODEL = [
    (event('HYPOTHESIZE', 'It is dark.'), 'Thinks: It is dark.'),
    (event('DECIDE', 'allowed', tool_name='mast_close', ok=True), 'mast_close: allowed'),
]


@pytest.mark.parametrize('verbose', [True, False])
@pytest.mark.parametrize(('told', 'line'), TOLD)
def test_goals_refusals_and_outcomes_are_told_always(told: Any, line: Any, verbose: bool) -> None:
    assert log_line(told, verbose) == line


@pytest.mark.parametrize(('told', 'line'), OF_THE_MODEL)
def test_what_the_model_thinks_is_told_if_that_is_wanted(told: Any, line: Any) -> None:
    assert log_line(told, verbose=True) == line
    assert log_line(told, verbose=False) == ''


def test_text_of_others_is_one_printable_line_of_bounded_length() -> None:
    line = log_line(event('OBSERVE', 'a\nb\x1b[2J' + 'x' * 10_000), verbose=False)
    assert line.startswith('a b\N{REPLACEMENT CHARACTER}[2Jx')
    assert len(line) == LONGEST
