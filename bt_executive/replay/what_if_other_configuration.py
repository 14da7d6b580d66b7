"""Compares the recorded verdicts of a run with those of the guards of another configuration.

Sensor readings, resets and parameters are reduced again, because thresholds such as that of a low
battery apply to the reduction. Goals, calls, leases and budgets are those of the recorded run: the
effects of other decisions are not simulated.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from bt_executive.approval.approval_request import GUARD as HUMAN
from bt_executive.core.executive_ports import Proposal
from bt_executive.core.given_permits import Permits
from bt_executive.core.guard_view_and_verdict import GuardReading, Verdict
from bt_executive.core.guards import ALWAYS_ASKED
from bt_executive.core.inputs import (
    BatteryReceived,
    Input,
    MemoryReceived,
    ParametersSet,
    PoseReceived,
    ResetRequested,
    SafetyEvent,
    StatusReceived,
    TopicReceived,
    ZonesReceived,
)
from bt_executive.core.modes import arbitrate
from bt_executive.core.reduce_robot_inputs import with_zones
from bt_executive.core.state import BrainState
from bt_executive.core.trace import MemorySink, TraceData, TraceFields, Tracer
from bt_executive.replay.recorded_run import RecordedRun
from bt_executive.replay.recorded_ticks import RecordedTick
from bt_executive.replay.replay_of_process import Difference, Replay
from bt_executive.replay.replayed_ports import Tape, replayed_ports
from bt_executive.skills.tool_registry import Registry, resolvers_of
from bt_executive.store.tick_recorder import DRAIN
from bt_executive.tree.behaviours.planning.ask_planner_and_check_proposal import CheckProposal
from bt_executive.tree.behaviours.sense import Sense
from bt_executive.tree.branch_conditions import why_no_approval
from bt_executive.tree.context import Context
from bt_executive.tree.persistent_state import PersistentState
from rover_common.clocks import Now
from rover_common.config.settings import Config
from rover_common.errors import ConfigError

SENSED_INPUTS = (
    *(PoseReceived, StatusReceived, BatteryReceived, ZonesReceived, MemoryReceived, TopicReceived),
    *(SafetyEvent, ResetRequested),
)


class OtherConfiguration:
    """Follows a replayed run and judges its proposals by `config`.

    `notes` receives sentences about parameters that were set in the run and are invalid here.

    Raises:
        ConfigError: The tools of the configuration cannot be used.
    """

    def __init__(self, config: Config, notes: list[str]) -> None:
        self._tape, self._notes = Tape(), notes
        memory = MemorySink(1)
        tracer = Tracer('', [], lambda: 0.0)
        ports, registry = replayed_ports(self._tape, tracer, memory), Registry(config)
        self._sensing = Context(config, registry, ports)
        self._persistent = PersistentState(Permits(ports.robot.permit))
        self._judging = Context(config, registry, ports, self._persistent)
        self._sense = Sense('Look at the world', self._sensing)
        self._check = CheckProposal('Check the proposal', self._judging)

    def apply(self, now: Now, inputs: Sequence[Input]) -> None:
        """Reduces the inputs of a tick; to be called before the tick is replayed."""
        for event in inputs:
            if isinstance(event, ParametersSet):
                self._set(event)
        sensed = [event for event in inputs if isinstance(event, SENSED_INPUTS)]
        self._tape.values = {(DRAIN, 1): sensed}
        self._tape.calls.clear()
        self._sensing.begin_tick(now)
        self._sense.update()
        self._sensing.tracer.flush()

    def judge(self, replayed: Context, proposal: Proposal) -> tuple[Verdict, bool]:
        """Return the verdict on a proposal at this tick, and whether it needs approval."""
        self._follow(replayed)
        verdict = self._check.judge(proposal)
        return verdict, verdict.allowed and why_no_approval(self._judging) is None

    def refusal_while_running(self, replayed: Context) -> GuardReading | None:
        """Return the reading of the first guard that would stop the running tool at this tick."""
        self._follow(replayed)
        context, tool = self._judging, self._judging.proposed_tool
        if tool is None:
            return None
        resolvable = resolvers_of(tool, context.registry, context.config.executive.guards)
        view = context.guards.view()
        conditions = [each for each in tool.preconditions if each.name not in resolvable]
        readings = (condition.read(view) for condition in (*ALWAYS_ASKED, *conditions))
        return next((reading for reading in readings if not reading.allowed), None)

    def _set(self, event: ParametersSet) -> None:
        try:
            self._sensing.reconfigure(event.values)
            self._judging.reconfigure(event.values)
        except ConfigError as error:
            self._notes.append(f'What was set while the run went on does not fit here: {error}.')

    def _follow(self, replayed: Context) -> None:
        """Copies everything except the sensed state from the replayed run."""
        persistent = self._persistent
        persistent.calls, persistent.progress = replayed.calls, replayed.progress
        persistent.round, persistent.has_read = replayed.round, replayed.persistent.has_read
        persistent.state = self._merged(replayed.state)
        self._judging.begin_tick(replayed.now)

    def _merged(self, state: BrainState) -> BrainState:
        own = self._sensing.state
        robot = replace(
            state.robot,
            parts=own.robot.parts,
            parts_at=own.robot.parts_at,
            parts_unknown=own.robot.parts_unknown,
            awaited=own.robot.awaited,
            battery_state=own.robot.battery_state,
            battery_stale=own.robot.battery_stale,
        )
        world = replace(state.world, safety_reason=own.world.safety_reason)
        merged = replace(state, robot=robot, world=world, skills=own.skills)
        merged = with_zones(merged, self._judging.config.executive, state.world.keep_out)
        mode = arbitrate(merged)
        tasks = replace(merged.tasks, mode=mode.mode, preempt_reason=mode.preempt_reason)
        return replace(merged, tasks=tasks)


@dataclass(frozen=True)
class ProposalVerdict:
    """The verdict on a proposal.

    Attributes:
        guard: The guard that refused it.
        reason: Of the refusal.
        asks: Whether it needs a human's approval.
        stopped: The reason of a guard that would have stopped the running tool.
    """

    allowed: bool
    guard: str = ''
    reason: str = ''
    asks: bool = False
    stopped: str = ''

    def __str__(self) -> str:
        if not self.allowed:
            return f'refused by {self.guard}: {self.reason}'
        text = 'allowed, if a human agrees' if self.asks else 'allowed'
        return f'{text}; then stopped: {self.stopped}' if self.stopped else text


@dataclass
class JudgedProposal:
    """A proposal with both verdicts. `seconds`: steady time in s since the run's first tick."""

    tick: int
    seconds: float
    proposal: Proposal
    recorded: ProposalVerdict
    now: ProposalVerdict

    @property
    def differs(self) -> bool:
        """Whether the verdicts differ."""
        return self.recorded != self.now


