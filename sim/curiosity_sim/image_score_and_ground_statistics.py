"""Develops one picture: light score from the rover's place, darkened, with the score on it.

By the light model of the requirements, linear in x (thresholds.yaml, section `light_model`), or
by the light field of a world that has one. Both are deterministic.

Statistics of the picture (texture, contrast, colour) are measured on the camera's own picture,
before it is darkened: a dark picture must not pass for smooth ground. Whether the eye could have
seen them is told by the mean luminance of the picture that is published.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
import json
import math
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from curiosity_sim.array_types import Pixels
from curiosity_sim.image_pipeline import darken, decode, encode, write_score
from rover_common.config.settings import LightModel, Quality, SimulatorSettings
from rover_common.config.settings.world import LightField
from rover_common.geometry.transforms import Transform

# Measured at one size, so that the numbers do not depend on the camera's.
MEASURED_WIDTH = 400
# The lower part of the picture: where the ground is with an open mast.
GROUND_FROM = 0.55
WINDOW = 7  # pixels; the patch in which local roughness is taken
EDGE_LOW, EDGE_HIGH = 60, 150  # Canny thresholds
# Mean local deviation in grey levels up to which the ground counts as fine, then as medium.
FINE_BELOW = 7.0
MEDIUM_BELOW = 14.0
# Darker than this mean luminance, a person could not tell the ground's texture.
LEGIBLE_FROM = 60.0

# Names and typical colours (red, green, blue); the nearest in CIE Lab counts.
COLOURS = {
    'black': (20, 18, 18),
    'dark grey': (70, 70, 72),
    'grey': (130, 130, 130),
    'white': (235, 235, 232),
    'dark brown': (72, 48, 34),
    'reddish brown': (140, 80, 52),
    'rust red': (165, 74, 44),
    'orange brown': (180, 112, 70),
    'ochre': (200, 146, 82),
    'tan': (205, 170, 130),
    'bluish grey': (104, 120, 138),
    'green': (70, 130, 60),
}


@dataclass(frozen=True)
class GroundStatistics:
    """Measures of the lower part of a picture. Luminance and deviations in grey levels, 0-255."""

    mean_luminance: float
    contrast: float  # standard deviation of the luminance
    edge_density: float  # part of the pixels on an edge, 0 to 1
    dominant_colour: str
    dominant_rgb: tuple[int, int, int]
    local_roughness: float  # mean deviation within a small window
    entropy_bits: float  # of the luminance; 0 uniform, 8 all levels alike
    texture: str  # fine, medium or coarse


def ground_statistics(picture: Pixels) -> GroundStatistics:
    """Measures the ground in a picture of blue, green, red rows."""
    ground = _ground(picture)
    grey = cv2.cvtColor(ground, cv2.COLOR_BGR2GRAY)
    roughness = _local_roughness(grey)
    name, rgb = _dominant_colour(ground)
    return GroundStatistics(
        mean_luminance=round(float(grey.mean()), 1),
        contrast=round(float(grey.std()), 1),
        edge_density=round(float((cv2.Canny(grey, EDGE_LOW, EDGE_HIGH) > 0).mean()), 4),
        dominant_colour=name,
        dominant_rgb=rgb,
        local_roughness=round(roughness, 2),
        entropy_bits=round(_entropy(grey), 2),
        texture=_texture_name(roughness),
    )


def mean_luminance(picture: Pixels) -> float:
    """Mean grey level of a whole picture, 0 to 255."""
    return round(float(cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY).mean()), 1)


def report(source: GroundStatistics, published_luminance: float) -> dict[str, Any]:
    """The statistics as JSON values, with what they were measured on and whether it was seen."""
    return {
        'mean_luminance': published_luminance,
        'legible': published_luminance >= LEGIBLE_FROM,
        'ground': {'measured_on': 'camera picture before darkening, lower part', **asdict(source)},
    }


def _ground(picture: Pixels) -> Pixels:
    """The lower part, brought to the common width."""
    lower = picture[int(picture.shape[0] * GROUND_FROM) :]
    scale = MEASURED_WIDTH / picture.shape[1]
    height = max(round(lower.shape[0] * scale), 1)
    area = cv2.INTER_AREA if scale < 1.0 else cv2.INTER_LINEAR
    return np.asarray(cv2.resize(lower, (MEASURED_WIDTH, height), interpolation=area), np.uint8)


def _local_roughness(grey: Pixels) -> float:
    values = grey.astype(np.float32)
    mean = cv2.blur(values, (WINDOW, WINDOW))
    square = cv2.blur(values * values, (WINDOW, WINDOW))
    return float(np.sqrt(np.maximum(square - mean * mean, 0.0)).mean())


def _entropy(grey: Pixels) -> float:
    counts = np.bincount(grey.ravel(), minlength=256)
    parts = counts[counts > 0] / grey.size
    return abs(float(-(parts * np.log2(parts)).sum()))


def _texture_name(roughness: float) -> str:
    if roughness < FINE_BELOW:
        return 'fine'
    return 'medium' if roughness < MEDIUM_BELOW else 'coarse'


def _dominant_colour(ground: Pixels) -> tuple[str, tuple[int, int, int]]:
    """The most frequent colour cell of the picture: its mean and the nearest name."""
    pixels = ground.reshape(-1, 3)
    cells = (pixels >> 5).astype(np.int32) @ np.array([64, 8, 1])
    most = np.bincount(cells, minlength=512).argmax()
    blue, green, red = (round(value) for value in pixels[cells == most].mean(axis=0).tolist())
    rgb = (red, green, blue)
    name = min(COLOURS, key=lambda colour: math.dist(_lab(COLOURS[colour]), _lab(rgb)))
    return name, rgb


def _lab(rgb: tuple[int, int, int]) -> tuple[float, ...]:
    one = np.array([[rgb]], np.float32) / 255.0
    return tuple(cv2.cvtColor(one, cv2.COLOR_RGB2LAB)[0, 0].tolist())


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
