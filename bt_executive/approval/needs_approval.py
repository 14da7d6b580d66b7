"""Whose calls need a human's yes, and what is at stake in them. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from bt_executive.core.state import SkillResult
from rover_common.config.settings import ApprovalSettings, Skill

ApprovalMode = Literal['per_skill', 'always', 'never']


def needs_human(mode: ApprovalMode, made_of: Iterable[Skill], stops: bool) -> bool:
    """Return whether a planner's or an agent's call of a tool waits for a human.

    `always` asks for whatever reaches the robot; internal tools (finish, speak) only if their
    skill says so. `made_of`: the tool's skill, and those of its steps: one of them is enough.
    `stops`: the tool does nothing but stop the robot. A stop waits for nobody.
    """
    if stops or mode == 'never':
        return False
    return any(
        skill.approve or (mode == 'always' and skill.interface_type != 'internal')
        for skill in made_of
    )


def held_by(approval: ApprovalSettings, tool: str, last: SkillResult | None) -> str:
    """Return what holds every proposal, or this one: a step or a breakpoint; empty: nothing.

    `last`: how the round before ended.
    """
    if approval.step:
        return 'Step by step'
    ended = () if last is None else (last.guard, last.error_code, last.status)
    hit = next((name for name in (tool, *ended) if name and name in approval.break_at), None)
    if hit is None:
        return ''
    return f'Breakpoint at {hit}' if hit == tool else f'Breakpoint: the last proposal met {hit}'


def risk_of(skill: Skill, moving: Iterable[str]) -> str:
    """What is at stake, in a sentence: the skill's own words, or what its resources say.

    `moving`: the resources that move when a tool holds them.
    """
    if skill.risk:
        return skill.risk
    moved = [resource for resource in moving if resource in skill.resources_required]
    if skill.motion is not None and 'base' not in moved:
        moved.insert(0, 'base')
    return f'Moves the {" and the ".join(moved)}' if moved else 'Observes; moves nothing'
