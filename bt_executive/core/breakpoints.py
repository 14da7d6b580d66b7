"""Breakpoints and single steps: where they can be set, and which proposals they hold. Pure."""

from __future__ import annotations

from bt_executive.core.built_in_guards import BUILT_IN
from bt_executive.core.error_codes import CallError
from bt_executive.core.skills_state import SkillResult
from rover_common.config.settings import ApprovalSettings, Config


def breakable(config: Config) -> list[str]:
    """Return the names at which a breakpoint can be set: tools, guards and outcomes."""
    tools = config.robot.tools
    codes = {code for skill in tools.values() for code in skill.error_map}
    outcomes = sorted(codes | {each.value for each in CallError} | {'FAILED', 'SUCCESS'})
    return [*tools, *sorted({*BUILT_IN, *config.robot.guards}), *outcomes]


def held_by(approval: ApprovalSettings, tool: str, last: SkillResult | None) -> str:
    """Return why a proposal is held, by single steps or a breakpoint; empty: it is not.

    `last`: how the previous round ended.
    """
    if approval.step:
        return 'Step by step'
    ended = () if last is None else (last.guard, last.error_code, last.status)
    hit = next((name for name in (tool, *ended) if name and name in approval.break_at), None)
    if hit is None:
        return ''
    return f'Breakpoint at {hit}' if hit == tool else f'Breakpoint: the last proposal met {hit}'
