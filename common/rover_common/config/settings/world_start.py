"""Where the rover starts in a world, and that it starts in no rock. Lengths in m."""

from __future__ import annotations

from collections.abc import Iterable
import math

from rover_common.config.settings.section import Metres, Radians, Section
from rover_common.config.settings.world_features import Feature

ROOM_M = 1.5  # of the rover around the middle of its start


class WorldStart(Section):
    """The rover's pose at start."""

    x: Metres = 0.0
    y: Metres = 0.0
    yaw_rad: Radians = 0.0


def why_not_at(start: WorldStart, features: Iterable[Feature]) -> str | None:
    """Return the named rock in which the rover would be at a start; None if in none."""
    for feature in features:
        away = math.hypot(feature.x - start.x, feature.y - start.y)
        if feature.kind == 'rock' and away < feature.size_m + ROOM_M:
            return f'the rover starts in the rock {feature.name!r}; move one of them'
    return None
