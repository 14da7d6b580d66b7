"""The conditions of the tree, and what they ask: a sentence means yes, None no."""

from __future__ import annotations

from collections.abc import Callable

from bt_executive.core.breakpoints import held_by
from bt_executive.core.goal_queue import better_task, task_to_charge
from bt_executive.core.modes import (
    KEEP_CHARGED,
    PAUSE,
    STAY_SAFE,
    STOP,
    holds_back,
    interrupted_by,
)
from bt_executive.core.needs_approval import needs_human
from bt_executive.tree.behaviours.base_leaf import Leaf, Status
from bt_executive.tree.context_roles import ReadAccess


class Condition(Leaf[ReadAccess]):
    """SUCCESS if `ask` gives text (what makes it true), FAILURE if it gives None."""

    def __init__(
        self, name: str, context: ReadAccess, ask: Callable[[ReadAccess], str | None]
    ) -> None:
        super().__init__(name, context)
        self._ask = ask

    def update(self) -> Status:
        """Asks."""
        because = self._ask(self.context)
        return self.success(because) if because is not None else self.failure('no')


def why_unsafe(facts: ReadAccess) -> str | None:
    """Why SAFE is latched."""
    state = facts.state
    return f'Safety event: {state.world.safety_reason}' if STAY_SAFE.applies(state) else None


def why_charging(facts: ReadAccess) -> str | None:
    """Why the robot rests."""
    if not KEEP_CHARGED.applies(facts.state):
        return None
    robot = facts.state.robot
    limits = facts.config.executive.battery
    until = f'resting until {limits.resume_pct:g} %'
    if robot.battery_stale:
        until += f', but no reading comes: SAFE after {limits.lost_after_s:g} s without one'
    return f'Battery: {robot.charge}, {until}'


def goal_that_charges(facts: ReadAccess) -> str | None:
    """The waiting goal that drives to the charger while the active one is held back."""
    task = task_to_charge(facts.state)
    return task.title if task else None


def charging_under_way(facts: ReadAccess) -> str | None:
    """The tool of the previous run that drove to the charger."""
    return what_was_under_way(facts) if charging_goal(facts) else None


def charging_goal(facts: ReadAccess) -> str | None:
    """The active goal that drives to the charger, and may."""
    task = facts.task
    return None if task is None or holds_back(facts.state, task) else task.title


def who_stops(facts: ReadAccess) -> str | None:
    """Who wants everything to stop."""
    return f'Stopped by {interrupted_by(facts.state)}' if STOP.applies(facts.state) else None


def who_pauses(facts: ReadAccess) -> str | None:
    """Who wants the goal to wait."""
    return f'Paused by {interrupted_by(facts.state)}' if PAUSE.applies(facts.state) else None


def better_goal(facts: ReadAccess) -> str | None:
    """The waiting goal that preempts the active one, unless its tool must not be interrupted."""
    task = better_task(facts.state.tasks)
    return task.goal if task and not _must_finish(facts) else None


def active_goal(facts: ReadAccess) -> str | None:
    """The goal that is pursued."""
    return facts.task.goal if facts.task else None


def who_need_not_agree(facts: ReadAccess) -> str | None:
    """Why this round's proposal waits for no human."""
    tool = facts.proposed_tool
    every = facts.task is not None and facts.task.approve_all
    if facts.proposed_by == 'operator' and not every:
        return 'The operator asked for it'
    if tool is None or facts.round.owed is not None:
        return 'The tree asked for it'
    mode = 'always' if every else facts.config.executive.approval.mode
    needed = needs_human(mode, tool.made_of, tool.stops) or why_it_is_held(facts)
    return None if needed else f'{tool.name} needs no approval'


def why_it_is_held(facts: ReadAccess) -> str:
    """Why a proposal waits although its tool needs no approval; empty: it does not."""
    tool = facts.proposed_tool
    if tool is None or tool.stops:
        return ''
    return held_by(facts.config.executive.approval, tool.name, facts.state.skills.last_result)


def what_was_under_way(facts: ReadAccess) -> str | None:
    """The tool of a previous run of which it is not known what has become."""
    recovery = facts.recovery
    return facts.round.tool if recovery and recovery.call_id == facts.round.call_id else None


def _must_finish(facts: ReadAccess) -> bool:
    """Whether a tool is under way that is not preemptible."""
    tool = facts.proposed_tool
    return facts.round.under_way and tool is not None and not tool.skill.preemptible
