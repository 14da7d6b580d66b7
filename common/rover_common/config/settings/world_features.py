"""What has a name in a world: rocks, hills, craters and soft ground. Lengths in m."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, model_validator

from rover_common.config.settings.section import Fraction, Metres, Section

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
