"""Thousands of hostile texts for the trace: nothing ends it, nothing grows, RViz can draw it."""

from __future__ import annotations

import json

from hostile_traces import assert_drawable, good_event, hostile_texts
from hypothesis import example, given
from hypothesis import strategies as st
import pytest

from curiosity_viz.scene import Scene, build_markers
from curiosity_viz.scored_places import Captures
from curiosity_viz.trace_board import LONGEST_LINE, TraceView
from rover_common.config.load import load_config
from rover_common.geometry.transforms import Transform
from rover_common.trace_event import TraceEvent, event_to_json

CONFIG = load_config()
SIZE = CONFIG.thresholds.trace.buffer_size

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
    {}, optional=dict.fromkeys(('event_id', 'ts', 'kind', 'message', 'score', 'data'), json_values)
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


class Eyes:
    """What the node keeps of the trace; the rover's pose is known."""

    def __init__(self) -> None:
        self.trace, self.captures = TraceView(SIZE), Captures()
        self.taken = 0

    def take(self, text: str) -> None:
        try:
            event = self.trace.apply(text)
        except ValueError:
            return
        self.captures.apply(event, lambda at: Transform(x=1.0, stamp=at or 0.0))
        self.taken += 1

    def scene(self) -> Scene:
        trace = self.trace
        return Scene(lines=trace.lines, score=trace.score, captures=self.captures.places)


@pytest.mark.slow
@given(st.lists(traces, max_size=2 * SIZE))
@example(['[' * 100_000])
@example(['{"event_id": "\\ud800", "ts": 1, "kind": "ACT", "message": ""}'])
@example([good_event('a\x00b\nc')])
@example([good_event('m', data={'result': {'stats': {'rover_x': 10**400, 'rover_y': 0}}})])
def test_any_trace_gives_markers_that_rviz_can_draw(texts: list[str]) -> None:
    eyes = Eyes()
    for text in texts:
        eyes.take(text)
    markers = build_markers(eyes.scene(), CONFIG)
    assert_drawable(markers)
    lines = [marker.text for marker in markers if marker.name == 'trace']
    assert len(lines) == min(SIZE, eyes.taken)
    assert all(len(line) <= LONGEST_LINE for line in lines)


@pytest.mark.slow
@pytest.mark.parametrize('seed', [1, 2])
def test_a_flood_of_hostile_texts_leaves_a_bounded_scene(seed: int) -> None:
    eyes = Eyes()
    for number, text in enumerate(hostile_texts(seed, 2500)):
        eyes.take(text)
        if number % 50 == 0:
            assert_drawable(build_markers(eyes.scene(), CONFIG))
    assert 0 < eyes.taken < 2500, 'the texts shall be neither all good nor all bad'
    eyes.take(good_event('still here'))
    assert eyes.trace.lines[-1].text == 'ACT still here'
