"""Where a picture was scored: told with it, else where the rover was."""

from __future__ import annotations

from typing import Any

from hostile_traces import good_event
import pytest

from curiosity_viz.scored_places import Captures
from rover_common.geometry.transforms import Transform
from rover_common.trace_event import event_from_json


def take(captures: Captures, pose: Transform | None = None, **changes: Any) -> None:
    fields: dict[str, Any] = {'tool_name': 'capture_and_score', 'score': 0.5, **changes}
    captures.apply(event_from_json(good_event('m', **fields)), lambda _at: pose)


def told(x: Any, y: Any) -> dict[str, Any]:
    return {'result': {'stamp': 3.0, 'stats': {'rover_x': x, 'rover_y': y}}}


def test_the_place_that_was_told_counts_at_the_rovers_height() -> None:
    captures = Captures()
    take(captures, Transform(9.0, 9.0, 0.4), data=told(1, 2.5))
    assert [each.at for each in captures.places] == [(1.0, 2.5, 0.4)]


@pytest.mark.parametrize('x', [None, 'near', [], 10**400, float('1e300')])
def test_else_the_rover_tells(x: Any) -> None:
    captures = Captures()
    take(captures, None, data=told(x, 0.0))
    assert [*captures.places] == []
    take(captures, Transform(9.0, 8.0), data=told(x, 0.0))
    assert [each.at for each in captures.places] == [(9.0, 8.0, 0.0)]


@pytest.mark.parametrize(
    ('stamp', 'asked'), [(3.5, [3.5]), (-1.0, [None]), (1e300, [None]), ('x', [None])]
)
def test_the_rover_is_looked_for_at_the_pictures_stamp(stamp: Any, asked: list[float]) -> None:
    times: list[float | None] = []

    def whereabouts(at: float | None) -> Transform:
        times.append(at)
        return Transform()

    event = good_event('m', tool_name='look', score=0.1, data={'result': {'stamp': stamp}})
    Captures().apply(event_from_json(event), whereabouts)
    assert times == asked


@pytest.mark.parametrize(
    'changes', [{'score': None}, {'score': 1.5}, {'ok': False}, {'tool_name': None}]
)
def test_other_events_are_no_captures(changes: dict[str, Any]) -> None:
    captures = Captures()
    take(captures, Transform(), **changes)
    assert [*captures.places] == []


def test_a_place_keeps_its_number_and_shows_its_latest_score() -> None:
    captures = Captures(most=2)
    for x, score in ((0.0, 0.1), (5.0, 0.2), (0.3, 0.9)):
        take(captures, score=score, data=told(x, 0.0))
    assert [(each.number, each.score) for each in captures.places] == [(0, 0.9), (1, 0.2)]
    take(captures, score=0.4, data=told(9.0, 0.0))
    assert [each.number for each in captures.places] == [1, 2]
