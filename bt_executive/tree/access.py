"""Who may change what: the roles in which a behaviour is handed the context.

A behaviour names its role in the head of its class, `class Guard(Leaf[RoundAccess])`, and mypy
refuses what the role does not have. Whoever only reads is handed `Facts`.

| role             | may change                                        |
|------------------|---------------------------------------------------|
| `Facts`          | nothing                                           |
| `RoundAccess`    | the round under way                               |
| `StateAccess`    | the state                                         |
| `ServerAccess`   | calls, permission to move, the stop               |
| `ToolAccess`     | the round and what `ServerAccess` has             |
| `UpkeepAccess`   | the state and what `ServerAccess` has             |
| `ApprovalAccess` | the round, the state and the requests to a human  |
| `GoalAccess`     | the round, the state, goals; has the planner      |
| `Context`        | everything: the executive itself, and `Sense`     |
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from bt_executive.approval.registry import ApprovalRegistry
from bt_executive.core.call_table import CallTable
from bt_executive.core.inputs import SafetyEvent
from bt_executive.core.latest_end import LatestEnd
from bt_executive.core.permits import Permits
from bt_executive.core.ports import Planner, PlannerOutput, Proposal, Robot, ToolResult
from bt_executive.core.queue import with_task
from bt_executive.core.state import BrainState, Task
from bt_executive.core.stop_confirmation import StopConfirmation
from bt_executive.core.tracer import Tracer
from bt_executive.core.verdict import GuardReading, Verdict
from bt_executive.tree.facts import Facts
from bt_executive.tree.goal_progress import GoalProgress
from bt_executive.tree.goal_reporter import GoalReporter
from bt_executive.tree.journal_keeper import JournalKeeper
from bt_executive.tree.round import DrivenBefore, Round
from rover_common.config.settings import Endpoint


class TraceAccess(Facts):
    """Reads, says in the trace what is done, asks for the journal, and tells of fatal errors."""

    @property
    def tracer(self) -> Tracer:
        """Emits trace events."""
        return self._ports.tracer

    @property
    def keeper(self) -> JournalKeeper:
        """Puts into the journal what has become true."""
        return self._keeper

    def make_safe(self, tool: str, reason: str, code: str | None) -> None:
        """Tells of an error of a tool after which nothing goes on; the next tick makes SAFE."""
        self._ports.inbox.put(SafetyEvent(f'{tool}: {reason} ({code})', tool))


class RoundAccess(TraceAccess):
    """Changes the round under way, by putting a new value into its place."""

    @property
    def round(self) -> Round:
        """The round under way."""
        return self._known.round

    @round.setter  # noqa: A003 (the property above, not the builtin function)
    def round(self, changed: Round) -> None:
        self._known.round = changed

    def refuse(self, reading: GuardReading) -> None:
        """Enters that a guard refused the round's tool."""
        verdict = Verdict(self.round.tool, (reading,), self.allowed_now())
        self.round = replace(self.round, verdict=verdict)

    def fail(self, code: str, reason: str, result: ToolResult | None = None) -> None:
        """Enters that the round's tool has failed; `result`: its own, if it gave one."""
        result = result or ToolResult(ok=False, error_reason=reason)
        self.round = replace(self.round, error_code=code, result=result)


class StateAccess(TraceAccess):
    """Changes the state, by putting a new value into its place."""

    @property
    def state(self) -> BrainState:
        """What is known of robot, world, goals and operator."""
        return self._known.state

    @state.setter
    def state(self, changed: BrainState) -> None:
        self._known.state = changed

    def replace(self, **parts: Any) -> None:
        """Replaces top-level parts of the state."""
        self.state = replace(self.state, **parts)


class ServerAccess(TraceAccess):
    """Calls servers, permits motions and stops the base."""

    @property
    def robot(self) -> Robot:
        """Sends requests."""
        return self._ports.robot

    @property
    def calls(self) -> CallTable:
        """Every call that was begun, and the leases."""
        return self._known.calls

    @property
    def permits(self) -> Permits:
        """The permission to move."""
        return self._known.permits

    @property
    def stops(self) -> StopConfirmation:
        """The latest stop, until it is confirmed."""
        return self._known.stops

    def note_moved(self, call_id: str, resources: Iterable[str]) -> None:
        """Notes that a call has ended; a status of before it shows what it moved as it was."""
        latest = self._known.latest_end
        moved = {*self.config.skills.moving_resources} & {*resources}
        is_open = any(session.call_id == call_id for session in self.calls.running())
        if moved and not is_open and (latest is None or latest.call_id != call_id):
            end = LatestEnd(call_id, self.permits.repeat(), self.now.steady)
            self._known.latest_end = end

    def absence(self, endpoint: Endpoint) -> str:
        """Why nothing can be sent to a server now, as the end of a sentence; empty: it can."""
        if self.calls.silent.get(endpoint):
            return 'did not end its last goal and does not answer'
        return '' if self.robot.ready(endpoint) else 'is not there'


