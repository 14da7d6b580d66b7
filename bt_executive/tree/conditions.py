"""The questions that the tree's conditions ask: a sentence means yes, None no."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from bt_executive.approval.rules import needs_human
from bt_executive.core.queue import better_task
from bt_executive.core.state import UserInterruptType
from bt_executive.tree.context import Context

Question: TypeAlias = Callable[[Context], str | None]


def why_unsafe(context: Context) -> str | None:
    """Why SAFE is latched."""
    reason = context.state.world.safety_reason
    return f'Safety event: {reason}' if reason else None


def why_charging(context: Context) -> str | None:
    """Why the robot rests."""
    robot = context.state.robot
    if robot.battery_state != 'LOW':
        return None
    limits = context.config.executive.battery
    until = f'resting until {limits.resume_pct:g} %'
    if robot.battery_stale:
        until += f', but no reading comes: SAFE after {limits.lost_after_s:g} s without one'
    return f'Battery at {robot.battery_pct:.0f} %, {until}'


def who_stops(context: Context) -> str | None:
    """Who wants everything to stop."""
    return _interrupt(context, UserInterruptType.STOP, 'Stopped')


def who_pauses(context: Context) -> str | None:
    """Who wants the goal to wait."""
    return _interrupt(context, UserInterruptType.PAUSE, 'Paused')


def better_goal(context: Context) -> str | None:
    """The waiting goal that preempts the active one, unless its tool must not be interrupted."""
    task = better_task(context.state.tasks)
    return task.goal if task and not _must_finish(context) else None


def active_goal(context: Context) -> str | None:
    """The goal that is pursued."""
    return context.task.goal if context.task else None


def who_need_not_agree(context: Context) -> str | None:
    """Why this round's proposal waits for no human."""
    proposal = context.round.proposal
    tool = context.registry.get(proposal.tool) if proposal else None
    every = context.task is not None and context.task.approve_all
    if context.task is not None and context.task.tool and not every:
        return 'The operator asked for it'
    if tool is None or context.round.owed is not None:
        return 'The tree asked for it'
    mode = 'always' if every else context.config.executive.approval.mode
    needed = needs_human(mode, tool.skill)
    return None if needed else f'{tool.name} needs no approval'


def proposed(name: str) -> Question:
    """Whether this round's proposal is the named tool."""

    def ask(context: Context) -> str | None:
        proposal = context.round.proposal
        return name if proposal is not None and proposal.tool == name else None

    return ask


def _must_finish(context: Context) -> bool:
    """Whether a tool is under way that is not preemptible."""
    this = context.round
    tool = context.registry.get(this.proposal.tool) if this.proposal else None
    return this.ran and this.ended_at is None and tool is not None and not tool.skill.preemptible


def _interrupt(context: Context, wanted: UserInterruptType, word: str) -> str | None:
    hci = context.state.hci
    if hci.user_interrupt is not wanted:
        return None
    return f'{word} by {hci.interrupt_payload.get("source", "the operator")}'
