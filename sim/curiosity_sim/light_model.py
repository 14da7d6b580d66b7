"""How bright a picture is where the rover stands: the light model of the requirements.

Deterministic and linear in x; see thresholds.yaml, section `light_model`.
"""

from __future__ import annotations

from bt_executive.settings import LightModel


def light_score(x: float, model: LightModel) -> float:
    """clamp((x - x_min) / (x_good - x_min), 0, 1), with x in m in the world frame."""
    return min(max((x - model.x_min) / (model.x_good - model.x_min), 0.0), 1.0)


def gain(score: float, darkest: float) -> float:
    """The factor on every pixel: `darkest` at score 0, 1 at score 1, linear between."""
    return darkest + (1.0 - darkest) * score
