"""The rover: its path stays small and true, its model needs no transform but that of the base."""

from __future__ import annotations

import math
from xml.etree.ElementTree import fromstring

from hypothesis import given
from hypothesis import strategies as st
import pytest

from curiosity_viz.markers import CHUNK
from curiosity_viz.rover_and_its_path import BODY_M, RoverPath, rover_markers, rover_urdf
from rover_common.geometry.transforms import Transform


def test_a_rover_that_stands_still_adds_nothing() -> None:
    path = RoverPath(step=0.1)
    for x in (0.0, 0.05, 0.09, 0.11, 0.15):
        path.add((x, 0.0, 0.0))
    assert path.strokes == (((0.0, 0.0, 0.0), (0.11, 0.0, 0.0)),)


def test_no_line_is_drawn_along_a_leap() -> None:
    path = RoverPath()
    for x in (0.0, 1.0, 50.0, 90.0, 91.0):
        path.add((x, 0.0, 0.0))
    assert [[x for x, _, _ in stroke] for stroke in path.strokes] == [[0.0, 1.0], [90.0, 91.0]]


def test_a_long_way_gets_coarser_and_keeps_its_ends_near() -> None:
    path = RoverPath(step=0.1, most=50)
    for number in range(1000):
        path.add((0.1 * number, 0.0, 0.0))
    (stroke,) = path.strokes
    assert stroke[0][0] == 0.0
    assert stroke[-1][0] > 95.0
    path.clear()
    path.add((0.0, 0.0, 0.0))
    path.add((0.1, 0.0, 0.0))
    assert path.strokes == (((0.0, 0.0, 0.0), (0.1, 0.0, 0.0)),)


@given(st.lists(st.tuples(st.floats(-10, 10), st.floats(-1e3, 1e3), st.just(0.0))))
def test_the_path_is_bounded_and_made_of_places_where_the_rover_was(
    points: list[tuple[float, float, float]],
) -> None:
    path = RoverPath(step=0.1, most=8)
    for point in points:
        path.add(point)
        kept = [point for stroke in path.strokes for point in stroke]
        assert len(kept) < 8
        assert set(kept) <= set(points)


def test_one_link_with_wheels_body_and_mast() -> None:
    robot = fromstring(rover_urdf('base_footprint'))
    (link,) = robot.findall('link')
    assert link.attrib['name'] == 'base_footprint'
    assert not robot.findall('joint')
    wheels = [
        each
        for each in link.findall('visual')
        if each.find('material').attrib['name'] == 'dark'  # type: ignore[union-attr]
    ]
    assert len(wheels) == 6
    for visual in link.findall('visual'):
        geometry = visual.find('geometry')
        assert geometry is not None
        assert len(list(geometry)) == 1


def test_every_colour_that_is_used_is_there() -> None:
    robot = fromstring(rover_urdf('base'))
    names = {each.attrib['name'] for each in robot.findall('material')}
    used = {each.attrib['name'] for each in robot.iter('material')}
    assert used == names


def test_the_rover_points_where_it_heads() -> None:
    body, arrow = rover_markers(Transform.planar(3.0, 1.0, math.pi / 2.0), ())
    assert body.at == (3.0, 1.0, BODY_M[2] / 2.0)
    assert arrow.turned == pytest.approx((0.0, 0.0, math.sqrt(0.5), math.sqrt(0.5)))


def test_a_path_that_grows_changes_only_its_last_piece() -> None:
    points = tuple((0.1 * number, 0.0, 0.0) for number in range(3 * CHUNK))
    before, after = (rover_markers(None, (points[:count],)) for count in (120, 121))
    assert [marker.number for marker in after] == [0, 1, 2]
    assert before[:2] == after[:2]
    assert before[2] != after[2]
    assert before[0].points[-1] == before[1].points[0]
    assert rover_markers(None, (points[:1],)) == []
