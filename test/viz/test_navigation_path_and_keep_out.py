"""The path to the goal keeps its ends; keep-out zones are drawn as far as one sees."""

from __future__ import annotations

import math

from hypothesis import given
from hypothesis import strategies as st
import pytest

from curiosity_viz.markers import FARTHEST_M, Marker
from curiosity_viz.navigation_path_and_keep_out import (
    MOST_POINTS,
    PlannedPath,
    drawable_zones,
    is_in_sight,
    keep_out_markers,
    navigation_markers,
    path_through,
    thinned_out,
)
from rover_common.config.settings import KeepOutZone
from rover_common.config.settings.keep_out_zone import MOST_CORNERS
from rover_common.geometry.keep_out import MOST_ZONES, SOURCES
from rover_common.geometry.transforms import Transform


def named(markers: list[Marker], name: str) -> list[Marker]:
    return [marker for marker in markers if marker.name == name]


@given(st.integers(0, 5 * MOST_POINTS))
def test_a_way_of_any_length_is_bounded_and_keeps_its_ends(count: int) -> None:
    places = range(count)
    kept = thinned_out(places)
    assert len(kept) <= MOST_POINTS
    assert kept == sorted(set(kept))
    assert kept[:1] == list(places[:1])
    assert kept[-1:] == list(places[-1:])


def test_the_goal_is_where_the_way_ends() -> None:
    way = path_through([Transform(), Transform.planar(3.0, 4.0, 1.0)])
    assert way.points[-1] == (3.0, 4.0, 0.0)
    assert way.heading == pytest.approx(1.0)
    assert path_through([]) == PlannedPath()


@pytest.mark.parametrize(
    'bad', [Transform(x=float('nan')), Transform(y=1e300), Transform(qw=float('nan'))]
)
def test_a_place_that_cannot_be_drawn_is_named(bad: Transform) -> None:
    with pytest.raises(ValueError, match='point'):
        path_through([Transform(), bad])


ZONE = KeepOutZone(name='crater', polygon=((0.0, 0.0), (4.0, 0.0), (4.0, 4.0)))


def zone(*corners: tuple[float, float]) -> KeepOutZone:
    return KeepOutZone(name='odd', polygon=corners)


def test_zones_come_as_they_were_told() -> None:
    assert drawable_zones((ZONE,)) == (ZONE,)


def test_a_zone_that_reaches_out_of_sight_is_drawn_up_to_there_beside_the_others() -> None:
    far = zone((0, 0), (1e6, 0), (1e6, 1e6))
    beyond = zone((1e6, 0), (2e6, 0), (2e6, 1e6))
    fork = [(0.0, 0.0), (-2e5, 0.0), (-2e5, 9.0), (0.0, 9.0), (0.0, 6.0), (-1.5e5, 6.0)]
    split = zone(*fork, (-1.5e5, 3.0), (0.0, 3.0))
    crater, part, *others = drawable_zones((ZONE, far, beyond))
    assert (crater, others) == (ZONE, [])
    assert {*part.polygon} == {(0.0, 0.0), (FARTHEST_M, 0.0), (FARTHEST_M, FARTHEST_M)}
    parts = drawable_zones((split,))
    assert len(parts) == 2
    assert all(map(is_in_sight, (part, *parts)))
    assert all(each.name == 'odd' for each in (part, *parts))


def test_every_zone_that_holds_is_drawn() -> None:
    large = zone(*((x / 10.0, x * x / 100.0) for x in range(MOST_CORNERS)))
    zones = (large, *[ZONE] * (SOURCES * MOST_ZONES - 1))
    made = keep_out_markers(drawable_zones(zones))
    assert len(named(made, 'keep_out')) == len(zones)
    assert len({marker.key for marker in made}) == len(made)


def test_the_goal_stands_at_the_end_of_the_way() -> None:
    way = PlannedPath(((0.0, 0.0, 0.0), (5.0, 2.0, 1.0)), math.pi)
    made = navigation_markers(way)
    post, arrow = named(made, 'navigation_goal')
    assert post.at[:2] == arrow.at[:2] == (5.0, 2.0)
    assert arrow.turned == pytest.approx((0.0, 0.0, 1.0, 0.0), abs=1e-9)
    assert len(named(made, 'navigation_path')) == 1
    assert navigation_markers(PlannedPath()) == []


def test_a_fence_goes_round_the_zone_and_its_name_stands_inside() -> None:
    made = keep_out_markers([ZONE, KeepOutZone(name='', polygon=ZONE.polygon)])
    fence, nameless = named(made, 'keep_out')
    assert (fence.number, nameless.number) == (0, 1)
    assert {(x, y) for x, y, _ in fence.points} == set(ZONE.polygon)
    assert len(fence.points) == 6 * len(ZONE.polygon)
    (name,) = named(made, 'keep_out_name')
    assert name.text == 'crater'
    assert all(0.0 < coordinate < 4.0 for coordinate in name.at[:2])
