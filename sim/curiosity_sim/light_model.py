"""How bright a picture is where the rover stands.

By the light model of the requirements, linear in x (thresholds.yaml, section `light_model`), or
by the light field of a world that has one. Both are deterministic.
"""

from __future__ import annotations

import math

from rover_common.config.settings import LightModel
from rover_common.config.settings.world import LightField


def light_score(x: float, model: LightModel) -> float:
    """clamp((x - x_min) / (x_good - x_min), 0, 1), with x in m in the world frame."""
    return min(max((x - model.x_min) / (model.x_good - model.x_min), 0.0), 1.0)


def field_score(x: float, y: float, field: LightField) -> float:
    """The score of the brightest spot at a place (m in the world frame), at least the base."""
    scores = [field.base]
    for spot in field.spots:
        away = math.hypot(x - spot.x, y - spot.y) / spot.sigma_m
        scores.append(field.base + (spot.peak - field.base) * math.exp(-(away**2) / 2.0))
    return max(scores)


def gain(score: float, darkest: float) -> float:
    """The factor on every pixel: `darkest` at score 0, 1 at score 1, linear between."""
    return darkest + (1.0 - darkest) * score
