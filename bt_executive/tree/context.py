"""What the behaviours share: the frozen state of this tick, the round under way, and the ports.

One `Context` per executive, touched by the tick thread alone. py_trees' blackboard is one
dictionary for the whole process, so behaviours get this object instead.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, field, replace
import math
from typing import Any, Protocol

from bt_executive.approval.registry import ApprovalRegistry
from bt_executive.core.call_table import CallTable
from bt_executive.core.error_codes import code_of_refusal
from bt_executive.core.event_memory import MemorySink
from bt_executive.core.guards import ALWAYS_ASKED, GuardView, Precondition, Usage
from bt_executive.core.inbox import Inbox
from bt_executive.core.keep_out import KnownZones
from bt_executive.core.no_graph import NoGraph
from bt_executive.core.observe import with_unknown_parts, with_zones
from bt_executive.core.outcome import INTERRUPTED
from bt_executive.core.permits import Permits
from bt_executive.core.ports import (
    GraphReader,
    ModelUse,
    Planner,
    PlannerOutput,
    Proposal,
    Robot,
    StreamChunk,
    ToolResult,
)
from bt_executive.core.progress import ProgressMonitor
from bt_executive.core.readiness import Readiness
from bt_executive.core.state import BrainState, Outcome, Pose, Task
from bt_executive.core.stop_confirmation import StopConfirmation
from bt_executive.core.tracer import Tracer
from bt_executive.core.verdict import GuardReading, Verdict
from bt_executive.skills.registry import Registry, Tool
from rover_common.clocks import Alarm, Now
from rover_common.config.settings import Config
from rover_common.config.values import with_values


def _nobody(_words: StreamChunk) -> None:
    """Hears nothing."""


def _all_hold(asked: Iterable[Precondition], view: GuardView) -> bool:
    return all(precondition.read(view).allowed for precondition in asked)


class GoalReporter(Protocol):
    """Tells whoever asked for a goal how it goes."""

    def feedback(self, task: Task, progress: GoalProgress, verdict: str, mode: str) -> None:
        """A step was decided."""

    def ended(self, task: Task, summary: dict[str, Any]) -> None:
        """The goal has ended; `summary` as in summary.json."""


@dataclass
class GoalProgress:
    """What a goal has come to so far. Distance in m, scores 0 to 1."""

    started_at: Now
    steps: int = 0
    refusals: int = 0
    tool: str = ''
    distance_m: float = 0.0
    energy_pct: float = 0.0  # charge used, rises not subtracted
    first_score: float | None = None
    last_score: float | None = None
    last_is_good: bool | None = None
    model: ModelUse = field(default_factory=ModelUse)
    monitor: ProgressMonitor = field(default_factory=ProgressMonitor)
    history: list[tuple[Proposal, ToolResult]] = field(default_factory=list)
    counts_from: Now = field(init=False)  # moved on by the time in which the goal was held back
    held_since: Now | None = None

    def __post_init__(self) -> None:
        self.counts_from = self.started_at

    def hold(self, now: Now) -> None:
        """The goal is held back: by a pause, by the battery, by a better goal."""
        self.held_since = self.held_since or now

    def go_on(self, now: Now) -> None:
        """The goal is pursued; the time in which it could not be does not count."""
        since, self.held_since = self.held_since, None
        if since is not None:
            self.counts_from = self.counts_from.later(
                now.robot - since.robot, now.steady - since.steady
            )

    def take_score(self, score: float, is_good: bool) -> None:
        """Notes a scored picture."""
        self.first_score = score if self.first_score is None else self.first_score
        self.last_score, self.last_is_good = score, is_good

    def usage(self, now: Now) -> Usage:
        """What counts against the goal's budgets."""
        elapsed_s = (self.held_since or now).since(self.counts_from)
        return Usage(self.steps, self.distance_m, self.energy_pct, elapsed_s)

    def summary(self, task: Task, outcome: Outcome, answer: str, now: Now) -> dict[str, Any]:
        """The goal's entry in summary.json."""
        return {
            'outcome': outcome,
            'goal': task.goal,
            'answer': answer,
            'steps': self.steps,
            'refusals': self.refusals,
            'first_score': self.first_score,
            'last_score': self.last_score,
            'distance_m': round(self.distance_m, 3),
            'wall_s': round(now.steady - self.started_at.steady, 3),
            'robot_s': round(now.robot - self.started_at.robot, 3),
            'model': asdict(self.model),
        }


