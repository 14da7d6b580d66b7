"""The roles of the context: what a behaviour may read and change.

A behaviour names its role in the head of its class, `class Guard(Leaf[RoundAccess])`, and mypy
refuses any other member. They are protocols, which the one `Context` implements.

| role             | may change                                        |
|------------------|---------------------------------------------------|
| `ReadAccess`     | nothing                                           |
| `TraceAccess`    | nothing but trace and store                       |
| `RoundAccess`    | the present round                                 |
| `StateAccess`    | the state                                         |
| `ServerAccess`   | calls, permits, the stop                          |
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
from bt_executive.core.goal_queue import Task
from bt_executive.core.guard_view_and_verdict import GuardReading
from bt_executive.core.requested_acts import RequestedActs
from bt_executive.core.robot_state import MotionEnding
from bt_executive.core.state import BrainState
from bt_executive.core.stop_confirmation import StopConfirmation
from bt_executive.core.trace import Tracer
from bt_executive.skills.tool_registry import Tool
from bt_executive.tree.checkpoint_writer import CheckpointWriter
from bt_executive.tree.composite_progress import CompositeProgress
from bt_executive.tree.goal_progress import GoalProgress
from bt_executive.tree.making_guard_views import GuardAccess, GuardViews
from bt_executive.tree.persistent_state import Recovery
from bt_executive.tree.planning_round import DrivenBefore, Round
from bt_executive.tree.tree_ports import GoalReporter
from rover_common.config.settings import Endpoint


class ReadAccess(GuardAccess, Protocol):
    """Reads: configuration, state, round and time of this tick."""

    @property
    def recovery(self) -> Recovery | None:
        """The interrupted tool of the previous run, until its outcome is known."""

    @property
    def resumed_goal(self) -> str:
        """Id of the previous run's goal that waits for the robot; empty: there is none."""

    @property
    def proposed_tool(self) -> Tool | None:
        """The tool of the round's proposal, if it exists."""

    @property
    def resolved(self) -> frozenset[str]:
        """Preconditions of the proposed tool whose changes do not count; see `Round`."""

    @property
    def guards(self) -> GuardViews:
        """The views that guards read, and the tools that they allow."""

    def conflicts(self, resources: Iterable[str]) -> dict[str, str]:
        """Returns those of `resources` that another call holds, each with that call."""

    def running_calls(self) -> tuple[ServerCall, ...]:
        """Returns the running server calls, oldest first."""

    def adapter_alive(self) -> bool:
        """Returns whether the adapter's latest status is recent."""

    def motion_ending(self) -> MotionEnding | None:
        """Returns how the adapter ended the motion of this round; None: not known to have."""

    def stop_is_confirmed(self) -> bool:
        """Returns whether no stop waits for its confirmation."""

    def pose_is_current(self) -> bool:
        """Returns whether the robot's pose is recent."""

    def call_id(self, kind: str, rest: str | int) -> str:
        """Returns an id for a call that is unique over all runs of the executive."""

    def wake_at(self, *, robot: float = math.inf, steady: float = math.inf) -> None:
        """Requests a tick at a time of the robot's clock, or of the steady one."""


class TraceAccess(ReadAccess, Protocol):
    """Reads, emits trace events, uses the store, and reports fatal errors."""

    @property
    def tracer(self) -> Tracer:
        """Emits trace events."""

    @property
    def checkpoints(self) -> CheckpointWriter:
        """Writes checkpoints into the store."""

    def make_safe(self, tool: str, reason: str, code: str | None) -> None:
        """Reports a fatal error of a tool: SAFE from the next tick on, and no call in this one."""


class RoundAccess(TraceAccess, Protocol):
    """Changes the present round, by replacing its value."""

    round: Round
    composites: Mapping[str, CompositeProgress]  # see `Round`

    def note_resolved(self, preconditions: Iterable[str]) -> None:
        """Notes that the proposed tool, or the tree for it, may change these readings."""

    def refuse(self, reading: GuardReading) -> None:
        """Notes that a guard refused the round's tool."""

    def fail(self, code: str, reason: str, result: ToolResult | None = None) -> None:
        """Notes that the round's tool has failed; `result`: its own, if it has one."""

    def count_driven(self, metres: float) -> None:
        """Counts at least this distance for the tool: not all of it was measured meanwhile."""

    def count_unsaved(self, metres: float) -> None:
        """Adds a distance that the previous run has not saved."""

    def note_score(self, result: ToolResult) -> None:
        """Notes the score of a picture for its goal, if the result has one."""


class StateAccess(TraceAccess, Protocol):
    """Changes the state, by replacing its value."""

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
        """The table of server calls, with the leases."""

    @property
    def permits(self) -> Permits:
        """The permits to move."""

    @property
    def stops(self) -> StopConfirmation:
        """The latest stop, until it is confirmed."""

    def note_moved(self, call_id: str, resources: Iterable[str]) -> None:
        """Notes that a call has ended; an older status does not show what it moved."""

    def absence(self, endpoint: Endpoint) -> str:
        """Returns why nothing can be sent to a server, as the end of a sentence; empty: it can."""


class ToolAccess(RoundAccess, ServerAccess, Protocol):
    """Runs the round's tool."""

    def begin_tool(self, resources: Iterable[str]) -> None:
        """Notes the start of the round's tool, and the resources that its goal uses."""

    def go_on_with(self, composites: Mapping[str, CompositeProgress]) -> None:
        """Begins a round for the rest of the round's composite tool."""


class UpkeepAccess(ServerAccess, StateAccess, Protocol):
    """Manages calls and stops, also those of the previous run, and updates the state by them."""

    to_adopt: tuple[str, ...]  # ids of server calls of the previous run to ask for

    def forget_recovery(self) -> None:
        """Ends the recovery of the interrupted tool."""


class ApprovalAccess(RoundAccess, StateAccess, Protocol):
    """Requests approvals of a human."""

    @property
    def approvals(self) -> ApprovalRegistry:
        """The requests for approval, with their answers."""


class GoalAccess(RoundAccess, StateAccess, Protocol):
    """Begins, parks and ends goals, and uses the planner."""

    planner_goal: str | None  # task for which the planner was started
    # Id of the task whose text is read, and the pending result.
    requested_acts: tuple[str, PendingResult[RequestedActs]] | None
    progress: GoalProgress  # of the active goal

    @property
    def planner(self) -> Planner:
        """Proposes tools."""

    @property
    def reader(self) -> GoalReader:
        """Finds the acts that goals request."""

    @property
    def reporter(self) -> GoalReporter:
        """Reports to the clients of goals."""

    @property
    def parked(self) -> dict[str, GoalProgress]:
        """Task id → its progress."""

    def remembered(self) -> tuple[str, ...]:
        """Returns the latest trace events as lines, for the planner and the state."""

    def note_reported(self, tool: str) -> None:
        """Notes that a tool's result is part of the history that planners get."""

    def note_ended(self, task: Task) -> None:
        """Notes that a goal's text is part of the history that planners get."""

    def new_round(
        self,
        attempt: int = 1,
        output: PlannerOutput | None = None,
        owed: ToolResult | None = None,
        edited: bool = False,
        before: DrivenBefore | None = None,
    ) -> None:
        """Begins a round; a retry repeats the proposal of the last one, edited or not.

        `before`: the part of a drive that was driven, if this is the rest of it.
        """

    def measure_tool(self) -> dict[str, float]:
        """Returns the duration of the round's tool, and the distance driven meanwhile."""

    def end_tool(self) -> None:
        """Notes, once, that the round's tool has ended."""
