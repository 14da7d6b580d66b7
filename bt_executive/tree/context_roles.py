"""Who may change what: the roles in which a behaviour is handed the context.

A behaviour names its role in the head of its class, `class Guard(Leaf[RoundAccess])`, and mypy
refuses what the role does not have. They are protocols: one object, `Context`, has all members.

| role             | may change                                        |
|------------------|---------------------------------------------------|
| `ReadAccess`     | nothing                                           |
| `TraceAccess`    | nothing but trace and store                       |
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

from collections.abc import Iterable, Mapping
import math
from typing import Any, Protocol

from bt_executive.approval.approval_registry import ApprovalRegistry
from bt_executive.core.call_table import CallTable, ServerCall
from bt_executive.core.executive_ports import (
    GoalReader,
    PendingResult,
    Planner,
    PlannerOutput,
    Robot,
    ToolResult,
)
from bt_executive.core.given_permits import Permits
from bt_executive.core.guard_verdict import GuardReading
from bt_executive.core.queued_goal import Task
from bt_executive.core.requested_acts import RequestedActs
from bt_executive.core.robot_state import MotionEnding
from bt_executive.core.state import BrainState
from bt_executive.core.stop_confirmation import StopConfirmation
from bt_executive.core.tracer import Tracer
from bt_executive.skills.tool_registry import Tool
from bt_executive.tree.checkpoint_writer import CheckpointWriter
from bt_executive.tree.composite_progress import CompositeProgress
from bt_executive.tree.goal_progress import GoalProgress
from bt_executive.tree.making_guard_views import GuardAccess, GuardViews
from bt_executive.tree.planning_round import DrivenBefore, Round
from bt_executive.tree.state_between_ticks import Recovery
from bt_executive.tree.tree_ports import GoalReporter
from rover_common.config.settings import Endpoint


class ReadAccess(GuardAccess, Protocol):
    """Reads: configuration, state, round and time of this tick."""

    @property
    def recovery(self) -> Recovery | None:
        """The tool of the previous run whose outcome is unknown."""

    @property
    def resumed_goal(self) -> str:
        """The goal of the previous run that waits for the robot; empty: there is none."""

    @property
    def proposed_tool(self) -> Tool | None:
        """The tool of the round's proposal, if there is one of that name."""

    @property
    def guards(self) -> GuardViews:
        """What guards read, and which tools they allow."""

    def conflicts(self, resources: Iterable[str]) -> dict[str, str]:
        """Those of `resources` that another call than the round's uses, with that call."""

    def running_calls(self) -> tuple[ServerCall, ...]:
        """The calls to servers that have not ended, oldest first."""

    def adapter_alive(self) -> bool:
        """Whether the adapter has reported its status lately."""

    def motion_ending(self) -> MotionEnding | None:
        """How the adapter ended the motion of this round; None: not known that it has."""

    def stop_is_confirmed(self) -> bool:
        """Whether no stop waits for its confirmation."""

    def pose_is_current(self) -> bool:
        """Whether it is known where the robot is now."""

    def call_id(self, kind: str, rest: str | int) -> str:
        """A name for a call that no other call has, in no run of the executive."""

    def wake_at(self, *, robot: float = math.inf, steady: float = math.inf) -> None:
        """Asks for a tick at a time of the robot's clock, or of the steady one."""


class TraceAccess(ReadAccess, Protocol):
    """Reads, emits trace events, asks for the store, and reports fatal errors."""

    @property
    def tracer(self) -> Tracer:
        """Emits trace events."""

    @property
    def checkpoints(self) -> CheckpointWriter:
        """Puts into the store what has changed."""

    def make_safe(self, tool: str, reason: str, code: str | None) -> None:
        """Reports an error of a tool after which nothing goes on; the next tick makes SAFE."""


class RoundAccess(TraceAccess, Protocol):
    """Changes the round under way, by putting a new value into its place."""

    round: Round
    composites: Mapping[str, CompositeProgress]  # see `Round`

    def refuse(self, reading: GuardReading) -> None:
        """Enters that a guard refused the round's tool."""

    def fail(self, code: str, reason: str, result: ToolResult | None = None) -> None:
        """Enters that the round's tool has failed; `result`: its own, if it gave one."""


class StateAccess(TraceAccess, Protocol):
    """Changes the state, by putting a new value into its place."""

    state: BrainState

    def replace(self, **parts: Any) -> None:
        """Replaces top-level parts of the state."""


class ServerAccess(TraceAccess, Protocol):
    """Calls servers, permits motions and stops the base."""

    @property
    def robot(self) -> Robot:
        """Sends requests."""

    @property
    def calls(self) -> CallTable:
        """Every call that was begun, and the leases."""

    @property
    def permits(self) -> Permits:
        """The permission to move."""

    @property
    def stops(self) -> StopConfirmation:
        """The latest stop, until it is confirmed."""

    def note_moved(self, call_id: str, resources: Iterable[str]) -> None:
        """Notes that a call has ended; a status of before it shows what it moved as it was."""

    def absence(self, endpoint: Endpoint) -> str:
        """Why nothing can be sent to a server now, as the end of a sentence; empty: it can."""


class ToolAccess(RoundAccess, ServerAccess, Protocol):
    """Runs the round's tool."""

    def begin_tool(self, resources: Iterable[str]) -> None:
        """Notes that the round's tool starts now, and that its goal uses these resources."""

    def go_on_with(self, composites: Mapping[str, CompositeProgress]) -> None:
        """Begins a round for what is left of the round's composite tool."""

    def count_driven(self, metres: float) -> None:
        """Enters that the tool has driven so far at least: not all was measured on the way."""

    def count_unsaved(self, metres: float) -> None:
        """Enters that it has driven so far beyond what a previous run has saved."""


class UpkeepAccess(ServerAccess, StateAccess, Protocol):
    """Looks after calls and stops, also those of earlier runs, and shows them in the state."""

    to_adopt: tuple[str, ...]  # calls of earlier runs whose servers are still to be asked

    def forget_recovery(self) -> None:
        """The outcome of the recovered tool is known, or not wanted any more."""


class ApprovalAccess(RoundAccess, StateAccess, Protocol):
    """Asks a human."""

    @property
    def approvals(self) -> ApprovalRegistry:
        """What was asked of a human, and the answers."""


class GoalAccess(RoundAccess, StateAccess, Protocol):
    """Begins, parks and ends goals, and talks with the planner."""

    planner_goal: str | None  # task for which the planner was started
    # Task of which the words are read, and the reading.
    requested_acts: tuple[str, PendingResult[RequestedActs]] | None
    progress: GoalProgress  # what the active goal has come to

    @property
    def planner(self) -> Planner:
        """Proposes tools."""

    @property
    def reader(self) -> GoalReader:
        """Reads what goals ask for."""

    @property
    def reporter(self) -> GoalReporter:
        """Reports to whoever asked for a goal."""

    @property
    def parked(self) -> dict[str, GoalProgress]:
        """Task id → what it had come to."""

    def remembered(self) -> tuple[str, ...]:
        """The latest trace events as lines, for the planner and the state."""

    def note_reported(self, tool: str) -> None:
        """Notes that what came of a tool stands among what the planners are told of the past."""

    def note_ended(self, task: Task) -> None:
        """Notes that a goal has ended: its text stands in what the next planners are told."""

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

    def measure_tool(self) -> dict[str, float]:
        """How long the round's tool has run, and how far the robot was driven meanwhile."""

    def end_tool(self) -> None:
        """Notes, once, that the round's tool has ended."""
