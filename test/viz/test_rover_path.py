"""The path stays small and true."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from curiosity_viz.rover_path import RoverPath


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
