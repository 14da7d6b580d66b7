"""Each layer: what of the scene it shows, where, and under which identity."""

from __future__ import annotations

import math

import pytest

from curiosity_sim.image_scorer import field_score
from curiosity_viz.executive_mode_and_requests import ExecutiveReport
from curiosity_viz.layers import (
    bright_zone,
    capture_balls,
    keep_out,
    mode_and_score,
    navigation,
    remembered,
    rover,
    trace_board,
)
from curiosity_viz.layers.remembered import LARGEST_M, MOST_PLACES, drawable_places
from curiosity_viz.markers import CHUNK, Marker
from curiosity_viz.palette import GREEN, ORANGE, VERMILION, VIRIDIS, score_colour
from curiosity_viz.planned_path import PlannedPath
from curiosity_viz.scored_places import Capture
from curiosity_viz.trace_lines import TraceLine
from rover_common.config.load import load_config
from rover_common.config.settings import KeepOutZone
from rover_common.config.settings.world import BrightSpot, LightField
from rover_common.geometry.transforms import Transform

THRESHOLDS = load_config().thresholds
GOOD = THRESHOLDS.quality.score_threshold
ZONE = KeepOutZone(name='crater', polygon=((0.0, 0.0), (4.0, 0.0), (4.0, 4.0), (0.0, 4.0)))


def named(markers: list[Marker], name: str) -> list[Marker]:
    return [marker for marker in markers if marker.name == name]


def test_the_bright_zone_spans_the_configured_range() -> None:
    (zone,) = bright_zone.markers(THRESHOLDS, None)
    low, high = THRESHOLDS.bright_zone()
    assert zone.at[0] - zone.size[0] / 2.0 == pytest.approx(low)
    assert zone.at[0] + zone.size[0] / 2.0 == pytest.approx(high)


def test_the_bright_zone_of_a_light_field_ends_where_pictures_are_just_good() -> None:
    bright = BrightSpot(x=9.0, y=0.5, sigma_m=4.5)
    field = LightField(base=0.05, spots=(bright, BrightSpot(x=0.0, y=0.0, sigma_m=1.0, peak=0.3)))
    (disc,) = bright_zone.markers(THRESHOLDS, field)
    x, y, _ = disc.at
    assert field_score(x + disc.size[0] / 2.0, y, field) == pytest.approx(GOOD)


def test_the_newest_event_is_the_lowest_line_and_keeps_its_identity() -> None:
    newest, older = trace_board.markers(
        [TraceLine('old', 'failed'), TraceLine('new', 'other')], None
    )
    assert (newest.number, newest.text) == (0, 'new')
    assert (older.number, older.text, older.colour) == (1, 'old', VERMILION)
    assert newest.at[2] < older.at[2]


def test_the_board_goes_along_in_steps() -> None:
    (here,), (near,), (far,) = (
        trace_board.markers([TraceLine('m', 'act')], Transform(x=x)) for x in (0.0, 1.0, 30.0)
    )
    assert here == near
    assert far.at[0] - here.at[0] == pytest.approx(30.0, abs=trace_board.STEP_M / 2.0)


def test_the_score_hangs_over_the_rover_and_turns_green_when_good() -> None:
    for score, colour in ((GOOD, GREEN), (GOOD - 0.1, ORANGE)):
        made = mode_and_score.markers(
            ExecutiveReport('EXEC'), score, GOOD, Transform(4.0, 1.0, 0.5)
        )
        (sign,) = named(made, 'score')
        assert (sign.text, sign.colour) == (f'{score:.2f}', colour)
        assert sign.at[:2] == (4.0, 1.0)


def test_what_waits_for_approval_stands_above_everything_in_order() -> None:
    made = mode_and_score.markers(
        ExecutiveReport('EXEC', '', ('first', 'second')), 0.5, GOOD, None
    )
    above = sorted(made, key=lambda marker: marker.at[2])
    assert [marker.text for marker in above] == ['EXEC', '0.50', 'second', 'first']


def test_the_rover_points_where_it_heads() -> None:
    body, arrow = rover.markers(Transform.planar(3.0, 1.0, math.pi / 2.0), ())
    assert body.at == (3.0, 1.0, rover.BODY_M[2] / 2.0)
    assert arrow.turned == pytest.approx((0.0, 0.0, math.sqrt(0.5), math.sqrt(0.5)))


