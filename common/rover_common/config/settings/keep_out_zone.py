"""A keep-out zone as files and topics have it."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from rover_common.config.settings.section import Section

# Beyond it distances in m are no longer exact, and far beyond they come out as anything at all.
FARTHEST_CORNER_M = 1e7
MOST_CORNERS = 1000

CornerMetres = Annotated[float, Field(ge=-FARTHEST_CORNER_M, le=FARTHEST_CORNER_M)]


class KeepOutZone(Section):
    """A polygon in the world frame that the rover must not enter; corners in m.

    Besides these bounds a polygon must have an inside: `rover_common.geometry.keep_out.area_of`.
    """

    name: Annotated[str, Field(max_length=200)]
    polygon: Annotated[
        tuple[Annotated[tuple[CornerMetres, CornerMetres], Field(strict=False)], ...],
        Field(strict=False, min_length=3, max_length=MOST_CORNERS),
    ]
