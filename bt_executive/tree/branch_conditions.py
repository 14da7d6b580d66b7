"""The conditions of the tree. A question returns the text that makes it true, or None."""

from __future__ import annotations

from collections.abc import Callable

from py_trees.common import Status

from bt_executive.core.approval_and_breakpoint_rules import held_by, needs_human, skills_called
from bt_executive.core.goal_queue import better_task
from bt_executive.core.modes import (
    KEEP_CHARGED,
    PAUSE,
    STAY_SAFE,
    STOP,
    holds_back,
    interrupted_by,
    task_to_charge,
)
from bt_executive.tree.behaviours.base_behaviours import Leaf
from bt_executive.tree.context_roles import ReadAccess


class Condition(Leaf[ReadAccess]):
    """SUCCESS with the text that `ask` returns, FAILURE if it returns None."""

    def __init__(
        self, name: str, context: ReadAccess, ask: Callable[[ReadAccess], str | None]
    ) -> None:
        super().__init__(name, context)
        self._ask = ask

    def update(self) -> Status:
        """Evaluates the condition."""
        reason = self._ask(self.context)
        return self.success(reason) if reason is not None else self.failure('no')


def why_unsafe(context: ReadAccess) -> str | None:
    """Return why SAFE is latched."""
    state = context.state
    return f'Safety event: {state.world.safety_reason}' if STAY_SAFE.applies(state) else None


def why_charging(context: ReadAccess) -> str | None:
    """Return why the robot rests."""
    if not KEEP_CHARGED.applies(context.state):
        return None
    robot = context.state.robot
    limits = context.config.executive.battery
    until = f'resting until {limits.resume_pct:g} %'
    if robot.battery_stale:
        until += f', but no reading comes: SAFE after {limits.lost_after_s:g} s without one'
    return f'Battery: {robot.charge}, {until}'


def goal_that_charges(context: ReadAccess) -> str | None:
    """Return the waiting goal that drives to the charger while the active one is held back."""
    task = task_to_charge(context.state)
    return task.title if task else None


def interrupted_charging_tool(context: ReadAccess) -> str | None:
    """Return the interrupted tool of the previous run, if it drove to the charger."""
    return interrupted_tool(context) if charging_goal(context) else None


def charging_goal(context: ReadAccess) -> str | None:
    """Return the active goal, if it drives to the charger and may."""
    task = context.task
    return None if task is None or holds_back(context.state, task) else task.title


def stop_source(context: ReadAccess) -> str | None:
    """Return who requested a stop."""
    return f'Stopped by {interrupted_by(context.state)}' if STOP.applies(context.state) else None


def pause_source(context: ReadAccess) -> str | None:
    """Return who requested a pause."""
    return f'Paused by {interrupted_by(context.state)}' if PAUSE.applies(context.state) else None


def better_goal(context: ReadAccess) -> str | None:
    """Return the waiting goal that preempts the active one.

    None, too, while the active one's tool is not preemptible, or its planner has ended it.
    """
    tasks, is_over = context.state.tasks, context.round.planner_end is not None
    task = better_task(tasks.queue, tasks.active)
    return task.goal if task and not (is_over or _must_finish(context)) else None


def active_goal(context: ReadAccess) -> str | None:
    """Return the active goal."""
    return context.task.goal if context.task else None


def why_no_approval(context: ReadAccess) -> str | None:
    """Return why this round's proposal needs no approval."""
    tool = context.proposed_tool
    approve_all = context.task is not None and context.task.approve_all
    if context.proposed_by == 'operator' and not approve_all:
        return 'The operator asked for it'
    if tool is None or context.round.owed is not None:
        return 'The tree asked for it'
    mode = 'always' if approve_all else context.config.executive.approval.mode
    called = skills_called(context.config, tool.name)
    needed = needs_human(mode, called, tool.stops) or why_held(context)
    return None if needed else f'{tool.name} needs no approval'


def why_held(context: ReadAccess) -> str:
    """Return why a proposal is held although its tool needs no approval; empty: it is not."""
    tool = context.proposed_tool
    if tool is None or tool.stops:
        return ''
    return held_by(context.config.executive.approval, tool.name, context.state.skills.last_result)


def interrupted_tool(context: ReadAccess) -> str | None:
    """Return the interrupted tool of the previous run whose outcome is not known yet."""
    recovery = context.recovery
    return context.round.tool if recovery and recovery.call_id == context.round.call_id else None


def _must_finish(context: ReadAccess) -> bool:
    """Return whether a tool, or a member or step of it, is under way that is not preemptible."""
    this, registry = context.round, context.registry
    if not this.under_way:
        return False
    begun = (each.tool for run in this.composites.values() for each in run.begun.values())
    step = this.step.tool if this.step else ''
    tools = map(registry.get, (this.tool, step, *begun))
    return any(tool is not None and not tool.skill.preemptible for tool in tools)
