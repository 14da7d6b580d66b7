"""The state from one tick to the next, and its parts that are written as checkpoints.

Telemetry is no part: pose, battery and surroundings are measured again.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Literal, TypeVar, cast

from pydantic import TypeAdapter, ValidationError

from bt_executive.approval.approval_registry import ApprovalRegistry, RequestState
from bt_executive.approval.approval_request import ApprovalRequest
from bt_executive.core.call_table import CallTable, ServerCall
from bt_executive.core.executive_ports import Proposal, ToolResult
from bt_executive.core.given_permits import Permits
from bt_executive.core.goal_queue import OPERATOR
from bt_executive.core.reading_ages import LatestEnd
from bt_executive.core.state import BrainState, Mode, UserInterruptType
from bt_executive.core.stop_confirmation import StopConfirmation
from bt_executive.core.store_port import Saved
from bt_executive.core.stored_names import fields_in_code
from bt_executive.tree.composite_progress import CompositeProgress
from bt_executive.tree.goal_progress import GoalProgress
from bt_executive.tree.planning_round import NO_ROUND, Round
from rover_common.clocks import Now
from rover_common.errors import JournalError
from rover_common.llm.model_usage import ModelUse

# Names of parts, besides the two of each goal.
GOALS, MODE, ROUND = 'goals', 'mode', 'round'
CALLS, LEASES = 'calls', 'leases'  # open `ServerCall`s, as fields; resource → call
SILENT = 'silent'  # `SilentServer`s
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
    interrupted_by: str = OPERATOR  # the sender of the interrupt


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
        composites, last_word: See `Round`.
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
    last_word: ToolResult | None = None


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


HOLD = 'hold'  # in `clock_was`: the time since when the mode holds goals back


@dataclass(frozen=True)
class Recovery:
    """The interrupted tool of the previous run, until its outcome is known.

    Attributes:
        call_id: Of the round.
        calls: Its server calls, as they were saved; the ended ones, too.
        pose: The robot's pose at the first call; None: not known.
        lasted_s: ROS time in s from there to the latest checkpoint.
        began: It was started itself; else only what its preconditions need was called.
    """

    call_id: str
    calls: tuple[ServerCall, ...]
    pose: CallPose | None
    lasted_s: float = 0.0
    began: bool = True

    @property
    def server_call_ids(self) -> tuple[str, ...]:
        """Returns the ids of its server calls."""
        return tuple(call.server_call_id for call in self.calls)


@dataclass
class PersistentState:
    """The executive's state. Each part is an immutable value or a table of plain values.

    Behaviours get no reference to it: they read and change it through their roles
    (`context_roles.py`).

    Attributes:
        permits: Made with the robot's port, to which it publishes.
        rounds: Number of rounds so far, which numbers the calls.
        progress: Of the active goal, or of the last one.
        parked: Task id → progress of a parked goal.
        run: Number of this run of the executive in the store; 0: there is no store.
        resumed: The checkpoints that this one was loaded from.
        recovery: The interrupted tool of the previous run, until its outcome is known.
        resumed_goal: Id of the previous run's active goal, until the robot is ready for it.
        to_adopt: Ids of the previous run's server calls to ask for.
        clock_was: Resumed goal, or HOLD → ROS time in s of its latest checkpoint. Empty once it is
            known whether ROS time has restarted since.
        latest_end: Of a call that may have moved a part; None: there was none in this run.
        has_read: Texts of unknown origin were read in this run. They stay in the history that the
            planners get, as each may repeat them at the end of its goal.
        stepping: As set since the start, or in the previous run with an open goal; None: as
            configured.
        read_before_restart: The planner of an open goal of the previous run had read such texts.
    """

    permits: Permits
    state: BrainState = field(default_factory=BrainState)
    calls: CallTable = field(default_factory=CallTable)
    approvals: ApprovalRegistry = field(default_factory=ApprovalRegistry)
    stops: StopConfirmation = field(default_factory=StopConfirmation)
    round: Round = field(default_factory=lambda: Round(NO_ROUND))
    rounds: int = 0
    progress: GoalProgress = field(default_factory=lambda: GoalProgress(Now.at(0.0)))
    parked: dict[str, GoalProgress] = field(default_factory=dict)
    run: int = 0
    resumed: Saved | None = None
    recovery: Recovery | None = None
    resumed_goal: str = ''
    to_adopt: tuple[str, ...] = ()
    clock_was: dict[str, float] = field(default_factory=dict)
    latest_end: LatestEnd | None = None
    has_read: bool = False
    read_before_restart: bool = False
    stepping: SteppingPart | None = None

    def call_id(self, kind: str, rest: str | int) -> str:
        """Returns an id for a call that is unique over all runs of the executive."""
        return f'{kind}-{self.run}-{rest}' if self.run else f'{kind}-{rest}'
