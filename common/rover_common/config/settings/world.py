"""A world of the rover stand-in: config/worlds/NAME.yaml, one class per section.

Lengths in m, angles in rad, in the odom frame. Colours are red, green, blue from 0 to 255.
"""

from __future__ import annotations

from collections.abc import Iterable
import difflib
import math
from typing import Annotated, Literal

from pydantic import AfterValidator, Field, field_validator, model_validator

from rover_common.config.settings.section import Fraction, Metres, Radians, Section

LONGEST_NAME = 200  # bytes; file systems take 255, with an ending
LONGEST_CAPTION = 500  # characters
WHEEL_RADIUS_M = 0.242647  # of the embedded rover, as in the Space ROS demo
Length = Annotated[float, Field(gt=0.0, allow_inf_nan=False)]
Byte = Annotated[int, Field(ge=0, le=255)]
Colour = Annotated[tuple[Byte, Byte, Byte], Field(strict=False)]
BODY_FAULTS = (
    *('camera_off', 'camera_frozen', 'camera_corrupt', 'tf_off', 'tf_jumping', 'wheel_slip'),
    *('mast_jammed', 'battery_lost', 'battery_low', 'clock_jump'),
)
SERVICE_FAULTS = ('hang', 'fail', 'late')
FAULTY_SERVICES = (
    *('move_forward', 'turn_left', 'turn_right', 'move_stop'),
    *('mast_open', 'mast_close', 'mast_rotate', 'capture_and_score'),
)
# Which node has which; `{how}:{name}` spoils a service, and its node has the fault.
FAULT_NODES = {
    **dict.fromkeys(BODY_FAULTS, 'rover'),
    **{
        f'{how}:{name}': (
            'environment_simulator' if name == 'capture_and_score' else 'curiosity_control'
        )
        for name in FAULTY_SERVICES
        for how in SERVICE_FAULTS
    },
}
REMOVED = 'removed:'  # and the name of a rock of the world, which is then not there


def nearest_faults(name: str, known: Iterable[str] = (*FAULT_NODES, f'{REMOVED}NAME')) -> str:
    """Returns how a sentence about an unknown fault ends: with the nearest ones, or all kinds."""
    known = sorted(known)
    close = difflib.get_close_matches(name, known, n=3, cutoff=0.5)
    if close:
        return f'the nearest: {", ".join(close)}'
    kinds = dict.fromkeys(each.partition(':')[0] + ':…' * (':' in each) for each in known)
    example = next((f', such as {each}' for each in known if ':' in each), '')
    return f'there are {", ".join(kinds)}{example}'


def _fault(name: str) -> str:
    removed = name.removeprefix(REMOVED) if name.startswith(REMOVED) else ''
    if name not in FAULT_NODES and not 0 < len(removed) <= LONGEST_NAME:
        raise ValueError(f'there is no such fault; {nearest_faults(name)}')
    return name


Fault = Annotated[str, AfterValidator(_fault)]

# Beyond it distances in m are no longer exact, and far beyond they come out as anything at all.
FARTHEST_CORNER_M = 1e7
MOST_CORNERS = 1000

CornerMetres = Annotated[float, Field(ge=-FARTHEST_CORNER_M, le=FARTHEST_CORNER_M)]


class KeepOutZone(Section):
    """A polygon in the world frame that the rover must not enter; corners in m.

    Besides these bounds a polygon must have an inside, see `rover_common.geometry.zones.area_of`.
    """

    name: Annotated[str, Field(max_length=200)]
    polygon: Annotated[
        tuple[Annotated[tuple[CornerMetres, CornerMetres], Field(strict=False)], ...],
        Field(strict=False, min_length=3, max_length=MOST_CORNERS),
    ]


class WorldStart(Section):
    """Where the rover stands at start."""

    x: Metres = 0.0
    y: Metres = 0.0
    yaw_rad: Radians = 0.0


class SunSettings(Section):
    """Where the light comes from; azimuth counterclockwise from the x axis."""

    azimuth_rad: Radians = 1.85
    elevation_rad: Annotated[float, Field(gt=0.1, lt=1.5)] = 0.5


class LookSettings(Section):
    """What the air and the sand look like. Null colours are the default world's."""

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


class Feature(Section):
    """Something with a name.

    `rock`: a solid, `size_m` is its half width. `hill`: a dome, `size_m` its radius.
    `crater`: a bowl with a rim, `size_m` the rim's radius, `height_m` its depth.
    `sand`: soft ground, `size_m` its radius, where `slip` of the motion is lost.

    `caption`: what it looks like, in words; the detector reports it with the name.
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


NO_WORLD = 'none'  # the name where a robot stands in no world of ours


class WorldSettings(Section):
    """One world. What a file leaves out is as in the default world."""

    name: str
    description: str
    seed: Annotated[int, Field(ge=0)] = 7
    start: WorldStart = WorldStart()
    sun: SunSettings = SunSettings()
    look: LookSettings = LookSettings()
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
        reason = self.rock_at(self.start)
        if reason:
            raise ValueError(reason)
        return self

    def rock_at(self, start: WorldStart) -> str | None:
        """Which named rock the rover would stand in at a start; None if in none."""
        for feature in self.features:
            away = math.hypot(feature.x - start.x, feature.y - start.y)
            if feature.kind == 'rock' and away < feature.size_m + 1.5:
                return f'the rover starts in the rock {feature.name!r}; move one of them'
        return None
