"""Compares the recorded verdicts of a run with those of another configuration."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from bt_executive.approval.approval_request import GUARD as HUMAN
from bt_executive.core.executive_ports import Proposal
from bt_executive.core.trace import TraceData, TraceFields
from bt_executive.replay.guards_of_other_configuration import OtherConfiguration
from bt_executive.replay.recorded_run import RecordedRun
from bt_executive.replay.recorded_ticks import RecordedTick
from bt_executive.replay.replay_of_process import Difference, Replay
from rover_common.config.settings import Config


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
        replay, other = Replay(process, run.config), OtherConfiguration(config)
        side_by_side = _SideBySide(replay, other, start_s, comparison)
        replay.tracer.on_decision = side_by_side.add_decision
        comparison.notes = other.notes
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
