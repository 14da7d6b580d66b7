"""The names at which a breakpoint can be."""

from __future__ import annotations

from bt_executive.core.error_codes import CallError
from bt_executive.core.guards import BUILT_IN
from rover_common.config.settings import Config


def breakable(config: Config) -> list[str]:
    """Return the names of tools, guards and outcomes."""
    tools = config.robot.tools
    codes = {code for skill in tools.values() for code in skill.error_map}
    outcomes = sorted(codes | {each.value for each in CallError} | {'FAILED', 'SUCCESS'})
    return [*tools, *sorted({*BUILT_IN, *config.robot.guards}), *outcomes]
