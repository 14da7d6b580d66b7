"""Events that the loop of a front end handles, as plain data.

An event of the trace is a `TraceEvent`, the behavior tree after a tick a `TreeNode`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from bt_executive.client.tree_fold import TreeNode
from bt_executive.core.state import BrainState
from rover_common.trace_event import TraceEvent


@dataclass(frozen=True)
class PathPlanned:
    """The path that a drive to a place would take; nothing moves for it.

    Attributes:
        key: Of the request.
        reason: Why there is no path; empty: there is one.
        is_impossible: The path planner ran, and found no path.
        points: m in the world frame, from the robot on.
    """

    key: str
    x: float
    y: float
    reason: str = ''
    points: tuple[tuple[float, float], ...] = ()
    length_m: float = 0.0
    time_s: float = 0.0
    is_impossible: bool = False


@dataclass(frozen=True)
class InputLine:
    """The operator typed a line."""

    text: str


@dataclass(frozen=True)
class EndOfInput:
    """Standard input has ended."""


@dataclass(frozen=True)
class Interrupt:
    """Ctrl-C, SIGTERM or a hang-up: the console must end."""


@dataclass(frozen=True)
class ExecutiveReady:
    """The executive answers."""


@dataclass(frozen=True)
class ExecutiveQuiet:
    """No message of the executive was received for a moment; not `quiet`: they arrive again."""

    quiet: bool


@dataclass(frozen=True)
class ExecutiveLost:
    """The executive no longer answers. Its next run reports what becomes of its goals."""

    reason: str


@dataclass(frozen=True)
class StreamedText:
    """A piece of the model's output as it is streamed: `kind` is text, reasoning, call or end."""

    kind: str
    text: str


@dataclass(frozen=True)
class GoalAccepted:
    """The executive has accepted a goal of this front end; `task_id`: its id in the trace."""

    task_id: str
    ticket: int = 0


@dataclass(frozen=True)
class OpenGoals:
    """The texts of the goals of an executive that has just become ready.

    Attributes:
        own: Goals of this front end, resumed from the previous run of the executive.
        others: All other goals.
        safe_cause: Why the executive is in SAFE; empty: it is not.
        question: The open question to the operator; empty: there is none.
    """

    own: tuple[str, ...]
    others: tuple[str, ...]
    safe_cause: str = ''
    question: str = ''


@dataclass(frozen=True)
class PublishedGoalEnd:
    """The end of a goal of any client, as on ~/goal_ends, which is latched for late subscribers.

    `summary`: has the keys of summary.json, or none.
    """

    task_id: str
    outcome: str
    answer: str
    summary: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class GoalEnded:
    """A goal of this front end ended.

    Attributes:
        summary: Has the keys of summary.json, or none.
        ts: When, by the trace, in ROS s; None: the trace has not reported it.
        waited: It was still in the queue when it ended.
    """

    ticket: int
    outcome: str
    answer: str
    summary: Mapping[str, Any] = field(default_factory=dict)
    ts: float | None = None
    waited: bool = False

    @property
    def succeeded(self) -> bool:
        """Whether it was reached, or answered where an answer was all that it asked for."""
        return bool(self.summary.get('succeeded', self.outcome == 'reached'))


@dataclass(frozen=True)
class ServiceReply:
    """The reply to a request (see `FrontEndPort.call_service`).

    `number`: of the request, if it had one.
    """

    service: str
    ok: bool
    text: str
    number: int = 0


@dataclass(frozen=True)
class Problem:
    """A received message is invalid, or the recording ended early; `text` is a sentence."""

    text: str


@dataclass(frozen=True)
class ClientFailed:
    """The ROS client of this front end has failed."""

    fault: BaseException


@dataclass(frozen=True)
class StateReceived:
    """The executive's state, as on ~/state. `now`: its time, in ROS seconds of the executive."""

    state: BrainState
    now: float


@dataclass(frozen=True)
class LiveViewSetting:
    """The executive's parameter agent_rich_ui: the whole live view, or its first line only."""

    whole: bool


@dataclass(frozen=True)
class PendingApprovals:
    """The requests that wait for approval, as on ~/approvals. `now`: system time in s."""

    requests: tuple[Mapping[str, Any], ...]
    now: float


@dataclass(frozen=True)
class PictureReceived:
    """A picture of the camera: a scored one, or, if `live`, the latest of its stream.

    `stamp`: ROS seconds. `jpeg`: as it was published.
    """

    stamp: float
    jpeg: bytes = field(repr=False)
    live: bool = False


@dataclass(frozen=True)
class PathReceived:
    """The path that the navigator has planned, m in the world frame; empty: there is none."""

    points: tuple[tuple[float, float], ...]


@dataclass(frozen=True)
class PlacesRecalled:
    """The places that the memory found for a query: name, x and y in m; the best first."""

    places: tuple[tuple[str, float, float], ...]


@dataclass(frozen=True)
class RunStarted:
    """When the run started, as its executive reports it. `ts`: ROS seconds."""

    ts: float


@dataclass(frozen=True)
class SteppingReceived:
    """Whether each proposal waits for a human, and the breakpoints."""

    step: bool
    break_at: tuple[str, ...] = ()


@dataclass(frozen=True)
class AdapterStatusReceived:
    """The adapter's status.

    Attributes:
        sender: Id of the adapter's run.
        manual: Whether it is in manual mode.
        navigation_goal: Number of the latest drive that it was given by setpoints.
        refused: Why that drive does not move, or no longer moves, if this client sends its
            setpoints; kept until the next one. Empty: it moves, or is another client's.
    """

    sender: str
    manual: bool
    navigation_goal: int = 0
    refused: str = ''


@dataclass(frozen=True)
class FaultsReceived:
    """The faults of an embedded node that are on, after they were read or set.

    `active`: None: the node is gone.
    """

    node: str
    active: tuple[str, ...] | None


ClientEvent: TypeAlias = (
    InputLine
    | EndOfInput
    | Interrupt
    | ExecutiveReady
    | ExecutiveQuiet
    | ExecutiveLost
    | TraceEvent
    | StreamedText
    | GoalAccepted
    | OpenGoals
    | GoalEnded
    | PublishedGoalEnd
    | ServiceReply
    | Problem
    | ClientFailed
    | StateReceived
    | TreeNode
    | LiveViewSetting
    | PendingApprovals
    | PictureReceived
    | PathReceived
    | PathPlanned
    | RunStarted
    | SteppingReceived
    | PlacesRecalled
    | AdapterStatusReceived
    | FaultsReceived
)
