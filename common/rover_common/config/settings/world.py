"""A world of the rover stand-in: config/worlds/NAME.yaml, one class per section.

Lengths in m, angles in rad, in the odom frame. Colours are red, green, blue from 0 to 255.
"""

from __future__ import annotations

from collections.abc import Iterable
import math
from typing import Annotated, Literal

from pydantic import Field, field_validator, model_validator

from rover_common.config.settings.injected_faults import Fault
from rover_common.config.settings.keep_out_zone import KeepOutZone
from rover_common.config.settings.section import Fraction, Metres, Radians, Section

LONGEST_CAPTION = 500  # characters
WHEEL_RADIUS_M = 0.242647  # of the embedded rover, as in the Space ROS demo
Length = Annotated[float, Field(gt=0.0, allow_inf_nan=False)]
Byte = Annotated[int, Field(ge=0, le=255)]
Colour = Annotated[tuple[Byte, Byte, Byte], Field(strict=False)]  # red, green, blue


class Feature(Section):
    """Something with a name.

    `rock`: a solid, `size_m` is its half width. `hill`: a dome, `size_m` its radius.
    `crater`: a bowl with a rim, `size_m` the rim's radius, `height_m` its depth.
    `sand`: soft ground, `size_m` its radius, where `slip` of the motion is lost.

    `caption`: its appearance, in words; the detector reports it with the name.
    """

    name: str
    kind: Literal['rock', 'hill', 'crater', 'sand']
    x: Metres
    y: Metres
    size_m: Length
    height_m: Length | None = None
    colour: Colour | None = None
    slip: Fraction = 0.6
    caption: Annotated[str, Field(max_length=LONGEST_CAPTION)] = ''

    @model_validator(mode='after')
    def _has_height(self) -> Feature:
        if self.kind != 'sand' and self.height_m is None:
            raise ValueError(f'the {self.kind} {self.name!r} needs height_m')
        return self

    @property
    def stops(self) -> bool:
        """Whether it is a body that stops the rover; a lower rock passes under body or wheels."""
        return self.kind == 'rock' and (self.height_m or self.size_m) > WHEEL_RADIUS_M


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


LONGEST_NAME = 200  # bytes; file systems allow 255, with a suffix


class SunSettings(Section):
    """Where the light comes from; azimuth counterclockwise from the x axis."""

    azimuth_rad: Radians = 1.85
    elevation_rad: Annotated[float, Field(gt=0.1, lt=1.5)] = 0.5

    @property
    def direction(self) -> tuple[float, float, float]:
        """Unit vector towards the sun in the odom frame."""
        level = math.cos(self.elevation_rad)
        return (
            level * math.cos(self.azimuth_rad),
            level * math.sin(self.azimuth_rad),
            math.sin(self.elevation_rad),
        )


class AppearanceSettings(Section):
    """The appearance of air and sand. Null colours are the default world's."""

    haze_length_m: Length = 160.0  # distance at which 63 % of the light is the dust's
    haze: Colour = (212, 182, 150)
    dust: Colour = (176, 124, 88)
    sand: Colour = (116, 82, 60)


class BrightSpot(Section):
    """A round place of light that fades like a Gaussian: `peak` in its middle."""

    x: Metres
    y: Metres
    sigma_m: Length
    peak: Fraction = 1.0


class LightField(Section):
    """Scores of a world: the brightest of its spots, never less than `base`."""

    base: Fraction = 0.0
    spots: Annotated[tuple[BrightSpot, ...], Field(strict=False, min_length=1)]


class TerrainSettings(Section):
    """The height field. Around the start it is level up to `level_radius_m`."""

    relief_m: Annotated[float, Field(ge=0.0, le=10.0)] = 0.0  # standard deviation of the heights
    wavelength_m: Annotated[float, Field(ge=4.0, le=100.0)] = 40.0  # of the longest waves
    level_radius_m: Annotated[float, Field(ge=0.0)] = 6.0


class WheelSettings(Section):
    """How much of the commanded motion is lost. All zero is the closed form."""

    slip: Fraction = 0.0  # on level ground
    slip_per_slope: Annotated[float, Field(ge=0.0)] = 0.0  # per rad uphill; downhill gains
    noise: Fraction = 0.0  # deviation of speed and steering, as a fraction
    climbs_rad: Annotated[float, Field(gt=0.0, le=1.0)] = 0.5  # steeper ground stops the rover


class RockSettings(Section):
    """Rocks scattered by the seed; none in the lane straight ahead of the start."""

    count: Annotated[int, Field(ge=0, le=5000)] = 140
    lane_m: Annotated[float, Field(ge=0.0)] = 40.0


NO_WORLD = 'none'  # the name for a robot without a simulated world


class WorldSettings(Section):
    """One world. What a file leaves out is as in the default world."""

    name: str
    description: str
    seed: Annotated[int, Field(ge=0)] = 7
    start: WorldStart = WorldStart()
    sun: SunSettings = SunSettings()
    look: AppearanceSettings = AppearanceSettings()
    light: LightField | None = None  # null: the linear model of thresholds.yaml
    terrain: TerrainSettings = TerrainSettings()
    wheels: WheelSettings = WheelSettings()
    rocks: RockSettings = RockSettings()
    features: Annotated[tuple[Feature, ...], Field(strict=False)] = ()
    keep_out: Annotated[tuple[KeepOutZone, ...], Field(strict=False)] = ()
    faults: Annotated[tuple[Fault, ...], Field(strict=False)] = ()

    @field_validator('name')
    @classmethod
    def _is_file_name(cls, name: str) -> str:
        """A run keeps its world in a file of this name."""
        if not name.isprintable() or name.startswith('.') or {*name} & {'/', '\\'}:
            raise ValueError('write it without slashes and without a dot at its start')
        if not 0 < len(name.encode(errors='replace')) <= LONGEST_NAME:
            raise ValueError(f'give it 1 to {LONGEST_NAME} bytes')
        return name

    @model_validator(mode='after')
    def _start_is_free(self) -> WorldSettings:
        reason = why_not_at(self.start, self.features)
        if reason:
            raise ValueError(reason)
        return self
