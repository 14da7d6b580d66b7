"""The context that the behaviours share, each in a role of its own (context_roles.py).

There is one per executive, used by the tick thread alone. py_trees' blackboard is one dictionary
for the whole process, so behaviours get this instead.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
import math
from operator import attrgetter
from typing import Any

from bt_executive.approval.approval_registry import ApprovalRegistry
from bt_executive.core.call_table import CallTable, ServerCall
from bt_executive.core.executive_ports import PendingResult, PlannerOutput, ToolResult
from bt_executive.core.given_permits import Permits
from bt_executive.core.goal_queue import Proposer, Task, proposer_in
from bt_executive.core.guard_view_and_verdict import GuardReading, Verdict
from bt_executive.core.inputs import SafetyEvent
from bt_executive.core.node_readiness import Readiness
from bt_executive.core.reading_ages import MAY_BE_SILENT_S, LatestEnd, is_recent, is_reporting
from bt_executive.core.reduce_robot_inputs import with_unknown_parts, with_zones
from bt_executive.core.requested_acts import RequestedActs
from bt_executive.core.robot_state import MotionEnding
from bt_executive.core.state import BrainState
from bt_executive.core.stop_confirmation import StopConfirmation
from bt_executive.core.store_port import Durability
from bt_executive.core.surroundings_state import with_changes
from bt_executive.core.trace import TraceData
from bt_executive.core.value_formatting import format_value
from bt_executive.skills.tool_registry import Registry, Tool
from bt_executive.tree.checkpoint_writer import CheckpointWriter
from bt_executive.tree.composite_progress import CompositeProgress
from bt_executive.tree.goal_progress import GoalProgress
from bt_executive.tree.making_guard_views import GuardViews
from bt_executive.tree.persistent_state import PersistentState, Recovery, SteppingPart
from bt_executive.tree.places_named_in_goal import NamedPlaces
from bt_executive.tree.planning_round import DrivenBefore, Round
from bt_executive.tree.tree_ports import Ports
from rover_common.clocks import Alarm, Now
from rover_common.config.config_values import with_values
from rover_common.config.settings import Config, Endpoint
from rover_common.dataclass_replace import replace


def _of_persistent(name: str) -> Any:
    """Return a property that reads and replaces a part of the persistent state."""

    def set_part(context: Context, value: Any) -> None:
        setattr(context.persistent, name, value)

    return property(attrgetter(f'persistent.{name}'), set_part)


class Context:
    """Implements every role; `context_roles.py` describes the members.

    Args:
        persistent: That of the previous run; by default an empty one.

    Attributes:
        ports: What the executive is connected to.
        persistent: The state from one tick to the next.
        readiness: Of the nodes behind the tools.
        alarm: When a behaviour wants the next tick.
    """

    def __init__(
        self,
        config: Config,
        registry: Registry,
        ports: Ports,
        persistent: PersistentState | None = None,
    ) -> None:
        self.config, self.registry, self.ports = config, registry, ports
        self.persistent = persistent = persistent or PersistentState(Permits(ports.robot.permit))
        self.inbox, self.tracer, self.robot = ports.inbox, ports.tracer, ports.robot
        self.planner, self.reporter, self.reader = ports.planner, ports.reporter, ports.reader
        self.checkpoints = CheckpointWriter(ports.store, persistent, ports.tracer)
        self.named = NamedPlaces(config, registry)
        self.guards = GuardViews(self, persistent, self.named)
        self.readiness = Readiness()
        self.planner_goal: str | None = None
        self.requested_acts: tuple[str, PendingResult[RequestedActs]] | None = None
        self.now, self.alarm = Now.at(0.0), Alarm()  # of this tick only
        self.replace(skills=replace(self.state.skills, registry=registry.definitions()))
        self.state = with_unknown_parts(self.state, config.robot)
        self.state = with_zones(self.state, config.executive, self.state.world.keep_out)

    state: BrainState = _of_persistent('state')
    round: Round = _of_persistent('round')
    progress: GoalProgress = _of_persistent('progress')
    to_adopt: tuple[str, ...] = _of_persistent('to_adopt')
    calls: CallTable = _of_persistent('calls')
    permits: Permits = _of_persistent('permits')
    stops: StopConfirmation = _of_persistent('stops')
    approvals: ApprovalRegistry = _of_persistent('approvals')
    parked: dict[str, GoalProgress] = _of_persistent('parked')
    recovery: Recovery | None = _of_persistent('recovery')
    resumed_goal: str = _of_persistent('resumed_goal')

    def replace(self, **parts: Any) -> None:
        self.persistent.state = replace(self.persistent.state, **parts)

    @property
    def composites(self) -> Mapping[str, CompositeProgress]:
        return self.round.composites

    @composites.setter
    def composites(self, changed: Mapping[str, CompositeProgress]) -> None:
        self.round = replace(self.round, composites=changed)

    @property
    def resolved(self) -> frozenset[str]:
        return self.round.resolved

    def note_resolved(self, preconditions: Iterable[str]) -> None:
        resolved = self.round.resolved.union(preconditions)
        if resolved != self.round.resolved:
            self.round = replace(self.round, resolved=resolved)

    @property
    def scope(self) -> str:
        """Returns the prefix of the places of the proposed tool's members."""
        return ''

    def forget_recovery(self) -> None:
        self.persistent.recovery = None

    @property
    def is_kept(self) -> bool:
        """Returns whether the next run will find the goals in the store."""
        durability = self.checkpoints.store.durable(self.checkpoints.put())
        kept = durability in (Durability.ON_DISK, Durability.WAITING)
        return self.persistent.run > 0 and kept

    def begin_tick(self, now: Now) -> None:
        """Sets the time of the tick, and clears the alarm for the next one."""
        self.now, self.alarm = now, Alarm()
        self.checkpoints.begin_tick(now)

    def wake_at(self, *, robot: float = math.inf, steady: float = math.inf) -> None:
        self.alarm = self.alarm.or_at(robot, steady)

    def reconfigure(self, values: Mapping[str, Any]) -> None:
        """Applies new values of the configuration, by dotted file, section and key."""
        paths = {tuple(key.split('.')): value for key, value in values.items()}
        self.config = with_values(self.config, paths)
        if any(path[1:2] == ('approval',) for path in paths):
            approval = self.config.executive.approval
            self.persistent.stepping = SteppingPart(approval.step, tuple(approval.break_at))
        named = {'.'.join(path[1:]): value for path, value in paths.items()}
        changes = ', '.join(f'{name} is now {_as_written(value)}' for name, value in named.items())
        data: TraceData = {'parameters': dict(values)}
        self.tracer.emit('OBSERVE', f'Settings changed: {changes}', data=data)

    def make_safe(self, tool: str, reason: str, code: str | None) -> None:
        event, world = SafetyEvent(f'{tool}: {reason} ({code})', tool), self.state.world
        self.inbox.put(event)
        self.replace(world=replace(world, safety_reason=world.safety_reason or event.reason))

    def adapter_alive(self) -> bool:
        permitted_at = max(self.permits.given_at.values(), default=None)
        guards = self.config.executive.guards
        return is_reporting(self.state.robot.status_at, permitted_at, self.now, guards)

    def pose_is_current(self) -> bool:
        limit = self.config.executive.guards.pose_max_age_s
        return is_recent(self.state.robot.pose_at, self.now, limit)

    def is_settled(self) -> bool:
        if self._others_move() or self._is_still_stopping() or self._may_still_change():
            return False
        end = self.persistent.latest_end
        return end is None or end.is_shown_by(self.state.robot)

    def changed_at(self) -> float:
        end = self.persistent.latest_end
        if self._others_move() or self._may_still_change():
            return math.inf
        if end is None or self.now.steady >= end.at + MAY_BE_SILENT_S:
            return -math.inf
        self.wake_at(steady=end.at + MAY_BE_SILENT_S)
        return end.at

    def _is_still_stopping(self) -> bool:
        """Returns whether the round's motion has ended, and its stop has no response yet."""
        this = self.round
        if not this.permit or this.ended_at is None:
            return False
        return any(each.call_id == this.call_id for each in self.calls.running())

    def _may_still_change(self) -> bool:
        """Returns whether the server of an ended tool may still change what guards read.

        A stop of the base has no endpoint; `ConfirmStop` sees to it.
        """
        own, finished = self.round.call_id, self.calls.of_ended_tools()
        busy = {each.call_id for each in finished if each.endpoint and not each.ended} - {own}
        tools = (self.registry.get(each.skill) for each in finished if each.call_id in busy)
        return any(tool is not None and self._are_read(tool.changes) for tool in tools)

    def _are_read(self, changes: Iterable[str]) -> bool:
        """Returns whether guards may depend on what has changed."""
        robot = self.config.robot
        return not {*robot.moving_resources, *robot.types}.isdisjoint(changes)

    def _others_move(self) -> bool:
        moving, own = self.config.robot.moving_resources, self.round.call_id
        others = {self.holders.get(name, own) for name in moving} - {own}
        return any(map(self._may_still_move, others))

    def _may_still_move(self, _holder: str) -> bool:
        """Returns True: a preempted call may still move its part, and no status shows its end."""
        return True

    def motion_ending(self) -> MotionEnding | None:
        return self.permits.ending(self.round.permit, self.state.robot)

    def stop_is_confirmed(self) -> bool:
        return self.stops.pending is None

    @property
    def holders(self) -> Mapping[str, str]:
        return self.calls.leases.holders

    @property
    def moved_gates(self) -> frozenset[str]:
        return frozenset(self.permits.given)

    def permitted_at(self, gate: str) -> float | None:
        permitted_at, status_at = self.permits.given_at.get(gate), self.state.robot.status_at
        if permitted_at is not None and status_at is not None:
            limit = self.config.executive.guards.adapter_status_moving_max_age_s
            due = max(permitted_at, status_at) + limit
            if due > self.now.steady:
                self.wake_at(steady=due)
        return permitted_at

    def conflicts(self, resources: Iterable[str]) -> dict[str, str]:
        return self.calls.leases.conflicts(self.round.call_id, resources)

    def running_calls(self) -> tuple[ServerCall, ...]:
        return self.calls.running()

    def call_id(self, kind: str, rest: str | int) -> str:
        return self.persistent.call_id(kind, rest)

    def note_moved(self, call_id: str, resources: Iterable[str]) -> None:
        latest = self.persistent.latest_end
        is_open = any(call.call_id == call_id for call in self.calls.running())
        if (
            self._are_read(resources)
            and not is_open
            and (latest is None or latest.call_id != call_id)
        ):
            self.persistent.latest_end = LatestEnd(call_id, self.permits.repeat(), self.now.steady)

    def absence(self, endpoint: Endpoint) -> str:
        silent = self.calls.silent.get(endpoint)
        if silent is not None and self.robot.ready(endpoint):
            return silent.absence
        if any(call.ending and call.endpoint == endpoint for call in self.calls.running()):
            return 'has not ended its last goal yet'
        missing = 'has no subscriber' if endpoint.kind == 'topic' else 'is not there'
        return '' if self.robot.ready(endpoint) else missing

    def hindrance_around(self) -> GuardReading | None:
        tool = self.proposed_tool if self.round.step else None
        return None if tool is None else self.guards.hindrance_by(tool.preconditions)

    @property
    def task(self) -> Task | None:
        return self.state.tasks.active

    @property
    def proposed_by(self) -> Proposer:
        return proposer_in(self.task)

    def remembered(self) -> tuple[str, ...]:
        return self.ports.memory.lines()

    def note_reported(self, tool: str) -> None:
        if self.named.brings_text(tool):
            self.persistent.has_read = True

    def note_ended(self, task: Task) -> None:
        if task.sender == 'agent':
            self.persistent.has_read = True

    @property
    def proposed_tool(self) -> Tool | None:
        return self.registry.get(self.round.tool)

    def new_round(
        self,
        attempt: int = 1,
        output: PlannerOutput | None = None,
        owed: ToolResult | None = None,
        edited: bool = False,
        before: DrivenBefore | None = None,
    ) -> None:
        self.persistent.rounds += 1
        self.round = Round(
            call_id=self.call_id('call', self.persistent.rounds),
            output=output,
            attempt=attempt,
            owed=owed,
            edited=edited,
            before=before,
        )

    def go_on_with(self, composites: Mapping[str, CompositeProgress]) -> None:
        this = self.round
        self.new_round(this.attempt, this.output, edited=this.edited)
        self.composites = composites

    def refuse(self, reading: GuardReading) -> None:
        verdict = Verdict(self.round.tool, (reading,), self.guards.allowed_now())
        self.round = replace(self.round, verdict=verdict)

    def fail(self, code: str, reason: str, result: ToolResult | None = None) -> None:
        result = result or ToolResult(ok=False, error_reason=reason)
        self.round = replace(self.round, error_code=code, result=result)

    def begin_tool(self, resources: Iterable[str]) -> None:
        driven_m = self.progress.distance_m
        self.round = replace(self.round, ran=True, began=self.now, distance_before_m=driven_m)
        task = self.task
        if task is not None and not {*resources} <= {*task.resources_required}:
            used = tuple(dict.fromkeys((*task.resources_required, *resources)))
            self.replace(tasks=self.state.tasks.with_task(replace(task, resources_required=used)))

    def count_driven(self, metres: float) -> None:
        missing_m = self.round.distance_before_m + metres - self.progress.counted_m
        self.progress.distance_m += max(missing_m, 0.0)

    def count_unsaved(self, metres: float) -> None:
        self.progress.distance_m += metres

    def note_score(self, result: ToolResult) -> None:
        if result.score is None:
            return
        score, is_good = result.score, bool(result.data.get('is_good'))
        self.progress.add_score(score, is_good)
        seen = {'last_score': score, 'last_is_good': is_good, 'last_score_ts': self.now.ros}
        self.replace(world=with_changes(self.state.world, **seen))

    def measure_tool(self) -> dict[str, float]:
        began = self.round.began
        if began is None:
            return {}
        return {
            'robot_s': round(self.now.robot - began.robot, 3),
            'wall_s': round(self.now.steady - began.steady, 3),
            'distance_m': round(self.progress.distance_m - self.round.distance_before_m, 3),
        }

    def end_tool(self) -> None:
        if self.round.ended_at is None:
            self.round = replace(self.round, ended_at=self.now.steady, metrics=self.measure_tool())


def _as_written(value: Any) -> str:
    """Return a value of the configuration as text; a boolean as in its file."""
    return str(value).lower() if isinstance(value, bool) else format_value(value)
