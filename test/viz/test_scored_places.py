"""Where a picture was scored: told with it, else where the rover was; and where it is bright."""

from __future__ import annotations

from typing import Any

from hostile_traces import good_event
import pytest

from curiosity_sim.image_score_and_ground_statistics import field_score
from curiosity_viz.markers import VIRIDIS, score_colour
from curiosity_viz.scored_places import Capture, Captures, bright_zone_markers, capture_markers
from rover_common.config.load import load_config
from rover_common.config.settings.world import BrightSpot, LightField
from rover_common.geometry.transforms import Transform
from rover_common.trace_event import event_from_json

THRESHOLDS = load_config().thresholds


GOOD = THRESHOLDS.quality.score_threshold


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


def test_the_bright_zone_spans_the_configured_range() -> None:
    (zone,) = bright_zone_markers(THRESHOLDS, None)
    low, high = THRESHOLDS.bright_zone()
    assert zone.at[0] - zone.size[0] / 2.0 == pytest.approx(low)
    assert zone.at[0] + zone.size[0] / 2.0 == pytest.approx(high)


def test_the_bright_zone_of_a_light_field_ends_where_pictures_are_just_good() -> None:
    bright = BrightSpot(x=9.0, y=0.5, sigma_m=4.5)
    field = LightField(base=0.05, spots=(bright, BrightSpot(x=0.0, y=0.0, sigma_m=1.0, peak=0.3)))
    (disc,) = bright_zone_markers(THRESHOLDS, field)
    x, y, _ = disc.at
    assert field_score(x + disc.size[0] / 2.0, y, field) == pytest.approx(GOOD)


def test_captures_wear_the_colour_of_their_score() -> None:
    places = [Capture(7, (1.0, 0.0, 0.0), 0.0), Capture(9, (2.0, 0.0, 0.0), 1.0)]
    _, balls, *labels = capture_markers(places)
    assert balls.colours == ((*VIRIDIS[0], 1.0), (*VIRIDIS[-1], 1.0))
    assert [(each.number, each.text) for each in labels] == [(7, '0.00'), (9, '1.00')]
    assert capture_markers([]) == []


def test_a_higher_score_is_lighter() -> None:
    def lightness(score: float) -> float:
        red, green, blue, _ = score_colour(score)
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue

    shades = [lightness(step / 50) for step in range(51)]
    assert shades == sorted(shades)