@dataclass(frozen=True)
class Asked:
    """How things were when a tool's server was asked. `pose_stamp` in s of ROS time."""

    now: Now
    pose: Pose
    pose_stamp: float


@dataclass
class Round:
    """From the question for a tool to the decision what follows."""

    call_id: str
    output: PlannerOutput | None = None
    verdict: Verdict | None = None
    result: ToolResult | None = None
    error_code: str = ''  # TIMED_OUT, UNAVAILABLE, LOST, FAILED
    ran: bool = False  # a tool was started
    began: Now | None = None  # when it was started
    distance_before_m: float = 0.0  # driven by the goal until then
    metrics: dict[str, float] = field(default_factory=dict)  # of the tool, once it has ended
    asked: Asked | None = None  # when its server was asked
    motion_until: float | None = None  # the robot's time, s; a timed motion is under way
    cut_short: str | None = None  # why the motion under way ended before its time
    finished: str = ''  # the planner's tool `finish`, with its answer
    aborted: str = ''  # the planner's tool `abort`, with its reason
    owed: ToolResult | None = None  # what the planner waits for while the operator is asked
    edited: bool = False  # the operator changed the arguments
    attempt: int = 1
    ended_at: float | None = None  # steady, s

    @property
    def proposal(self) -> Proposal | None:
        """The tool that was asked for in this round."""
        return self.output if isinstance(self.output, Proposal) else None

    @property
    def tool(self) -> str:
        """Its name; empty if none was asked for."""
        return self.proposal.tool if self.proposal else ''

    @property
    def outcome(self) -> ToolResult:
        """The tool's own result, or why it did not run, was stopped or was preempted."""
        if self.ran and self.ended_at is None:
            return INTERRUPTED
        refusal = self.verdict.refusal if self.verdict else None
        if self.verdict is None or refusal is None:
            return self.result or ToolResult(ok=False, error_reason='Ended without a result')
        data = {'refused_by': refusal.guard, 'allowed_now': list(self.verdict.allowed_now)}
        return ToolResult(ok=False, error_reason=refusal.reason, data=data)

    @property
    def code(self) -> str:
        """The error code of the tool, or of the guard that refused it; empty if there is none."""
        refusal = self.verdict.refusal if self.verdict else None
        return code_of_refusal(refusal.guard) if refusal else self.error_code

    @property
    def refused(self) -> bool:
        """Whether a guard refused or stopped the tool."""
        return self.verdict is not None and not self.verdict.allowed


