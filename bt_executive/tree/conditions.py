"""The questions that the tree's conditions ask: a sentence means yes, None no."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from bt_executive.approval.rules import needs_human
from bt_executive.core.queue import better_task
from bt_executive.core.state import UserInterruptType
from bt_executive.tree.context import Brain

Question: TypeAlias = Callable[[Brain], str | None]


def why_unsafe(brain: Brain) -> str | None:
    """Why SAFE is latched."""
    reason = brain.state.world.safety_reason
    return f'Safety event: {reason}' if reason else None


def why_charging(brain: Brain) -> str | None:
    """Why the robot rests."""
    robot = brain.state.robot
    if robot.battery_state != 'LOW':
        return None
    limits = brain.config.executive.battery
    until = f'resting until {limits.resume_pct:g} %'
    if robot.battery_stale:
        until += f', but no reading comes: SAFE after {limits.lost_after_s:g} s without one'
    return f'Battery at {robot.battery_pct:.0f} %, {until}'


def who_stops(brain: Brain) -> str | None:
    """Who wants everything to stop."""
    return _interrupt(brain, UserInterruptType.STOP, 'Stopped')


def who_pauses(brain: Brain) -> str | None:
    """Who wants the goal to wait."""
    return _interrupt(brain, UserInterruptType.PAUSE, 'Paused')


def better_goal(brain: Brain) -> str | None:
    """The waiting goal that preempts the active one, unless its tool must not be interrupted."""
    task = better_task(brain.state.tasks)
    return task.goal if task and not _must_finish(brain) else None


def active_goal(brain: Brain) -> str | None:
    """The goal that is pursued."""
    return brain.task.goal if brain.task else None


def who_need_not_agree(brain: Brain) -> str | None:
    """Why this round's proposal waits for no human."""
    proposal = brain.round.proposal
    tool = brain.registry.get(proposal.tool) if proposal else None
    every = brain.task is not None and brain.task.approve_all
    if brain.task is not None and brain.task.tool and not every:
        return 'The operator asked for it'
    if tool is None or brain.round.owed is not None:
        return 'The tree asked for it'
    mode = 'always' if every else brain.config.executive.approval.mode
    needed = needs_human(mode, tool.skill)
    return None if needed else f'{tool.name} needs no approval'


def proposed(name: str) -> Question:
    """Whether this round's proposal is the named tool."""

    def ask(brain: Brain) -> str | None:
        proposal = brain.round.proposal
        return name if proposal is not None and proposal.tool == name else None

    return ask


def _must_finish(brain: Brain) -> bool:
    """Whether a tool is under way that is not preemptible."""
    this = brain.round
    tool = brain.registry.get(this.proposal.tool) if this.proposal else None
    return this.ran and this.ended_at is None and tool is not None and not tool.skill.preemptible


def _interrupt(brain: Brain, wanted: UserInterruptType, word: str) -> str | None:
    hci = brain.state.hci
    if hci.user_interrupt is not wanted:
        return None
    return f'{word} by {hci.interrupt_payload.get("source", "the operator")}'
