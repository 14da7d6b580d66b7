"""What every section of the configuration is made of: the base class and numbers with units."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Discriminator, Field

Variant = Literal['A', 'B']  # spec 2; preconditions and tools name the ones that they belong to
LONGEST_S = 31_536_000.0  # a year: ROS and the system reckon with no time without end
Seconds = Annotated[float, Field(gt=0.0, le=LONGEST_S, allow_inf_nan=False)]
Positive = Annotated[float, Field(gt=0.0, allow_inf_nan=False)]
Metres = Annotated[float, Field(allow_inf_nan=False)]
Radians = Annotated[float, Field(allow_inf_nan=False)]
Fraction = Annotated[float, Field(ge=0.0, le=1.0)]


class Section(BaseModel):
    """Base of all sections: frozen, strict about types, numbers finite, no unknown keys."""

    model_config = ConfigDict(
        frozen=True, strict=True, extra='forbid', allow_inf_nan=False, defer_build=True
    )


def by_mapping(model: type[BaseModel], mapping: str, else_: str) -> Discriminator:
    """Tell a mapping, or the model of one, from every other value, by the tags of the two."""

    def tag(raw: Any) -> str:
        return mapping if isinstance(raw, (dict, model)) else else_

    return Discriminator(tag)