class ToolAccess(RoundAccess, ServerAccess):
    """Runs the round's tool."""

    def begin_tool(self, resources: Iterable[str]) -> None:
        """Notes that the round's tool starts now, and that its goal uses these resources."""
        driven_m = self._known.progress.distance_m
        self.round = replace(self.round, ran=True, began=self.now, distance_before_m=driven_m)
        task = self.task
        if task is not None and not {*resources} <= {*task.resources_required}:
            used = tuple(dict.fromkeys((*task.resources_required, *resources)))
            tasks = with_task(self.state.tasks, replace(task, resources_required=used))
            self._known.state = replace(self.state, tasks=tasks)
        self.keeper.look()

    def count_driven(self, metres: float) -> None:
        """Enters that the tool has driven so far at least: not all was measured on the way."""
        progress = self._known.progress
        missing_m = self.round.distance_before_m + metres - progress.counted_m
        progress.distance_m += max(missing_m, 0.0)


class UpkeepAccess(ServerAccess, StateAccess):
    """Looks after calls and stops, also those of earlier lives, and shows them in the state."""

    @property
    def to_adopt(self) -> tuple[str, ...]:
        """Calls of earlier lives whose servers are still to be asked."""
        return self._known.to_adopt

    @to_adopt.setter
    def to_adopt(self, sessions: tuple[str, ...]) -> None:
        self._known.to_adopt = sessions

    def forget_recovery(self) -> None:
        """Nobody wants to know any more what has become of it, or it is known."""
        self._known.recovery = None


class ApprovalAccess(RoundAccess, StateAccess):
    """Asks a human."""

    @property
    def approvals(self) -> ApprovalRegistry:
        """What was asked of a human, and the answers."""
        return self._known.approvals


class GoalAccess(RoundAccess, StateAccess):
    """Begins, parks and ends goals, and talks with the planner."""

    planner_goal: str | None = None  # task for which the planner was started

    @property
    def planner(self) -> Planner:
        """Proposes tools."""
        return self._ports.planner

    @property
    def reporter(self) -> GoalReporter:
        """Tells whoever asked for a goal."""
        return self._ports.reporter

    @property
    def progress(self) -> GoalProgress:
        """What the active goal has come to."""
        return self._known.progress

    @progress.setter
    def progress(self, progress: GoalProgress) -> None:
        self._known.progress = progress

    @property
    def parked(self) -> dict[str, GoalProgress]:
        """Task id → what it had come to."""
        return self._known.parked

    def remembered(self) -> tuple[str, ...]:
        """The latest trace events as lines, for the planner and the state."""
        return self._ports.memory.lines()

    def note_told(self, tool: str) -> None:
        """Notes that what came of a tool stands among what the planners are told of the past."""
        if self._named.brings_text(tool):
            self._known.has_read = True

    def note_restored(
        self, history: Iterable[tuple[Proposal, ToolResult]], was_told: bool
    ) -> None:
        """Notes what the planner of an open goal has read before the executive was restarted.

        `was_told`: it was told of what the previous run had read, or nobody knows.
        """
        if was_told or self._named.any_brings_text(history):
            self._known.has_read = self._known.read_before_restart = True

    def note_ended(self, task: Task) -> None:
        """Notes that a goal has ended: its words stand in what the next planners are told."""
        if task.sender != 'operator':
            self._known.has_read = True

    def new_round(
        self,
        attempt: int = 1,
        output: PlannerOutput | None = None,
        owed: ToolResult | None = None,
        edited: bool = False,
        before: DrivenBefore | None = None,
    ) -> None:
        """Begins a round; a retry brings the proposal of the last one, edited or not.

        `before`: what was driven of it, if it is the rest of a drive.
        """
        self._known.rounds += 1
        call_id = self.call_id('call', self._known.rounds)
        self.round = Round(
            call_id=call_id,
            output=output,
            attempt=attempt,
            owed=owed,
            edited=edited,
            before=before,
        )

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

    def end_tool(self) -> None:
        """Notes, once, that the round's tool has ended."""
        if self.round.ended_at is None:
            metrics = self.measure_tool()
            self.round = replace(self.round, ended_at=self.now.steady, metrics=metrics)
