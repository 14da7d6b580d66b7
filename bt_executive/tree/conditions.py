"""The questions that the tree's conditions ask: a sentence means yes, None no."""

from __future__ import annotations

from bt_executive.approval.rules import needs_human
from bt_executive.core.queue import better_task
from bt_executive.core.state import UserInterruptType
from bt_executive.tree.facts import Facts


def why_unsafe(facts: Facts) -> str | None:
    """Why SAFE is latched."""
    reason = facts.state.world.safety_reason
    return f'Safety event: {reason}' if reason else None


def why_charging(facts: Facts) -> str | None:
    """Why the robot rests."""
    robot = facts.state.robot
    if robot.battery_state != 'LOW':
        return None
    limits = facts.config.executive.battery
    until = f'resting until {limits.resume_pct:g} %'
    if robot.battery_stale:
        until += f', but no reading comes: SAFE after {limits.lost_after_s:g} s without one'
    return f'Battery at {robot.battery_pct:.0f} %, {until}'


def who_stops(facts: Facts) -> str | None:
    """Who wants everything to stop."""
    return _interrupt(facts, UserInterruptType.STOP, 'Stopped')


def who_pauses(facts: Facts) -> str | None:
    """Who wants the goal to wait."""
    return _interrupt(facts, UserInterruptType.PAUSE, 'Paused')


def better_goal(facts: Facts) -> str | None:
    """The waiting goal that preempts the active one, unless its tool must not be interrupted."""
    task = better_task(facts.state.tasks)
    return task.goal if task and not _must_finish(facts) else None


def active_goal(facts: Facts) -> str | None:
    """The goal that is pursued."""
    return facts.task.goal if facts.task else None


def who_need_not_agree(facts: Facts) -> str | None:
    """Why this round's proposal waits for no human."""
    tool = facts.proposed_tool
    every = facts.task is not None and facts.task.approve_all
    if facts.proposed_by == 'operator' and not every:
        return 'The operator asked for it'
    if tool is None or facts.round.owed is not None:
        return 'The tree asked for it'
    mode = 'always' if every else facts.config.executive.approval.mode
    needed = needs_human(mode, tool.made_of, tool.stops)
    return None if needed else f'{tool.name} needs no approval'


def what_was_under_way(facts: Facts) -> str | None:
    """The tool of an earlier life of which it is not known what has become."""
    recovery = facts.recovery
    return facts.round.tool if recovery and recovery.call_id == facts.round.call_id else None


def _must_finish(facts: Facts) -> bool:
    """Whether a tool is under way that is not preemptible."""
    tool = facts.proposed_tool
    return facts.round.under_way and tool is not None and not tool.skill.preemptible


def _interrupt(facts: Facts, wanted: UserInterruptType, word: str) -> str | None:
    hci = facts.state.hci
    if hci.user_interrupt is not wanted:
        return None
    return f'{word} by {hci.interrupt_payload.get("source", "the operator")}'
