"""What guards read: the view of a call that is proposed, runs or might be made."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property
import math
import operator
from typing import Any, Protocol

from bt_executive.core.allowed_destinations import UNRESTRICTED, AllowedDestinations
from bt_executive.core.built_in_guards import ALWAYS_ASKED, Precondition
from bt_executive.core.executive_ports import Barred
from bt_executive.core.guard_verdict import GuardCode, GuardReading
from bt_executive.core.guard_view import GuardView, MotionAhead, ZoneCache
from bt_executive.core.proposer import Proposer
from bt_executive.core.queued_goal import Task
from bt_executive.core.state import BrainState
from bt_executive.skills.resolving_tools import resolver_of, resolvers_of
from bt_executive.skills.tool_registry import Registry, Tool
from bt_executive.tree.places_named_in_goal import NamedPlaces
from bt_executive.tree.planning_round import Round
from bt_executive.tree.state_between_ticks import PersistentState
from rover_common.clocks import Now
from rover_common.config.settings import Config
from rover_common.dataclass_replace import replace


class GuardAccess(Protocol):
    """What guards read of a tick; the first part of each role (`context_roles.py`)."""

    @property
    def config(self) -> Config:
        """The configuration; some of it changes between two ticks."""

    @property
    def registry(self) -> Registry:
        """The tools."""

    @property
    def now(self) -> Now:
        """The tick's only time."""

    @property
    def state(self) -> BrainState:
        """The state of robot, world, goals and operator."""

    @property
    def round(self) -> Round:
        """The round under way."""

    @property
    def task(self) -> Task | None:
        """The active task."""

    @property
    def proposed_by(self) -> Proposer:
        """Whose tool the active task runs: the operator's, an agent's or the planner's."""

    @property
    def holders(self) -> Mapping[str, str]:
        """Resource → id of the call that uses it."""

    @property
    def moved_gates(self) -> frozenset[str]:
        """The gates at which the executive permits a motion now."""

    def permitted_at(self, gate: str) -> float | None:
        """Since when a gate's motion is permitted, in steady s; None: it is not."""

    def is_settled(self) -> bool:
        """Whether the adapter's status is younger than the latest end of a tool that moved."""

    def changed_at(self) -> float:
        """Until when values of topics may be of before the end of the last tool, in steady s.

        A topic that may be silent for longer than `MAY_BE_SILENT_S` is not waited for longer.
        """