def test_a_path_that_grows_changes_only_its_last_piece() -> None:
    points = tuple((0.1 * number, 0.0, 0.0) for number in range(3 * CHUNK))
    before, after = (rover.markers(None, (points[:count],)) for count in (120, 121))
    assert [marker.number for marker in after] == [0, 1, 2]
    assert before[:2] == after[:2]
    assert before[2] != after[2]
    assert before[0].points[-1] == before[1].points[0]
    assert rover.markers(None, (points[:1],)) == []


def test_captures_wear_the_colour_of_their_score() -> None:
    places = [Capture(7, (1.0, 0.0, 0.0), 0.0), Capture(9, (2.0, 0.0, 0.0), 1.0)]
    _, balls, *labels = capture_balls.markers(places)
    assert balls.colours == ((*VIRIDIS[0], 1.0), (*VIRIDIS[-1], 1.0))
    assert [(each.number, each.text) for each in labels] == [(7, '0.00'), (9, '1.00')]
    assert capture_balls.markers([]) == []


def test_a_higher_score_is_lighter() -> None:
    def lightness(score: float) -> float:
        red, green, blue, _ = score_colour(score)
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue

    shades = [lightness(step / 50) for step in range(51)]
    assert shades == sorted(shades)


def test_the_goal_stands_at_the_end_of_the_way() -> None:
    way = PlannedPath(((0.0, 0.0, 0.0), (5.0, 2.0, 1.0)), math.pi)
    made = navigation.markers(way)
    post, arrow = named(made, 'navigation_goal')
    assert post.at[:2] == arrow.at[:2] == (5.0, 2.0)
    assert arrow.turned == pytest.approx((0.0, 0.0, 1.0, 0.0), abs=1e-9)
    assert len(named(made, 'navigation_path')) == 1
    assert navigation.markers(PlannedPath()) == []


def test_a_fence_goes_round_the_zone_and_its_name_stands_inside() -> None:
    made = keep_out.markers([ZONE, KeepOutZone(name='', polygon=ZONE.polygon)])
    fence, nameless = named(made, 'keep_out')
    assert (fence.number, nameless.number) == (0, 1)
    assert {(x, y) for x, y, _ in fence.points} == set(ZONE.polygon)
    assert len(fence.points) == 6 * len(ZONE.polygon)
    (name,) = named(made, 'keep_out_name')
    assert name.text == 'crater'
    assert all(0.0 < coordinate < 4.0 for coordinate in name.at[:2])


def test_a_remembered_thing_has_a_post_a_disc_and_its_name() -> None:
    places = drawable_places([('rock/Bishop', (4.0, 1.0, 0.5), 1.6)])
    post, disc, name = remembered.markers(places)
    assert (name.text, name.at[:2]) == ('Bishop', (4.0, 1.0))
    assert post.at[2] - post.size[2] / 2.0 == pytest.approx(0.5)
    assert disc.size[:2] == (1.6, 1.6)
    assert len({marker.key for marker in (post, disc, name)}) == 3


def test_a_remembered_area_is_its_name_alone() -> None:
    (sign,) = remembered.markers(drawable_places([('area/the ridge', (4.0, 1.0, 0.0), 30.0)]))
    assert (sign.name, sign.text) == ('remembered_area', 'the ridge')


def test_what_the_memory_tells_may_be_anything() -> None:
    odd = drawable_places(
        [('rock/\x1b岩', (0.0, 0.0, 0.0), 1e4), ('', (0.0, 0.0, 0.0), -1.0),
         ('rock/far', (math.inf, 0.0, 0.0), 1.0), ('rock/odd', (0.0, 0.0, 0.0), math.nan)]
    )  # fmt: skip
    assert [place.width for place in odd] == [LARGEST_M, 0.0]
    assert all(marker.text.isascii() for marker in remembered.markers(odd))
    assert len(remembered.markers(odd)) == 5  # no sign where nothing is left of the name
    with pytest.raises(ValueError, match=f'more than {MOST_PLACES}'):
        drawable_places([('rock/A', (0.0, 0.0, 0.0), 1.0)] * (MOST_PLACES + 1))
