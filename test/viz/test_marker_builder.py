"""The builder over any trace: stable identities, bounded lines, nothing that ends it."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import example, given
from hypothesis import strategies as st
import pytest

from bt_executive.config import load_config
from bt_executive.trace.event import TraceEvent, event_to_json
from curiosity_viz.marker_builder import (
    GREEN,
    LONGEST_LINE,
    RED,
    Scene,
    build_markers,
    event_line,
    gone,
)
from curiosity_viz.trace_view import TraceView

THRESHOLDS = load_config().thresholds
SIZE = THRESHOLDS.trace.buffer_size

events = st.builds(
    TraceEvent,
    event_id=st.text(),
    ts=st.floats(allow_nan=False, allow_infinity=False),
    kind=st.sampled_from(['OBSERVE', 'HYPOTHESIZE', 'DECIDE', 'ACT', 'RESULT', 'ERROR']),
    message=st.text(),
    tool_name=st.none() | st.text(),
    ok=st.none() | st.booleans(),
    error_reason=st.none() | st.text(),
    score=st.none() | st.floats(allow_nan=False, allow_infinity=False),
)
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=10,
)
almost_events = st.fixed_dictionaries(
    {}, optional=dict.fromkeys(('event_id', 'ts', 'kind', 'message', 'score'), json_values)
)
traces = st.one_of(
    events.map(event_to_json),
    events.map(event_to_json).flatmap(
        lambda text: st.integers(0, len(text)).map(lambda cut: text[:cut])
    ),
    almost_events.map(json.dumps),
    json_values.map(json.dumps),
    st.text(),
)


def event(**changes: Any) -> TraceEvent:
    return TraceEvent(**({'event_id': 'e', 'ts': 1.0, 'kind': 'ACT', 'message': 'm'} | changes))


@given(st.lists(traces, max_size=2 * SIZE))
@example(['[' * 100_000])
@example(['{"event_id": "\\ud800", "ts": 1, "kind": "ACT", "message": ""}'])
@example([event_to_json(event(message='a\x00b\nc'))])
def test_any_trace_gives_markers_with_unique_identities(texts: list[str]) -> None:
    view = TraceView(SIZE)
    faults = [view.take(text) for text in texts]
    markers = build_markers(Scene(view.events, view.score), THRESHOLDS)
    assert len({marker.key for marker in markers}) == len(markers)
    lines = [marker.text for marker in markers if marker.name == 'trace']
    assert len(lines) == min(SIZE, faults.count(''))
    for line in lines:
        assert len(line) <= LONGEST_LINE
        assert line.isprintable()
        line.encode('utf-8')


def test_a_broken_event_changes_nothing_and_is_explained() -> None:
    view = TraceView(SIZE)
    view.take(event_to_json(event(score=0.5)))
    assert 'kind' in view.take('{"event_id": "1", "ts": 0.0, "kind": "SING", "message": "la"}')
    assert 'JSON' in view.take('not at all')
    assert (len(view.events), view.score) == (1, 0.5)


def test_the_newest_event_is_the_lowest_line_and_keeps_its_identity() -> None:
    markers = build_markers(Scene([event(message='old'), event(message='new')]), THRESHOLDS)
    first, second = (marker for marker in markers if marker.name == 'trace')
    assert (first.number, first.text) == (0, 'ACT new')
    assert (second.number, second.text) == (1, 'ACT old')
    assert first.at[2] < second.at[2]


def test_a_refusal_reads_as_one() -> None:
    refused = event(
        kind='RESULT', tool_name='move_nudge', ok=False, error_reason='Need to close mast'
    )
    assert event_line(refused) == 'RESULT move_nudge failed (Need to close mast) m'
    (_, line) = build_markers(Scene([refused]), THRESHOLDS)
    assert line.colour == RED


def test_the_zone_spans_the_configured_range() -> None:
    (zone,) = build_markers(Scene(), THRESHOLDS)
    low, high = THRESHOLDS.viz.bright_zone_x_min, THRESHOLDS.viz.bright_zone_x_max
    assert zone.at[0] - zone.size[0] / 2.0 == pytest.approx(low)
    assert zone.at[0] + zone.size[0] / 2.0 == pytest.approx(high)


def test_the_score_hangs_over_the_rover_and_turns_green_when_good() -> None:
    (_, score) = build_markers(Scene(score=0.8, rover=(4.0, 1.0, 0.0)), THRESHOLDS)
    assert (score.name, score.text, score.colour) == ('score', '0.8', GREEN)
    assert score.at[:2] == (4.0, 1.0)


def test_a_path_needs_two_points() -> None:
    origin, there = (0.0, 0.0, 0.0), (1.0, 0.0, 0.0)
    assert len(build_markers(Scene(path=(origin,)), THRESHOLDS)) == 1
    (_, path) = build_markers(Scene(path=(origin, there)), THRESHOLDS)
    assert path.points == (origin, there)


def test_what_is_no_longer_there_is_deleted() -> None:
    before = build_markers(Scene([event(), event()], score=0.1), THRESHOLDS)
    after = build_markers(Scene([event()]), THRESHOLDS)
    assert gone(before, after) == (('trace', 1), ('score', 0))