class GuardViews:
    """Makes the views of one executive. What it reads is that of the tick in which it is asked."""

    def __init__(
        self, facts: GuardAccess, persistent: PersistentState, named: NamedPlaces
    ) -> None:
        self._facts, self._persistent, self._named = facts, persistent, named
        self._zones = ZoneCache()
        self._made_of: tuple[Any, ...] = ()  # the view of the running tool
        self._running: GuardView | None = None

    def view(self) -> GuardView:
        """What a guard may look at, for the round's proposal or the step that it has come to."""
        return self._of_round(self._facts.is_settled(), self._facts.changed_at())

    def view_of_running(self) -> GuardView:
        """What the guards of a tool that runs look at: the same view in turn, within a tick.

        That the status is young enough is asked before, and again when the server is called.
        """
        facts = self._facts
        made_of = facts.now, facts.state, facts.round, self._persistent.calls.leases.changes
        if self._running is None or any(map(operator.is_not, made_of, self._made_of)):
            self._running, self._made_of = self._of_round(settled=True), made_of
        return self._running

    def _of_round(self, settled: bool, changed_at: float = -math.inf) -> GuardView:
        asked = self._facts.round.step or self._facts.round.proposal
        tool = self._facts.registry.get(asked.tool) if asked else None
        return self._view(tool, asked.arguments if asked else {}, settled, changed_at)

    def hindrance(self, tool: Tool, arguments: Mapping[str, Any]) -> GuardReading | None:
        """Which of a tool's preconditions refuses that its server is asked at this moment.

        The guards of a tool that has begun go on over a standstill of the executive, and the base
        is its own; to ask a server that wants to be known as it is now.
        """
        view = self.view_of(tool, arguments)._replace(running=False, call_id='')
        readings = (precondition.read(view) for precondition in tool.preconditions)
        return next((reading for reading in readings if not reading.allowed), None)

    def view_of(self, tool: Tool | None, arguments: Mapping[str, Any]) -> GuardView:
        """What a guard may look at, if `tool` was to be called with checked `arguments`."""
        facts = self._facts
        return self._view(tool, arguments, facts.is_settled(), facts.changed_at())

    def _view(
        self,
        tool: Tool | None,
        arguments: Mapping[str, Any],
        settled: bool,
        changed_at: float = -math.inf,
    ) -> GuardView:
        facts, motion = self._facts, None
        if tool is not None and tool.skill.motion is not None:
            until = facts.round.motion_until
            seconds = tool.motion_seconds(arguments) if until is None else until - facts.now.robot
            motion = tool.motion_ahead(max(seconds, 0.0))
        elif tool is not None:
            motion = self._left_of(tool.gate_motion_ahead(arguments))
        settings, world = facts.config.executive, facts.state.world
        return GuardView(
            state=facts.state,
            settings=settings,
            now=facts.now,
            holders=facts.holders,
            call_id=facts.round.call_id,
            usage=self._persistent.progress.usage(facts.now),
            motion=motion,
            destination=tool.destination(arguments) if tool else None,
            drives=tool is None or tool.drives,
            running=facts.round.under_way,
            settled=settled,
            changed_at=changed_at,
            keep_out=self._zones.areas(settings.keep_out, world.keep_out),
            places=self._allowed_destinations(),
            tool=tool.name if tool else '',
            arguments=arguments,
            gate=tool.skill.gate if tool else '',
            moved_gates=facts.moved_gates,
            permitted_at=facts.permitted_at(tool.skill.gate) if tool else None,
            charges=tool is not None and tool.name in facts.config.robot.charging,
        )

    def _left_of(self, motion: MotionAhead | None) -> MotionAhead | None:
        """What is left of a motion that a gate drives: not less than the pose shows."""
        asked = self._facts.round.asked
        if motion is None or asked is None:
            return motion
        pose = self._facts.state.robot.pose
        driven = math.hypot(pose.x - asked.pose.x, pose.y - asked.pose.y)
        return replace(motion, seconds=max(motion.seconds - driven, 0.0))

    def allowed_now(self) -> tuple[str, ...]:
        """Tools whose preconditions hold in this state, with their usual arguments."""
        anything = self.view_of(None, {})
        views = {drives: anything._replace(drives=drives) for drives in (False, True)}
        always = {drives: _all_hold(ALWAYS_ASKED, view) for drives, view in views.items()}
        return tuple(
            name
            for name, tool in self._facts.registry.items()
            if tool.skill.offered
            and always[tool.drives]
            and self._allows(tool, views[tool.drives])
        )

    def barred(self) -> Barred:
        """Offered tools that the robot's state stands against, each with why and what changes it.

        Not what passes by itself or is not known; a call of one passes all guards all the same.
        """
        anything = self._view(None, {}, settled=True)._replace(running=False, call_id='')
        asked = {each.name: each for every in self._conditions.values() for each in every}
        why = {name: self._bar(each, anything) for name, each in asked.items()}
        found = (
            (tool, next(filter(None, (why[each.name] for each in every)), ''))
            for tool, every in self._conditions.items()
        )
        return tuple((tool, reason) for tool, reason in found if reason)

    @cached_property
    def _conditions(self) -> Mapping[str, tuple[Precondition, ...]]:
        """Of the offered tools, those of the robot's own that no other tool brings about."""
        config, registry = self._facts.config, self._facts.registry
        found = {}
        for name, tool in registry.items():
            resolved = resolvers_of(tool, registry, config.executive.guards)
            found[name] = tuple(
                each
                for each in tool.preconditions
                if tool.skill.offered
                and each.name in config.robot.guards
                and each.name not in resolved
            )
        return found

    def _bar(self, condition: Precondition, view: GuardView) -> str:
        """Why a condition refuses, and what changes it; empty: it does not."""
        reading = condition.read(view)
        if reading.code is not GuardCode.REFUSED:
            return ''
        skills = {name: tool.skill for name, tool in self._facts.registry.items()}
        helper = resolver_of(condition.name, self._facts.config, skills)
        return f'{reading.reason}: {helper} first' if helper else reading.reason

    def _allowed_destinations(self) -> AllowedDestinations:
        """Who has named places that a drive may go to. A step's place is the memory's own."""
        facts, task = self._facts, self._facts.task
        by_people = facts.proposed_by in ('operator', 'tree') or facts.round.edited
        if task is None or by_people or facts.round.step is not None:
            return UNRESTRICTED
        near_m = facts.config.executive.memory.view_m
        said = task.goal if task.sender == 'operator' else ''
        places = self._named.of(said, self._persistent.progress, near_m)
        told = self._persistent.has_read and facts.config.prompts.memory.enabled and not task.tool
        if not told:
            return places
        return replace(places, has_read=True, before_restart=self._persistent.read_before_restart)

    def _allows(self, tool: Tool, usual: GuardView) -> bool:
        """Whether the tool's own preconditions hold; `usual`: the view of tools of its kind."""
        asked = tool.preconditions
        view = self.view_of(tool, {}) if asked and tool.guards_read_call else usual
        return _all_hold(asked, view)


def _all_hold(asked: Iterable[Precondition], view: GuardView) -> bool:
    return all(precondition.read(view).allowed for precondition in asked)
