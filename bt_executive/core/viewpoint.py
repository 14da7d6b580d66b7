"""The viewpoint from which the robot checks whether something is where the memory has it."""

from __future__ import annotations

from dataclasses import dataclass
import math

from rover_common.geometry.pose2d import Pose2D

TOO_NEAR_M = 2.0  # from the edge of a thing that the robot stands beside, it may be below the view


@dataclass(frozen=True)
class RememberedPlace:
    """The result of a recall: position and radius, m in the world frame.

    `named`: the place was named by somebody, and the robot is there within its radius.
    """

    place_id: str
    name: str
    x: float
    y: float
    radius_m: float = 0.5
    named: bool = False


@dataclass(frozen=True)
class View:
    """The robot's field of view: range, and half angle around its heading."""

    view_m: float
    half_view_rad: float
    standoff_m: float


def is_in_view(robot: Pose2D, place: RememberedPlace, view: View) -> bool:
    """Return whether a place is in view without a drive, if nothing is in between.

    A named place has nothing to see: the robot is there, or it is not.
    """
    away = math.dist((robot.x, robot.y), (place.x, place.y))
    if place.named:
        return away <= place.radius_m
    aside = math.remainder(_bearing(robot, place) - robot.yaw, math.tau)
    near_enough = place.radius_m + TOO_NEAR_M <= away <= view.view_m + place.radius_m
    return near_enough and abs(aside) <= view.half_view_rad


def viewpoint(robot: Pose2D, place: RememberedPlace, view: View) -> Pose2D:
    """Return where to drive: on the straight line to the place, at the standoff, facing it.

    At a named place, the viewpoint is the place itself.
    """
    bearing = _bearing(robot, place)
    away = 0.0 if place.named else place.radius_m + view.standoff_m
    return Pose2D(place.x - away * math.cos(bearing), place.y - away * math.sin(bearing), bearing)


def _bearing(robot: Pose2D, place: RememberedPlace) -> float:
    return math.atan2(place.y - robot.y, place.x - robot.x)