@dataclass
class Comparison:
    """All proposals of a run. `difference`: of the replay with the recorded configuration."""

    proposals: list[JudgedProposal] = field(default_factory=list)
    ticks: int = 0
    difference: Difference | None = None
    notes: list[str] = field(default_factory=list)


def compare(run: RecordedRun, config: Config) -> Comparison:
    """Replays a run as recorded, and evaluates the guards of `config` at each tick.

    Raises:
        RecordingError: A line is damaged.
        ConfigError: The tools of the configuration cannot be used.
    """
    comparison = Comparison()
    start_s = next(run.ticks).now.steady
    for process in run.processes:
        replay, other = Replay(process, run.config), OtherConfiguration(config, comparison.notes)
        side_by_side = _SideBySide(replay, other, start_s, comparison)
        replay.tracer.on_decision = side_by_side.add_decision
        for tick in process.ticks:
            may_be_incomplete = process.cut and tick is process.ticks[-1]
            comparison.difference = side_by_side.step(tick)
            if comparison.difference is not None and not may_be_incomplete:
                return comparison
            comparison.difference = None
            comparison.ticks += 1
    return comparison


class _SideBySide:
    """Replays one process with the recorded and the other configuration."""

    def __init__(
        self, replay: Replay, other: OtherConfiguration, start_s: float, comparison: Comparison
    ) -> None:
        self._replay, self._other, self._start_s, self._comparison = (
            replay,
            other,
            start_s,
            comparison,
        )
        self._tick = 0
        self._rows: dict[str, JudgedProposal] = {}  # by call

    def step(self, tick: RecordedTick) -> Difference | None:
        """Replays a tick with both."""
        self._tick = tick.number
        if not tick.ends_process:
            self._other.apply(tick.now, self._replay.inputs(tick))
        difference = self._replay.step(tick)
        self._watch_running()
        return difference

    def add_decision(self, fields: TraceFields) -> None:
        """Adds a verdict of the recorded run; a call that needs approval has several."""
        context = self._replay.context
        current, data = context.round, fields.get('data') or {}
        if current.proposal is None:
            return
        row = self._rows.get(current.call_id)
        recorded = _recorded(fields, data, asked=row is not None and row.recorded.asks)
        now = self._judge(current.proposal)
        if recorded.guard == HUMAN and now.asks:
            now = recorded  # the human's decision is the recorded one
        if row is None:
            seconds = context.now.steady - self._start_s
            row = JudgedProposal(self._tick, seconds, current.proposal, recorded, now)
            self._rows[current.call_id] = row
            self._comparison.proposals.append(row)
        row.recorded, row.now = recorded, now

    def _judge(self, proposal: Proposal) -> ProposalVerdict:
        verdict, asks = self._other.judge(self._replay.context, proposal)
        guard = verdict.refusal.guard if verdict.refusal else ''
        return ProposalVerdict(verdict.allowed, guard, verdict.reason, asks)

    def _watch_running(self) -> None:
        """Adds the reason if the other configuration would stop the running tool."""
        context = self._replay.context
        current = context.round
        row = self._rows.get(current.call_id)
        if row is None or not current.under_way or not row.now.allowed or row.now.stopped:
            return
        reading = self._other.refusal_while_running(context)
        if reading is not None:
            row.now = replace(row.now, stopped=reading.reason)


def _recorded(fields: TraceFields, data: TraceData, asked: bool) -> ProposalVerdict:
    if fields.get('ok') is False:
        return ProposalVerdict(
            False, str(data.get('guard') or ''), str(fields.get('error_reason') or '')
        )
    return ProposalVerdict(True, asks=asked or 'approval' in data)
