"""The way to the goal: its ends stay, its middle is thinned out."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
import pytest

from curiosity_viz.planned_path import MOST_POINTS, PlannedPath, path_through, thinned_out
from rover_common.geometry.transforms import Transform


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