@dataclass
class Context:
    """State and ports. `now` is set at the start of each tick and is the tick's only time."""

    config: Config
    registry: Registry
    inbox: Inbox
    robot: Robot
    planner: Planner
    reporter: GoalReporter
    tracer: Tracer
    memory: MemorySink
    now: Now = field(default_factory=lambda: Now.at(0.0))
    state: BrainState = field(default_factory=BrainState)
    calls: CallTable = field(default_factory=CallTable)
    approvals: ApprovalRegistry = field(default_factory=ApprovalRegistry)
    stops: StopConfirmation = field(default_factory=StopConfirmation)
    permits: Permits = field(init=False)
    round: Round = field(default_factory=lambda: Round('none'))
    progress: GoalProgress = field(default_factory=lambda: GoalProgress(Now.at(0.0)))
    parked: dict[str, GoalProgress] = field(default_factory=dict)  # task id → what it had come to
    readiness: Readiness = field(default_factory=Readiness)
    graph: GraphReader = field(default_factory=NoGraph)
    listener: Callable[[StreamChunk], None] = _nobody  # hears the model while it speaks
    planner_goal: str | None = None  # task for which the planner was started
    alarm: Alarm = field(default_factory=Alarm)  # when a behaviour wants the next tick
    rounds: int = 0
    zones: KnownZones = field(default_factory=KnownZones)

    def __post_init__(self) -> None:
        self.permits = Permits(lambda permit: self.robot.permit(permit))
        self.replace(skills=replace(self.state.skills, registry=self.registry.definitions()))
        self.state = with_unknown_parts(self.state, self.config.skills.parts)
        self.state = with_zones(self.state, self.config.executive, self.state.world.keep_out)

    def reconfigure(self, values: Mapping[str, Any]) -> None:
        """Takes new values of the configuration, by dotted file, section and key."""
        paths = {tuple(key.split('.')): value for key, value in values.items()}
        self.config = with_values(self.config, paths)
        told = ', '.join(f'{".".join(path[1:])} = {value}' for path, value in paths.items())
        self.tracer.emit('OBSERVE', f'Parameters were set: {told}')

    @property
    def task(self) -> Task | None:
        """The active task."""
        return self.state.tasks.active

    @property
    def proposed_by(self) -> str:
        """Whose tool the active task runs, for the trace."""
        return 'operator' if self.task and self.task.tool else 'planner'

    def view(self) -> GuardView:
        """What a guard may look at, for the round's proposal."""
        proposal = self.round.proposal
        tool = self.registry.get(proposal.tool) if proposal else None
        return self.view_of(tool, proposal.arguments if proposal else {})

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
            now=self.now.steady,
            holders=self.calls.leases.holders,
            call_id=self.round.call_id,
            usage=self.progress.usage(self.now),
            motion=motion,
            destination=tool.destination(arguments) if tool else None,
            drives=tool is None or tool.drives,
            awake_since=self.now.awake_since,
            keep_out=self.zones.areas(self.config.executive.keep_out, self.state.world.keep_out),
        )

    def replace(self, **parts: Any) -> None:
        """Replaces top-level parts of the state."""
        self.state = replace(self.state, **parts)

    def begin_tool(self) -> None:
        """Notes that the round's tool starts now."""
        this = self.round
        this.ran, this.began, this.distance_before_m = True, self.now, self.progress.distance_m

    def measure_tool(self) -> dict[str, float]:
        """How long the round's tool has run, and how far the robot was driven meanwhile."""
        began = self.round.began
        if began is None:
            return {}
        return {
            'robot_s': round(self.now.robot - began.robot, 3),
            'wall_s': round(self.now.steady - began.steady, 3),
            'distance_m': round(self.progress.distance_m - self.round.distance_before_m, 3),
        }

    def adapter_alive(self) -> bool:
        """Whether the adapter has spoken lately."""
        seen_at = self.state.robot.status_at
        limit = self.config.executive.guards.adapter_status_max_age_s
        return seen_at is not None and self.now.silent_for(seen_at) <= limit

    def wake_at(self, *, robot: float = math.inf, steady: float = math.inf) -> None:
        """Asks for a tick at a time of the robot's clock, or of the steady one."""
        self.alarm = self.alarm.or_at(robot, steady)

    def refuse(self, reading: GuardReading) -> None:
        """Enters that a guard refused the round's tool."""
        proposal = self.round.proposal
        tool = proposal.tool if proposal else ''
        self.round.verdict = Verdict(tool, (reading,), self.allowed_now())

    def allowed_now(self) -> tuple[str, ...]:
        """Tools whose preconditions hold in this state, with their usual arguments."""
        anything = self.view_of(None, {})  # what is always asked looks at no tool but by `drives`
        always = {
            drives: _all_hold(ALWAYS_ASKED, replace(anything, drives=drives))
            for drives in (False, True)
        }
        return tuple(
            name
            for name, tool in self.registry.items()
            if always[tool.drives] and self._allows(tool)
        )

    def _allows(self, tool: Tool) -> bool:
        asked = tool.preconditions
        return not asked or _all_hold(asked, self.view_of(tool, {}))

    def new_round(self, attempt: int = 1, output: PlannerOutput | None = None) -> None:
        """Begins a round; a retry brings the proposal of the last one."""
        self.rounds += 1
        self.round = Round(call_id=f'call-{self.rounds}', output=output, attempt=attempt)
