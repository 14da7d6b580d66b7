"""Develops one picture: light score from the rover's place, darkened, with the score on it.

By the light model of the requirements, linear in x (thresholds.yaml, section `light_model`), or
by the light field of a world that has one. Both are deterministic.
"""

from __future__ import annotations

from dataclasses import dataclass
import json
import math

import numpy as np
from numpy.typing import NDArray

from curiosity_sim.image_pipeline import darken, decode, encode, write_score
from curiosity_sim.picture_statistics import ground_statistics, mean_luminance, report
from rover_common.config.settings import LightModel, Quality, SimulatorSettings
from rover_common.config.settings.world import LightField
from rover_common.geometry.transforms import Transform


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


@dataclass(frozen=True)
class ScoredImage:
    """A developed picture. `jpeg` is encoded from `pixels`, which carry the written score."""

    score: float
    is_good: bool
    pixels: NDArray[np.uint8]
    jpeg: bytes
    source: NDArray[np.uint8]
    gain: float

    @property
    def luminance(self) -> float:
        """Mean grey level of the darkened picture without the written score, 0 to 255."""
        return mean_luminance(darken(self.source, self.gain))

    def debug(self, pose: Transform) -> str:
        """JSON for the capture's answer: statistics of the picture and where it was taken."""
        return json.dumps(
            {
                'rover_x': round(pose.x, 3),
                'rover_y': round(pose.y, 3),
                'rover_yaw': round(pose.yaw, 3),
                **report(ground_statistics(self.source), self.luminance),
            }
        )


class ImageScorer:
    """Makes prints by the configured light model. The same picture and place give the same."""

    def __init__(
        self,
        light: LightModel | LightField,
        quality: Quality,
        settings: SimulatorSettings,
    ) -> None:
        self._light = light
        self._threshold = quality.score_threshold
        self._settings = settings

    def develop(self, jpeg: bytes, x: float, y: float = 0.0) -> ScoredImage:
        """Develops a compressed picture that was taken at (x, y), m in the world frame.

        Raises:
            PictureError: It cannot be decoded or encoded.
        """
        score = self._score(x, y)
        factor = gain(score, self._settings.darkest_gain)
        source = decode(jpeg)
        pixels = darken(source, factor)
        write_score(pixels, f'score {score:.2f}   x {x:+.2f} m')
        return ScoredImage(
            score=score,
            is_good=score >= self._threshold,
            pixels=pixels,
            jpeg=encode(pixels, self._settings.jpeg_quality),
            source=source,
            gain=factor,
        )

    def _score(self, x: float, y: float) -> float:
        if isinstance(self._light, LightField):
            return field_score(x, y, self._light)
        return light_score(x, self._light)
