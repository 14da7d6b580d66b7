"""What every behaviour may read: configuration, state, round and time of this tick.

Nothing can be changed through it. Who may change what is in `access.py`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
import math
from typing import Any

from bt_executive.core.call_table import ServerCall
from bt_executive.core.guards import ALWAYS_ASKED, GuardView, Precondition
from bt_executive.core.keep_out import KnownZones
from bt_executive.core.known_places import NOBODYS, KnownPlaces
from bt_executive.core.proposer import Proposer, proposer_in
from bt_executive.core.safety import is_recent
from bt_executive.core.state import BrainState, MotionEnding, Task
from bt_executive.core.verdict import GuardReading
from bt_executive.skills.registry import Registry, Tool
from bt_executive.tree.journal_keeper import JournalKeeper
from bt_executive.tree.known import Known
from bt_executive.tree.named_places import NamedPlaces
from bt_executive.tree.ports import Ports
from bt_executive.tree.recovery import Recovery
from bt_executive.tree.round import Round
from rover_common.clocks import Alarm, Now
from rover_common.config.settings import Config


class Facts:
    """The frozen facts of this tick. One thread uses it: the one that ticks.

    py_trees' blackboard is one dictionary for the whole process, so behaviours get this instead.
    """

    def __init__(self, config: Config, registry: Registry, ports: Ports, known: Known) -> None:
        self._config, self._registry = config, registry
        self._ports, self._known = ports, known
        self._keeper = JournalKeeper(ports.journal, known)
        self._zones = KnownZones()
        self._named = NamedPlaces(config, registry)
        self._now, self._alarm = Now.at(0.0), Alarm()  # of this tick only

    @property
    def config(self) -> Config:
        """The configuration; some of it changes between two ticks."""
        return self._config

    @property
    def registry(self) -> Registry:
        """The tools."""
        return self._registry

    @property
    def now(self) -> Now:
        """The tick's only time."""
        return self._now

    @property
    def state(self) -> BrainState:
        """What is known of robot, world, goals and operator."""
        return self._known.state

    @property
    def round(self) -> Round:
        """The round under way."""
        return self._known.round

    @property
    def task(self) -> Task | None:
        """The active task."""
        return self.state.tasks.active

    @property
    def recovery(self) -> Recovery | None:
        """The tool of an earlier life of which it is not known what has become."""
        return self._known.recovery

    @property
    def waiting_again(self) -> str:
        """The goal of an earlier life that waits for the robot; empty: there is none."""
        return self._known.taken_over

    @property
    def proposed_by(self) -> Proposer:
        """Whose tool the active task runs: the operator's, an agent's or the planner's."""
        return proposer_in(self.task)

    @property
    def proposed_tool(self) -> Tool | None:
        """The tool of the round's proposal, if there is one of that name."""
        return self.registry.get(self.round.tool)

    @property
    def holders(self) -> Mapping[str, str]:
        """Resource → id of the call that uses it."""
        return self._known.calls.leases.holders

    def conflicts(self, resources: Iterable[str]) -> dict[str, str]:
        """Those of `resources` that another call than the round's uses, with that call."""
        return self._known.calls.leases.conflicts(self.round.call_id, resources)

    def running_calls(self) -> tuple[ServerCall, ...]:
        """The calls to servers that have not ended, oldest first."""
        return self._known.calls.running()

    def adapter_alive(self) -> bool:
        """Whether the adapter has spoken lately."""
        limit = self.config.executive.guards.adapter_status_max_age_s
        return is_recent(self.state.robot.status_at, self.now, limit)

    def is_settled(self) -> bool:
        """Whether the adapter's status is younger than the latest end of a tool that moved."""
        end = self._known.latest_end
        return end is None or end.is_shown_by(self.state.robot)

    def motion_ending(self) -> MotionEnding | None:
        """How the adapter ended the motion of this round; None: not known that it has."""
        return self._known.permits.ending(self.round.permit, self.state.robot)

    def stop_is_confirmed(self) -> bool:
        """Whether no stop waits for its confirmation."""
        return self._known.stops.pending is None

    def pose_is_current(self) -> bool:
        """Whether it is known where the robot is now."""
        limit = self.config.executive.guards.pose_max_age_s
        return is_recent(self.state.robot.pose_at, self.now, limit)

    def call_id(self, kind: str, rest: str | int) -> str:
        """A name for a call that no other call has, in no life of the executive."""
        life = self._known.life
        return f'{kind}-{life}-{rest}' if life else f'{kind}-{rest}'

    def wake_at(self, *, robot: float = math.inf, steady: float = math.inf) -> None:
        """Asks for a tick at a time of the robot's clock, or of the steady one."""
        self._alarm = self._alarm.or_at(robot, steady)

    def view(self) -> GuardView:
        """What a guard may look at, for the round's proposal or the step that it has come to."""
        asked = self.round.step or self.round.proposal
        return self.view_of(
            self.registry.get(asked.tool) if asked else None, asked.arguments if asked else {}
        )

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
        motion = None
        if tool is not None and tool.skill.motion is not None:
            until = self.round.motion_until
            seconds = tool.motion_seconds(arguments) if until is None else until - self.now.robot
            motion = tool.motion_ahead(max(seconds, 0.0))
        return GuardView(
            state=self.state,
            settings=self.config.executive,
            now=self.now,
            holders=self.holders,
            call_id=self.round.call_id,
            usage=self._known.progress.usage(self.now),
            motion=motion,
            destination=tool.destination(arguments) if tool else None,
            drives=tool is None or tool.drives,
            running=self.round.under_way,
            settled=self.is_settled(),
            keep_out=self._zones.areas(self.config.executive.keep_out, self.state.world.keep_out),
            places=self._known_places(),
        )

    def _known_places(self) -> KnownPlaces:
        """Who has named places that a drive may go to. A step's place is the memory's own."""
        task = self.task
        by_operator = self.proposed_by == 'operator' or self.round.edited
        if task is None or by_operator or self.round.step is not None:
            return NOBODYS
        near_m = self.config.executive.memory.view_m
        said = task.goal if task.sender == 'operator' else ''
        places = self._named.of(said, self._known.progress, near_m)
        told = self._known.has_read and self.config.prompts.memory.enabled and not task.tool
        if not told:
            return places
        return replace(places, has_read=True, before_restart=self._known.read_before_restart)

    def allowed_now(self) -> tuple[str, ...]:
        """Tools whose preconditions hold in this state, with their usual arguments."""
        anything = self.view_of(None, {})
        views = {drives: anything._replace(drives=drives) for drives in (False, True)}
        always = {drives: _all_hold(ALWAYS_ASKED, view) for drives, view in views.items()}
        return tuple(
            name
            for name, tool in self.registry.items()
            if tool.skill.offered
            and always[tool.drives]
            and self._allows(tool, views[tool.drives])
        )

    def _allows(self, tool: Tool, usual: GuardView) -> bool:
        """Whether the tool's own preconditions hold; `usual`: the view of tools of its kind."""
        asked = tool.preconditions
        view = self.view_of(tool, {}) if asked and tool.looks_ahead else usual
        return _all_hold(asked, view)


def _all_hold(asked: Iterable[Precondition], view: GuardView) -> bool:
    return all(precondition.read(view).allowed for precondition in asked)
