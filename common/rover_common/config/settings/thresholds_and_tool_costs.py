"""thresholds.yaml and tool_costs.yaml: light, good pictures, a nudge; the cost of each call."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, model_validator

from rover_common.config.settings.section import Fraction, Metres, Seconds, Section

BRIGHT_ZONE_LENGTH_M = 5.0  # what is bright for ever must end somewhere to be drawn


class LightModel(Section):
    """score = clamp((x - x_min) / (x_good - x_min), 0, 1); spec 1 section 5.2."""

    x_min: Metres
    x_good: Metres

    @model_validator(mode='after')
    def _ordered(self) -> LightModel:
        if self.x_good <= self.x_min:
            raise ValueError(f'x_good ({self.x_good}) must be greater than x_min ({self.x_min})')
        return self


class Quality(Section):
    """When a picture is good."""

    score_threshold: Fraction


class Move(Section):
    """The bounded forward motion move_nudge."""

    nudge_duration_sec: Seconds = 5.0


class TraceBuffer(Section):
    """How many latest events the visualizer shows."""

    buffer_size: Annotated[int, Field(ge=1, le=10_000)]


class BrightZone(Section):
    """The zone that RViz and reports show as bright. Null: by the light model."""

    bright_zone_x_min: Metres | None = None
    bright_zone_x_max: Metres | None = None


class Thresholds(Section):
    """thresholds.yaml."""

    light_model: LightModel
    quality: Quality
    trace: TraceBuffer
    viz: BrightZone
    move: Move = Move()

    def bright_zone(self) -> tuple[float, float]:
        """Where the zone that is shown as bright begins and ends, x in m."""
        first = self.viz.bright_zone_x_min
        first = self.light_model.x_good if first is None else first
        last = self.viz.bright_zone_x_max
        last = first + BRIGHT_ZONE_LENGTH_M if last is None else last
        return min(first, last), max(first, last)


class ToolCosts(Section):
    """tool_costs.yaml: rough cost of one call, without a unit."""

    tools: dict[str, Annotated[float, Field(ge=0.0, allow_inf_nan=False)]]
