"""The parts of the persistent state that are written as checkpoints.

Telemetry is no part: pose, battery and surroundings are measured again.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Literal, TypeVar, cast

from pydantic import TypeAdapter, ValidationError

from bt_executive.approval.approval_registry import RequestState
from bt_executive.approval.approval_request import ApprovalRequest
from bt_executive.core.executive_ports import Proposal, ToolResult
from bt_executive.core.state import Mode, UserInterruptType
from bt_executive.core.stored_names import fields_in_code
from bt_executive.tree.composite_progress import CompositeProgress
from rover_common.errors import JournalError
from rover_common.llm.model_usage import ModelUse

# Names of parts, besides the two of each goal.
GOALS, MODE, ROUND = 'goals', 'mode', 'round'
CALLS, LEASES = 'calls', 'leases'  # open `ServerCall`s, as fields; resource → call
APPROVALS, MOTION, STEPPING = 'approvals', 'motion', 'stepping'

Part = TypeVar('Part')


@dataclass(frozen=True)
class GoalsPart:
    """The queue.

    Attributes:
        order: Ids of the goals, in their order.
        active: Id of the active one.
        clock_was: See `PersistentState.clock_was`.
    """

    order: tuple[str, ...] = ()
    active: str | None = None
    clock_was: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class ModePart:
    """The mode, with the latch of SAFE and the operator's interrupt."""

    mode: Mode = Mode.IDLE
    reason: str = ''
    safety_reason: str = ''
    battery_state: str = 'UNKNOWN'
    interrupt: UserInterruptType = UserInterruptType.NONE
    held_since: float = 0.0  # ROS time in s
    sent_to_charge: bool = False


@dataclass(frozen=True)
class CallPose:
    """The robot's pose at the first server call of a round: m, rad, ROS time in s.

    `driven_m`: the distance driven for the goal by then.
    """

    x: float
    y: float
    yaw: float
    stamp: float
    driven_m: float


@dataclass(frozen=True)
class RoundPart:
    """A proposal without a decision yet.

    Attributes:
        by_tree: It is a question of the tree itself.
        ran: Its tool was started.
        result: Of the tool; None: it has not ended.
        pose: Before the first call; None: there was no call, or no pose.
        composites: See `Round`.
    """

    call_id: str
    proposal: Proposal
    attempt: int = 1
    edited: bool = False
    by_tree: bool = False
    ran: bool = False
    result: ToolResult | None = None
    error_code: str | None = None
    pose: CallPose | None = None
    composites: Mapping[str, CompositeProgress] = field(default_factory=dict)


@dataclass(frozen=True)
class ApprovalPart:
    """An open request for approval."""

    request: ApprovalRequest
    standing: RequestState


@dataclass(frozen=True)
class SteppingPart:
    """Single steps and breakpoints, as they were set at run time."""

    step: bool = False
    break_at: tuple[str, ...] = ()


@dataclass(frozen=True)
class MotionPart:
    """`may_move`: a permit is given, or the robot is not known to stand."""

    may_move: bool = False


@dataclass(frozen=True)
class ProgressPart:
    """The usage and progress of a goal; its steps are in the trace.

    Attributes:
        distance_m: As counted against the budget.
        elapsed_s: Without the time in which it was held back.
        monitor: Of `ProgressMonitor`.
        has_read: The planners of the run had read texts of unknown origin.
    """

    steps: int
    refusals: int
    distance_m: float
    energy_pct: float
    elapsed_s: float
    tool: str
    first_score: float | None
    last_score: float | None
    last_is_good: bool | None
    model: ModelUse
    monitor: Mapping[str, Any]
    began_at: tuple[tuple[float, float], ...]
    has_read: bool


@dataclass(frozen=True)
class Step:
    """One step of a goal: a proposal with its result."""

    proposal: Proposal
    result: ToolResult


@dataclass(frozen=True)
class Message:
    """One message of the conversation. `role`: as in the APIs of models."""

    speaker: Literal['operator', 'agent', 'executive']
    role: str
    content: str


def read_part(kind: type[Part], value: Any) -> Part:
    """Read a part from its JSON value.

    Raises:
        JournalError: It does not fit; the message names the field.
    """
    try:
        fields = fields_in_code(kind, value)
        part: Part = _adapter(cast(Hashable, kind)).validate_python(fields)
        return part
    except ValidationError as error:
        fault = error.errors(include_url=False)[0]
        where = '.'.join(str(part) for part in fault['loc'])
        raise JournalError(
            f'The journal holds what this version cannot read ({where!r}: {fault["msg"]}): start '
            'with --fresh, or name another file with --journal FILE.'
        ) from None


@cache
def _adapter(kind: Any) -> TypeAdapter[Any]:
    return TypeAdapter(kind)
