"""tool_costs.yaml: what a call of each tool costs."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from rover_common.config.settings.section import Section


class ToolCosts(Section):
    """tool_costs.yaml: rough cost of one call, without a unit."""

    tools: dict[str, Annotated[float, Field(ge=0.0, allow_inf_nan=False)]]
