"""The way that the adapter is driving. Lengths in m, in the world frame."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

from curiosity_viz.markers import Point, is_drawable
from rover_common.geometry.transforms import Transform

MOST_POINTS = 300

T = TypeVar('T')


@dataclass(frozen=True)
class PlannedPath:
    """Points from first to last; the last one is the goal. Empty: nothing is being driven to.

    `heading` is the rover's at the goal, in rad, counterclockwise from the x axis.
    """

    points: tuple[Point, ...] = ()
    heading: float = 0.0


def path_through(places: Sequence[Transform]) -> PlannedPath:
    """The way through these places.

    Raises:
        ValueError: A coordinate is not finite or out of sight.
    """
    if not places:
        return PlannedPath()
    heading = places[-1].yaw
    for number, place in enumerate(places):
        if not is_drawable(place.x, place.y, place.z, heading):
            raise ValueError(
                f'point {number} is ({place.x:g}, {place.y:g}, {place.z:g}) m, '
                f'the heading at the end {heading:g} rad'
            )
    return PlannedPath(tuple((place.x, place.y, place.z) for place in places), heading)


def thinned_out(places: Sequence[T]) -> list[T]:
    """At most `MOST_POINTS` of the places, evenly, the first and the last included."""
    step = -(-(len(places) - 1) // (MOST_POINTS - 1)) or 1
    return [*places[:-1:step], *places[-1:]]
