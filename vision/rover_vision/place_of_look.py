"""The pose of the rover at a look, and remembered places in its field of view. Pure.

These places are not seen in the picture. They are stored beside it as a reference, and nothing of
an episode ever returns to the memory:
docs/decisions/0053-an-episode-points-at-places.md.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
import math
from typing import Any

from rover_common.json_values import finite_number
from rover_common.text_sanitizing import one_line

POSE_MAX_AGE_S = 3.0  # between a picture and its pose
MOST_REMEMBERED = 20
LONGEST_NAME = 120
SAME_PLACE_M, SAME_HEADING_RAD = 0.1, 0.05  # noise of the pose of a rover that stands
GONE = 'RETRACTED'  # the state of a place that was found absent


@dataclass(frozen=True)
class Sight:
    """The field of view: m from the robot, and rad to each side of its heading."""

    view_m: float
    half_view_rad: float


@dataclass(frozen=True)
class Remembered:
    """A remembered thing. `place_id`: in the memory; `away_m`: from the robot."""

    place_id: str
    name: str
    away_m: float


@dataclass(frozen=True)
class Place:
    """The pose of the robot in the world frame: m, and heading in rad."""

    x: float
    y: float
    yaw: float
    remembered: Sequence[Remembered] = ()

    def as_data(self) -> dict[str, Any]:
        """Return it as JSON values."""
        return asdict(self)

    def as_text(self) -> str:
        """Return a sentence on the remembered things, which are not seen now; empty: none."""
        if not self.remembered:
            return ''
        things = ', '.join(f'{each.name} ({each.away_m:.1f} m)' for each in self.remembered)
        return f'Remembered in this direction, not seen now: {things}.'


def place_of(
    pose: tuple[float, float, float], at: Any, places: Any, stamp_s: float, sight: Sight
) -> Place | None:
    """Return the place of a picture; None: unknown.

    Args:
        pose: Of a standing robot: x and y in m, heading in rad; NaN is unknown.
        at: ROS time of the pose, s.
        places: Of its memory, as in `world.places` of the executive's state.
        stamp_s: ROS time of the picture, s.
        sight: The field of view.
    """
    seconds = finite_number(at)
    if seconds is None or abs(seconds - stamp_s) > POSE_MAX_AGE_S:
        return None
    if not all(map(math.isfinite, pose)):
        return None
    x, y, yaw = (round(each, 3) for each in pose)
    found = sorted(_there(places, (x, y, yaw), sight), key=lambda each: each.away_m)
    return Place(x, y, yaw, tuple(found[:MOST_REMEMBERED]))


def is_same_place(one: Place | None, other: Place | None) -> bool:
    """Return whether two pictures are of one view; of unknown places if both are unknown."""
    if one is None or other is None:
        return one is other
    turned = abs(math.remainder(one.yaw - other.yaw, math.tau))
    is_near = math.dist((one.x, one.y), (other.x, other.y)) <= SAME_PLACE_M
    return is_near and turned <= SAME_HEADING_RAD


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
