"""Each proposal of a run with its recorded verdict, and what another configuration says of it."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from bt_executive.approval.approval_validity import GUARD as HUMAN
from bt_executive.core.executive_ports import Proposal
from bt_executive.core.trace_fields import TraceData, TraceFields
from bt_executive.replay.guards_of_other_configuration import OtherConfiguration
from bt_executive.replay.recorded_run import RecordedRun
from bt_executive.replay.recorded_ticks import RecordedTick
from bt_executive.replay.replay_of_process import Difference, Replay
from rover_common.config.settings import Config


@dataclass(frozen=True)
class Ruling:
    """What became of a proposal. `guard` and `reason`: who refused it, and why.

    `asks`: it is allowed as soon as a human agrees. `stopped`: the sentence of a guard that would
    have stopped the tool while it ran.
    """

    allowed: bool
    guard: str = ''
    reason: str = ''
    asks: bool = False
    stopped: str = ''

    def __str__(self) -> str:
        if not self.allowed:
            return f'refused by {self.guard}: {self.reason}'
        words = 'allowed, if a human agrees' if self.asks else 'allowed'
        return f'{words}; then stopped: {self.stopped}' if self.stopped else words


@dataclass
class JudgedProposal:
    """A proposal, judged twice. `seconds`: steady s since the run's first tick."""

    tick: int
    seconds: float
    proposal: Proposal
    recorded: Ruling
    now: Ruling

    @property
    def differs(self) -> bool:
        """Whether the other configuration comes to another end."""
        return self.recorded != self.now


@dataclass
class Comparison:
    """All proposals of a run. `difference`: where the replay of the recorded run came off it."""

    proposals: list[JudgedProposal] = field(default_factory=list)
    ticks: int = 0
    difference: Difference | None = None
    notes: list[str] = field(default_factory=list)


def compare(run: RecordedRun, config: Config) -> Comparison:
    """Replays a run as it was recorded, and asks the guards of `config` beside it.

    Raises:
        RecordingError: A line is damaged.
        ConfigError: The tools of the configuration cannot be used.
    """
    found = Comparison()
    began = next(run.ticks).now.steady
    for process in run.processes:
        replay, other = Replay(process, run.config), OtherConfiguration(config)
        beside = _Beside(replay, other, began, found)
        replay.tracer.decided = beside.decided
        found.notes = other.notes
        for tick in process.ticks:
            last_of_cut = process.cut and tick is process.ticks[-1]
            found.difference = beside.step(tick)
            if found.difference is not None and not last_of_cut:
                return found
            found.difference = None
            found.ticks += 1
    return found


class _Beside:
    """One process: the recorded configuration and the other one, side by side."""

    def __init__(
        self, replay: Replay, other: OtherConfiguration, began: float, found: Comparison
    ) -> None:
        self._replay, self._other, self._began, self._found = replay, other, began, found
        self._tick = 0
        self._rows: dict[str, JudgedProposal] = {}  # by call

    def step(self, tick: RecordedTick) -> Difference | None:
        """The tick on both sides."""
        self._tick = tick.number
        if not tick.ends_process:
            self._other.apply(tick.now, self._replay.told(tick))
        difference = self._replay.step(tick)
        self._watch_running()
        return difference

    def decided(self, fields: TraceFields) -> None:
        """A verdict was told in the recorded run; a call that a human is asked for has several."""
        context = self._replay.context
        this, data = context.round, fields.get('data') or {}
        if this.proposal is None:
            return
        row = self._rows.get(this.call_id)
        recorded = _recorded(fields, data, asked=row is not None and row.recorded.asks)
        now = self._now(this.proposal)
        if recorded.guard == HUMAN and now.asks:
            now = recorded  # the same human is asked
        if row is None:
            seconds = context.now.steady - self._began
            row = JudgedProposal(self._tick, seconds, this.proposal, recorded, now)
            self._rows[this.call_id] = row
            self._found.proposals.append(row)
        row.recorded, row.now = recorded, now

    def _now(self, proposal: Proposal) -> Ruling:
        verdict, asks = self._other.judge(self._replay.context, proposal)
        guard = verdict.refusal.guard if verdict.refusal else ''
        return Ruling(verdict.allowed, guard, verdict.reason, asks)

    def _watch_running(self) -> None:
        """Whether the other configuration would stop the tool that runs."""
        context = self._replay.context
        this = context.round
        row = self._rows.get(this.call_id)
        if row is None or not this.under_way or not row.now.allowed or row.now.stopped:
            return
        reading = self._other.refusal_meanwhile(context)
        if reading is not None:
            row.now = replace(row.now, stopped=reading.reason)


def _recorded(fields: TraceFields, data: TraceData, asked: bool) -> Ruling:
    if fields.get('ok') is False:
        return Ruling(False, str(data.get('guard') or ''), str(fields.get('error_reason') or ''))
    return Ruling(True, asks=asked or 'approval' in data)
