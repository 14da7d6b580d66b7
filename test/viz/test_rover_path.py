"""The path stays small and true."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from curiosity_viz.rover_path import RoverPath


def test_a_rover_that_stands_still_adds_nothing() -> None:
    path = RoverPath(step=0.1)
    for x in (0.0, 0.05, 0.09, 0.11, 0.15):
        path.take((x, 0.0, 0.0))
    assert path.points == ((0.0, 0.0, 0.0), (0.11, 0.0, 0.0))


@given(st.lists(st.tuples(st.floats(-1e3, 1e3), st.floats(-1e3, 1e3), st.just(0.0))))
def test_the_path_is_bounded_and_begins_where_the_rover_began(points) -> None:
    path = RoverPath(step=0.1, most=8)
    for point in points:
        path.take(point)
        assert len(path.points) < 8
    assert path.points[:1] == tuple(points[:1])
