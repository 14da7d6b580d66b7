"""Shortest paths of a car that cannot reverse: three pieces, each an arc or a straight line.

The six words and their formulas: A. M. Shkel, V. Lumelsky, "Classification of the Dubins set",
Robotics and Autonomous Systems 34 (2001), after L. E. Dubins (1957). No library offers them to
all Pythons that this project runs on: `dubins` needs a compiler, `rsplan` reverses.
"""

from __future__ import annotations

from collections.abc import Iterator
import math

from curiosity_navigation.vehicle_model import (
    FORWARD,
    LEFT,
    RIGHT,
    MotionName,
    Segment,
    VehicleModel,
)
from rover_common.geometry.planar_motion import Pose2D

TurnSequence = tuple[MotionName, MotionName, MotionName]
# An arc of nearly a full turn is a rounding error away from none at all.
NEARLY_FULL_RAD = math.tau - 1e-6


def paths_to(start: Pose2D, goal: Pose2D, vehicle: VehicleModel) -> Iterator[list[Segment]]:
    """Every word that leads from one place to another, headings included."""
    dx, dy = goal.x - start.x, goal.y - start.y
    distance = math.hypot(dx, dy) / vehicle.radius_m
    bearing = math.atan2(dy, dx)
    alpha, beta = (start.yaw - bearing) % math.tau, (goal.yaw - bearing) % math.tau
    for sequence, lengths in _sequences(alpha, beta, distance):
        yield [
            Segment(motion, length * vehicle.radius_m)
            for motion, length in zip(sequence, lengths, strict=True)
            if length > 0.0
        ]


def paths_to_point(
    start: Pose2D, x: float, y: float, vehicle: VehicleModel
) -> Iterator[list[Segment]]:
    """Paths that end at a point with any heading: an arc, then straight on."""
    for motion, side in ((LEFT, 1.0), (RIGHT, -1.0)):
        # The point as seen from the circle's centre, in a frame where the rover turns left.
        centre_x = start.x - side * vehicle.radius_m * math.sin(start.yaw)
        centre_y = start.y + side * vehicle.radius_m * math.cos(start.yaw)
        reach = math.hypot(x - centre_x, y - centre_y)
        if reach < vehicle.radius_m:
            continue
        straight = math.sqrt(reach * reach - vehicle.radius_m * vehicle.radius_m)
        bearing = side * (math.atan2(y - centre_y, x - centre_x) - start.yaw)
        turned = _turn(bearing - math.atan2(straight, vehicle.radius_m) + math.pi / 2.0)
        yield [
            segment
            for segment in (Segment(motion, turned * vehicle.radius_m), Segment(FORWARD, straight))
            if segment.length > 0.0
        ]


def _turn(angle: float) -> float:
    """The angle as a turn of the car, not negative and less than a full one."""
    turned = angle % math.tau
    return 0.0 if turned > NEARLY_FULL_RAD else turned


def _sequences(
    alpha: float, beta: float, d: float
) -> Iterator[tuple[TurnSequence, tuple[float, float, float]]]:
    """Angles of the arcs and length of the straight line, all in units of the radius.

    `alpha` and `beta` are the headings at begin and end, seen along the line between both;
    `d` is its length.
    """
    sin_a, sin_b = math.sin(alpha), math.sin(beta)
    cos_a, cos_b, cos_ab = math.cos(alpha), math.cos(beta), math.cos(alpha - beta)

    square = 2.0 + d * d - 2.0 * cos_ab + 2.0 * d * (sin_a - sin_b)
    if square >= 0.0:
        to = math.atan2(cos_b - cos_a, d + sin_a - sin_b)
        yield (LEFT, FORWARD, LEFT), (_turn(to - alpha), math.sqrt(square), _turn(beta - to))

    square = 2.0 + d * d - 2.0 * cos_ab + 2.0 * d * (sin_b - sin_a)
    if square >= 0.0:
        to = math.atan2(cos_a - cos_b, d - sin_a + sin_b)
        yield (RIGHT, FORWARD, RIGHT), (_turn(alpha - to), math.sqrt(square), _turn(to - beta))

    square = -2.0 + d * d + 2.0 * cos_ab + 2.0 * d * (sin_a + sin_b)
    if square >= 0.0:
        p = math.sqrt(square)
        to = math.atan2(-cos_a - cos_b, d + sin_a + sin_b) - math.atan2(-2.0, p)
        yield (LEFT, FORWARD, RIGHT), (_turn(to - alpha), p, _turn(to - beta))

    square = -2.0 + d * d + 2.0 * cos_ab - 2.0 * d * (sin_a + sin_b)
    if square >= 0.0:
        p = math.sqrt(square)
        to = math.atan2(cos_a + cos_b, d - sin_a - sin_b) - math.atan2(2.0, p)
        yield (RIGHT, FORWARD, LEFT), (_turn(alpha - to), p, _turn(beta - to))

    cosine = (6.0 - d * d + 2.0 * cos_ab + 2.0 * d * (sin_a - sin_b)) / 8.0
    if abs(cosine) <= 1.0:
        p = math.tau - math.acos(cosine)
        t = _turn(alpha - math.atan2(cos_a - cos_b, d - sin_a + sin_b) + p / 2.0)
        yield (RIGHT, LEFT, RIGHT), (t, p, _turn(alpha - beta - t + p))

    cosine = (6.0 - d * d + 2.0 * cos_ab + 2.0 * d * (sin_b - sin_a)) / 8.0
    if abs(cosine) <= 1.0:
        p = math.tau - math.acos(cosine)
        t = _turn(-alpha - math.atan2(cos_a - cos_b, d + sin_a - sin_b) + p / 2.0)
        yield (LEFT, RIGHT, LEFT), (t, p, _turn(beta - alpha - t + p))
