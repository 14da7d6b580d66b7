"""An event as a line: what is needed, once; and the board of the latest lines."""

from __future__ import annotations

from typing import Any

from hostile_traces import good_event
import pytest

from curiosity_viz.markers import VERMILION
from curiosity_viz.trace_board import (
    MOST_LINES,
    STEP_M,
    TraceLine,
    TraceView,
    board_markers,
    line_of,
)
from rover_common.geometry.transforms import Transform
from rover_common.trace_event import event_from_json


def line(message: str, **changes: Any) -> tuple[str, str]:
    made = line_of(event_from_json(good_event(message, **changes)))
    return made.text, made.tone


def test_nothing_is_said_twice() -> None:
    refused = {'ok': False, 'error_reason': 'Need to close mast', 'tool_name': 'move_nudge'}
    expected = ('DECIDE move_nudge: Need to close mast', 'failed')
    assert line('move_nudge: Need to close mast', kind='DECIDE', **refused) == expected
    expected = ('RESULT capture: score 0.48, too dark', 'result')
    scored = {'kind': 'RESULT', 'tool_name': 'capture', 'score': 0.48, 'ok': True}
    assert line('capture: score 0.48, too dark', **scored) == expected


def test_what_the_message_leaves_out_is_added() -> None:
    assert line('', kind='ERROR', tool_name='look', ok=False, error_reason='dark', score=0.2) == (
        'ERROR look: failed (dark) score 0.20',
        'failed',
    )
    assert line('starts', tool_name='look') == ('ACT look: starts', 'act')
    assert line('thinks', kind='HYPOTHESIZE') == ('HYPOTHESIZE thinks', 'other')


def test_a_broken_event_changes_nothing_and_is_explained() -> None:
    view = TraceView(3)
    view.apply(good_event('m', score=0.5))
    with pytest.raises(ValueError, match='kind'):
        view.apply('{"event_id": "1", "ts": 0.0, "kind": "SING", "message": "la"}')
    with pytest.raises(ValueError, match='JSON'):
        view.apply('not at all')
    assert (len(view.lines), view.score) == (1, 0.5)


def test_a_number_that_is_no_score_is_not_shown_as_one() -> None:
    view = TraceView(3)
    view.apply(good_event('m', score=0.5))
    view.apply(good_event('m', score=1e308))
    assert view.score == 0.5


def test_the_board_is_bounded_whatever_is_configured() -> None:
    view = TraceView(10_000)
    for _ in range(2 * MOST_LINES):
        view.apply(good_event('m'))
    assert len(view.lines) == MOST_LINES


def test_the_newest_event_is_the_lowest_line_and_keeps_its_identity() -> None:
    newest, older = board_markers([TraceLine('old', 'failed'), TraceLine('new', 'other')], None)
    assert (newest.number, newest.text) == (0, 'new')
    assert (older.number, older.text, older.colour) == (1, 'old', VERMILION)
    assert newest.at[2] < older.at[2]


def test_the_board_goes_along_in_steps() -> None:
    (here,), (near,), (far,) = (
        board_markers([TraceLine('m', 'act')], Transform(x=x)) for x in (0.0, 1.0, 30.0)
    )
    assert here == near
    assert far.at[0] - here.at[0] == pytest.approx(30.0, abs=STEP_M / 2.0)
