"""What can happen to a front end, as plain data: all that its loop ever handles.

An event of the trace is a `TraceEvent`, the behavior tree after a tick a `TreeNode`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from bt_executive.client.path_preview import PathPlanned
from bt_executive.client.tree_fold import TreeNode
from bt_executive.core.state import BrainState
from rover_common.trace_event import TraceEvent


@dataclass(frozen=True)
class InputLine:
    """The operator wrote a line."""

    text: str


@dataclass(frozen=True)
class EndOfInput:
    """The operator will write no more."""


@dataclass(frozen=True)
class Interrupt:
    """Ctrl-C, a hang-up, or somebody asks the console to end."""


@dataclass(frozen=True)
class ExecutiveReady:
    """The executive answers."""


@dataclass(frozen=True)
class ExecutiveQuiet:
    """The executive has not been heard of for a moment, or, not `quiet`, it is heard again."""

    quiet: bool


@dataclass(frozen=True)
class ExecutiveLost:
    """The executive answers no more. What becomes of its goals, the next one knows."""

    reason: str


@dataclass(frozen=True)
class StreamedText:
    """The model is saying something: `kind` is text, reasoning, call or end."""

    kind: str
    text: str


@dataclass(frozen=True)
class GoalAccepted:
    """The executive has taken a goal of this console; `task_id` is its name in the trace."""

    task_id: str
    ticket: int = 0


@dataclass(frozen=True)
class GoalsFound:
    """What an executive that has just become ready has to do, in people's words.

    `own`: goals of this console, which it has resumed from the executive before it. `unsafe`: why
    it is SAFE; empty: it is not.
    """

    own: tuple[str, ...]
    others: tuple[str, ...]
    unsafe: str = ''


@dataclass(frozen=True)
class EndKept:
    """How a goal of anybody ended: the executive keeps its latest ends for who comes late.

    `summary`: has the keys of summary.json, or none.
    """

    task_id: str
    outcome: str
    answer: str
    summary: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class GoalEnded:
    """A goal came to its end.

    Attributes:
        summary: Has the keys of summary.json, or none.
        ts: When, by the trace, in ROS s; None: it did not say.
        waited: It was not pursued when it ended.
    """

    ticket: int
    outcome: str
    answer: str
    summary: Mapping[str, Any] = field(default_factory=dict)
    ts: float | None = None
    waited: bool = False

    @property
    def succeeded(self) -> bool:
        """Whether it ended as was wanted: reached, or answered where that was all."""
        return bool(self.summary.get('succeeded', self.outcome == 'reached'))


@dataclass(frozen=True)
class Answered:
    """A question (see `Wire.ask`) was answered."""

    question: str
    ok: bool
    text: str


@dataclass(frozen=True)
class Problem:
    """A message cannot be read, or the recording has ended before its time: a sentence."""

    text: str


@dataclass(frozen=True)
class ClientFailed:
    """The way to the executive is gone, by a fault in the console itself."""

    fault: BaseException


@dataclass(frozen=True)
class StateSeen:
    """What the executive knows, as on ~/state. `now`: ROS seconds."""

    state: BrainState
    now: float


@dataclass(frozen=True)
class LiveViewWanted:
    """What the executive's agent_rich_ui says: the whole live view, or its first line only."""

    whole: bool


@dataclass(frozen=True)
class Waiting:
    """The requests that wait for approval, as on ~/approvals. `now`: system time in s."""

    requests: tuple[Mapping[str, Any], ...]
    now: float


@dataclass(frozen=True)
class PictureSeen:
    """The camera's picture: a scored one, or, `live`, what the camera sees now.

    `stamp`: ROS seconds. `jpeg`: as it was published.
    """

    stamp: float
    jpeg: bytes = field(repr=False)
    live: bool = False


@dataclass(frozen=True)
class PlanSeen:
    """The way ahead as the navigator plans it, m in the world frame; empty: there is none."""

    points: tuple[tuple[float, float], ...]


@dataclass(frozen=True)
class PlacesRecalled:
    """What the memory found when somebody asked: name, x and y in m; the best first."""

    places: tuple[tuple[str, float, float], ...]


@dataclass(frozen=True)
class RunBegan:
    """Since when the run counts, as its executive has it. `ts`: ROS seconds."""

    ts: float


@dataclass(frozen=True)
class SteppingSeen:
    """Whether each proposal waits for a human, and the breakpoints."""

    step: bool
    break_at: tuple[str, ...] = ()


@dataclass(frozen=True)
class AdapterSeen:
    """The adapter's status.

    Attributes:
        sender: Of the adapter.
        manual: Whether it is driven by hand.
        navigation_goal: Number of the latest drive that it was given as a level.
        refused: Why that one does not move, or moves no more, if this client's own hand drives it;
            kept until the next one. Empty: it moves, or is somebody else's.
    """

    sender: str
    manual: bool
    navigation_goal: int = 0
    refused: str = ''


@dataclass(frozen=True)
class FaultsSeen:
    """Which faults of an embedded node are on, after they were read or set.

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
    | GoalsFound
    | GoalEnded
    | EndKept
    | Answered
    | Problem
    | ClientFailed
    | StateSeen
    | TreeNode
    | LiveViewWanted
    | Waiting
    | PictureSeen
    | PlanSeen
    | PathPlanned
    | RunBegan
    | SteppingSeen
    | PlacesRecalled
    | AdapterSeen
    | FaultsSeen
)
