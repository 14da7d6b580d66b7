"""Makes the views that guards read: of a proposed, running or possible call."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property
import math
import operator
from typing import Any, Protocol

from bt_executive.core.drive_destinations import UNRESTRICTED, AllowedDestinations
from bt_executive.core.executive_ports import Barred
from bt_executive.core.goal_queue import Proposer, Task
from bt_executive.core.guard_view_and_verdict import (
    GuardCode,
    GuardReading,
    GuardView,
    MotionAhead,
    ZoneCache,
    refuses,
)
from bt_executive.core.guards import ALWAYS_ASKED, Precondition
from bt_executive.core.reduce_robot_inputs import with_young_values
from bt_executive.core.state import BrainState, Mode
from bt_executive.skills.tool_registry import Registry, Tool, resolver_of, resolvers_of
from bt_executive.tree.persistent_state import PersistentState
from bt_executive.tree.places_named_in_goal import NamedPlaces
from bt_executive.tree.planning_round import Round
from rover_common.clocks import Now
from rover_common.config.settings import Config
from rover_common.dataclass_replace import replace


class GuardAccess(Protocol):
    """What guard views need of the context; a part of each role (`context_roles.py`)."""

    @property
    def config(self) -> Config:
        """The configuration, of which some can change between ticks."""

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
        """The present round."""

    @property
    def task(self) -> Task | None:
        """The active task."""

    @property
    def proposed_by(self) -> Proposer:
        """The proposer of the active task's tools."""

    @property
    def holders(self) -> Mapping[str, str]:
        """Resource → id of the call that holds it."""

    @property
    def moved_gates(self) -> frozenset[str]:
        """The gates at which the executive permits a motion now."""

    def permitted_at(self, gate: str) -> float | None:
        """Returns when a gate's motion was permitted, in steady s; None: it is not."""

    def is_settled(self) -> bool:
        """Returns whether the adapter's status is younger than the end of the latest motion."""

    def changed_at(self) -> float:
        """Returns until when values of topics may be older than the previous tool's end, steady s.

        A topic without messages for longer than `MAY_BE_SILENT_S` is not waited for.
        """

    def hindrance_around(self) -> GuardReading | None:
        """Returns which guard of what the present call is a part of refuses it now."""


