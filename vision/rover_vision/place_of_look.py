"""Where the rover stood when it looked, and what its memory has in that direction. Pure.

What the memory has there was not seen by this look. It is kept beside the picture as a reference,
and nothing of an episode ever goes back into the memory:
docs/decisions/0053-an-episode-points-at-places.md.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
import math
from typing import Any

from rover_common.finite_number import finite_number
from rover_common.printable import one_line

POSE_MAX_AGE_S = 3.0  # between a picture and the pose that counts for it
MOST_REMEMBERED = 20
LONGEST_NAME = 120
GONE = 'RETRACTED'  # somebody looked, and it was not there


@dataclass(frozen=True)
class Sight:
    """What counts as looked at: m from the robot, and rad to each side of its heading."""

    view_m: float
    half_view_rad: float


@dataclass(frozen=True)
class Remembered:
    """A thing that the memory has there. `place_id`: of the memory; `away_m`: from the robot."""

    place_id: str
    name: str
    away_m: float


@dataclass(frozen=True)
class Place:
    """Where the robot stood, in the world frame: m, and heading in rad."""

    x: float
    y: float
    yaw: float
    remembered: Sequence[Remembered] = ()

    def as_data(self) -> dict[str, Any]:
        """As JSON values."""
        return asdict(self)

    def in_words(self) -> str:
        """What the memory has there, in a sentence that says that it was not seen; or nothing."""
        if not self.remembered:
            return ''
        things = ', '.join(f'{each.name} ({each.away_m:.1f} m)' for each in self.remembered)
        return f'Remembered in this direction, not seen now: {things}.'


def place_of(
    pose: tuple[float, float, float], at: Any, places: Any, stamp_s: float, sight: Sight
) -> Place | None:
    """The place of a picture; None if it is not known.

    Args:
        pose: Of a robot that stands: x and y in m, heading in rad; NaN is unknown.
        at: When the robot was there, ROS s.
        places: What its memory has, as in `world.places` of the executive's state.
        stamp_s: When the picture was taken, ROS s.
        sight: What counts as looked at.
    """
    seconds = finite_number(at)
    if seconds is None or abs(seconds - stamp_s) > POSE_MAX_AGE_S:
        return None
    if not all(map(math.isfinite, pose)):
        return None
    x, y, yaw = (round(each, 3) for each in pose)
    found = sorted(_there(places, (x, y, yaw), sight), key=lambda each: each.away_m)
    return Place(x, y, yaw, tuple(found[:MOST_REMEMBERED]))


def _there(places: Any, pose: tuple[float, float, float], sight: Sight) -> Iterator[Remembered]:
    for each in places if isinstance(places, list) else ():
        if not isinstance(each, Mapping) or each.get('state') == GONE:
            continue
        x, y = finite_number(each.get('x')), finite_number(each.get('y'))
        name, place_id = each.get('name'), each.get('id')
        if x is None or y is None or not name or not place_id:
            continue
        away = math.dist((x, y), pose[:2])
        aside = math.remainder(math.atan2(y - pose[1], x - pose[0]) - pose[2], math.tau)
        if away <= sight.view_m and abs(aside) <= sight.half_view_rad:
            yield Remembered(
                f'{place_id:.{LONGEST_NAME}}', one_line(str(name))[:LONGEST_NAME], round(away, 2)
            )
