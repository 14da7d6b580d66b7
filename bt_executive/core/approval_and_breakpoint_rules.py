"""The rules which calls wait for a human: approval, single steps and breakpoints. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from bt_executive.core.error_codes import CallError
from bt_executive.core.guards import BUILT_IN
from bt_executive.core.state import SkillResult
from rover_common.config.settings import ApprovalSettings, Config, Skill

ApprovalMode = Literal['per_skill', 'always', 'never']


def needs_human(mode: ApprovalMode, called: Iterable[Skill], stops: bool) -> bool:
    """Return whether a call of a planner or an agent needs a human's approval.

    In mode `always` every tool that reaches the robot does; internal tools (finish, speak) only if
    their skill says so. `called`: what the call may call (`skills_called`); one of them is enough.
    `stops`: the tool only stops the robot, for which no approval is needed.
    """
    if stops or mode == 'never':
        return False
    return any(
        skill.approve or (mode == 'always' and skill.interface_type != 'internal')
        for skill in called
    )


def helpers_of(config: Config, name: str) -> tuple[str, ...]:
    """Return the tools that the tree may call for a tool, to satisfy a guard of it or of a member.

    It does so for guards with policy `resolve`.
    """
    robot, settings = config.robot, config.executive
    policy, resolve_by = settings.guards.policy, settings.guards.resolve_by
    guards = (guard for skill in robot.made_of(name) for guard in skill.guards)
    resolved = (
        each
        for each in guards
        if policy.get(each) == 'resolve'
        and (each not in robot.guards or settings.variant in robot.guards[each].variants)
    )
    helpers = (resolve_by.get(each, '') for each in resolved)
    known = (each for each in helpers if each in robot.tools)
    return tuple(
        each for each in dict.fromkeys(known) if settings.variant in robot.tools[each].variants
    )


def skills_called(config: Config, name: str) -> tuple[Skill, ...]:
    """Return what a call of a tool may call: itself, its steps and members, and their helpers."""
    robot = config.robot
    return *robot.made_of(name), *(robot.tools[each] for each in helpers_of(config, name))


def breakable(config: Config) -> list[str]:
    """Return the names at which a breakpoint can be set: tools, guards and outcomes."""
    tools = config.robot.tools
    codes = {code for skill in tools.values() for code in skill.error_map}
    outcomes = sorted(codes | {each.value for each in CallError} | {'FAILED', 'SUCCESS'})
    names = [*tools, *sorted({*BUILT_IN, *config.robot.guards}), *outcomes]
    return list(dict.fromkeys(names))  # a tool may have the name of a guard


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
