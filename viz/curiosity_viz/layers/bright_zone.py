"""Where pictures turn out good: on the ground, in the colour of sunlight."""

from __future__ import annotations

import math

from curiosity_viz.markers import Marker
from curiosity_viz.palette import YELLOW, faint
from rover_common.config.settings import Thresholds
from rover_common.config.settings.world import BrightSpot, LightField

NAMES = ('bright_zone',)

SUNLIGHT = faint(YELLOW, 0.25)
WIDTH_M = 10.0  # the light model depends on x only
THICKNESS_M = 0.02


def markers(thresholds: Thresholds, light: LightField | None) -> list[Marker]:
    """The range of x of thresholds.yaml; in a world with a light of its own, its bright spots."""
    if light is None:
        return [_strip(thresholds)]
    good = thresholds.quality.score_threshold
    return [
        _disc(number, spot, _radius(spot, light.base, good))
        for number, spot in enumerate(light.spots)
        if spot.peak > good > light.base
    ]


def _strip(thresholds: Thresholds) -> Marker:
    first, last = thresholds.bright_zone()
    size = (max(last - first, THICKNESS_M), WIDTH_M, THICKNESS_M)
    return Marker('bright_zone', 0, 'cube', SUNLIGHT, size, at=((first + last) / 2.0, 0.0, 0.0))


def _disc(number: int, spot: BrightSpot, radius: float) -> Marker:
    size = (2.0 * radius, 2.0 * radius, THICKNESS_M)
    return Marker('bright_zone', number, 'cylinder', SUNLIGHT, size, at=(spot.x, spot.y, 0.0))


def _radius(spot: BrightSpot, base: float, good: float) -> float:
    """Distance in m at which the spot's Gaussian over the base is just good."""
    return spot.sigma_m * math.sqrt(2.0 * math.log((spot.peak - base) / (good - base)))