class GuardViews:
    """Makes the views of one executive, from the context in the present tick."""

    def __init__(
        self, context: GuardAccess, persistent: PersistentState, named: NamedPlaces
    ) -> None:
        self._context, self._persistent, self._named = context, persistent, named
        self._zones = ZoneCache()
        self._made_of: tuple[Any, ...] = ()  # sources of the running tool's view
        self._running: GuardView | None = None

    def view(self) -> GuardView:
        """Returns the view for the round's proposal, or for its present step."""
        return self._of_round(self._context.is_settled(), self._context.changed_at())

    def view_of_running(self) -> GuardView:
        """Returns the view for the guards of a running tool, made once per tick.

        Whether the status is recent is checked before, and again when the server is called.
        """
        context = self._context
        made_of = context.now, context.state, context.round, self._persistent.calls.leases.changes
        if self._running is None or any(map(operator.is_not, made_of, self._made_of)):
            self._running, self._made_of = self._of_round(settled=True), made_of
        return self._running

    def _of_round(self, settled: bool, changed_at: float = -math.inf) -> GuardView:
        asked = self._context.round.step or self._context.round.proposal
        tool = self._context.registry.get(asked.tool) if asked else None
        return self._view(tool, asked.arguments if asked else {}, settled, changed_at)

    def hindrance(self, tool: Tool, arguments: Mapping[str, Any]) -> GuardReading | None:
        """Returns the first precondition that refuses to call the tool's server now; None: none.

        For a running tool, guards ignore a suspension of the executive and the tool's own motion;
        a call of its server needs readings that have arrived since. Nothing is called in the rest
        of a tick in which another tool has made SAFE.
        """
        unsafe = self._context.state.world.safety_reason
        if unsafe:
            return refuses('mode_allows', f'Safety event: {unsafe}', Mode.SAFE.value, passing=True)
        view = self.view_of(tool, arguments)._replace(
            state=self._state_to_begin_on(), running=False, call_id=''
        )
        return _first_refusal(tool.preconditions, view) or self._context.hindrance_around()

    def hindrance_by(self, around: Iterable[Precondition]) -> GuardReading | None:
        """Returns which guard of a running tool refuses to call another server for it now."""
        return _first_refusal(
            around, self.view_of_running()._replace(state=self._state_to_begin_on())
        )

    def view_of(self, tool: Tool | None, arguments: Mapping[str, Any]) -> GuardView:
        """Returns the view for a call of `tool` with checked `arguments`."""
        context = self._context
        return self._view(tool, arguments, context.is_settled(), context.changed_at())

    def _view(
        self,
        tool: Tool | None,
        arguments: Mapping[str, Any],
        settled: bool,
        changed_at: float = -math.inf,
    ) -> GuardView:
        context, motion = self._context, None
        if tool is not None and tool.skill.motion is not None:
            until = context.round.motion_until
            seconds = (
                tool.motion_seconds(arguments) if until is None else until - context.now.robot
            )
            motion = tool.motion_ahead(max(seconds, 0.0))
        elif tool is not None:
            motion = self._left_of(tool.gate_motion_ahead(arguments))
        settings, world = context.config.executive, context.state.world
        runs = context.round.under_way
        return GuardView(
            state=context.state if runs else self._state_to_begin_on(),
            settings=settings,
            now=context.now,
            holders=context.holders,
            call_id=context.round.call_id,
            usage=self._persistent.progress.usage(context.now),
            motion=motion,
            destination=tool.destination(arguments) if tool else None,
            drives=tool is None or tool.drives,
            running=runs,
            settled=settled,
            changed_at=changed_at,
            keep_out=self._zones.areas(settings.keep_out, world.keep_out),
            places=self._allowed_destinations(),
            tool=tool.name if tool else '',
            arguments=arguments,
            gate=tool.skill.gate if tool else '',
            moved_gates=context.moved_gates,
            permitted_at=context.permitted_at(tool.skill.gate) if tool else None,
            charges=tool is not None and tool.name in context.config.robot.charging,
        )

    def _state_to_begin_on(self) -> BrainState:
        """Returns the state without what a standstill of the executive has made old."""
        context = self._context
        state, fields = context.state, context.config.robot.from_topics
        robot = with_young_values(state.robot, context.now, fields)
        return state if robot is state.robot else replace(state, robot=robot)

    def _left_of(self, motion: MotionAhead | None) -> MotionAhead | None:
        """Returns the rest of a gate's motion, by the robot's pose."""
        asked = self._context.round.asked
        if motion is None or asked is None:
            return motion
        pose = self._context.state.robot.pose
        driven = math.hypot(pose.x - asked.pose.x, pose.y - asked.pose.y)
        return replace(motion, seconds=max(motion.seconds - driven, 0.0))

    def allowed_now(self) -> tuple[str, ...]:
        """Returns tools whose preconditions hold in this state, with default arguments."""
        anything = self.view_of(None, {})
        views = {drives: anything._replace(drives=drives) for drives in (False, True)}
        always = {drives: _all_hold(ALWAYS_ASKED, view) for drives, view in views.items()}
        return tuple(
            name
            for name, tool in self._context.registry.items()
            if tool.skill.offered
            and always[tool.drives]
            and self._allows(tool, views[tool.drives])
        )

    def barred(self) -> Barred:
        """Returns offered tools that the robot's state refuses, with reason and remedy.

        Passing and unknown refusals are left out. A call of such a tool is checked by all guards.
        """
        anything = self._view(None, {}, settled=True)._replace(running=False, call_id='')
        why: dict[str, str] = {}  # condition → why it refuses, and the remedy
        for condition in self._asked:
            reading = condition.read(anything)
            if reading.code is GuardCode.REFUSED:
                helper = self._helpers[condition.name]
                why[condition.name] = reading.reason + (f': {helper} first' if helper else '')
        found = (
            (tool, next((why[each.name] for each in every if each.name in why), ''))
            for tool, every in (self._conditions.items() if why else ())
        )
        return tuple((tool, reason) for tool, reason in found if reason)

    @cached_property
    def _asked(self) -> tuple[Precondition, ...]:
        """Those of `_conditions`, each once."""
        every = (each for conditions in self._conditions.values() for each in conditions)
        return tuple({each.name: each for each in every}.values())

    @cached_property
    def _helpers(self) -> Mapping[str, str]:
        """Condition → the tool that makes it true; empty: there is none."""
        skills = {name: tool.skill for name, tool in self._context.registry.items()}
        config = self._context.config
        return {each.name: resolver_of(each.name, config, skills) for each in self._asked}

    @cached_property
    def _conditions(self) -> Mapping[str, tuple[Precondition, ...]]:
        """Offered tool → the conditions of robot.yaml that no other tool can satisfy."""
        config, registry = self._context.config, self._context.registry
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

    def _allowed_destinations(self) -> AllowedDestinations:
        """Returns the allowed destinations of a drive. Those of a step come from the memory."""
        context, task = self._context, self._context.task
        by_people = context.proposed_by in ('operator', 'tree') or context.round.edited
        if task is None or by_people or context.round.step is not None:
            return UNRESTRICTED
        near_m = context.config.executive.memory.view_m
        goal = task.goal if task.sender == 'operator' else ''
        places = self._named.of(goal, self._persistent.progress, near_m)
        reads_memory = (
            self._persistent.has_read and context.config.prompts.memory.enabled and not task.tool
        )
        if not reads_memory:
            return places
        return replace(places, has_read=True, before_restart=self._persistent.read_before_restart)

    def _allows(self, tool: Tool, usual: GuardView) -> bool:
        """Returns whether the tool's own preconditions hold; `usual`: the view of others."""
        asked = tool.preconditions
        view = self.view_of(tool, {}) if asked and tool.guards_read_call else usual
        return _all_hold(asked, view)


def _first_refusal(asked: Iterable[Precondition], view: GuardView) -> GuardReading | None:
    readings = (precondition.read(view) for precondition in asked)
    return next((reading for reading in readings if not reading.allowed), None)


def _all_hold(asked: Iterable[Precondition], view: GuardView) -> bool:
    return all(precondition.read(view).allowed for precondition in asked)
