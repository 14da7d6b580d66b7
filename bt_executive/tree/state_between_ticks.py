"""The state from one tick to the next; checkpoints of its parts outlive the process."""

from __future__ import annotations

from dataclasses import dataclass, field

from bt_executive.approval.approval_registry import ApprovalRegistry
from bt_executive.core.call_table import CallTable, ServerCall
from bt_executive.core.given_permits import Permits
from bt_executive.core.state import BrainState
from bt_executive.core.status_since_last_tool import LatestEnd
from bt_executive.core.stop_confirmation import StopConfirmation
from bt_executive.core.store_port import Saved
from bt_executive.tree.checkpoint_parts import CallPose, SteppingPart
from bt_executive.tree.goal_progress import GoalProgress
from bt_executive.tree.planning_round import NO_ROUND, Round
from rover_common.clocks import Now

HOLD = 'hold'  # in `clock_was`: since when the mode holds goals back


@dataclass(frozen=True)
class Recovery:
    """What became of it is still to be found out.

    Attributes:
        call_id: Of the round.
        calls: Its calls, as they were saved; the ended ones, too.
        pose: Where the robot was at the first call; None: not known.
        lasted_s: Of ROS time from there to the last that was saved of its run.
    """

    call_id: str
    calls: tuple[ServerCall, ...]
    pose: CallPose | None
    lasted_s: float = 0.0

    @property
    def server_call_ids(self) -> tuple[str, ...]:
        """Ids of its calls, whose servers are asked."""
        return tuple(call.server_call_id for call in self.calls)


@dataclass
class PersistentState:
    """The executive's state. Each part is an immutable value or a table of plain values.

    Behaviours get no reference to it: they read and change it through their roles
    (`context_roles.py`).

    Attributes:
        permits: Tells the robot what may move, so it is made with the robot's port.
        rounds: How many rounds were begun; numbers the calls.
        progress: Of the active goal, or of the last one.
        parked: Task id → what a goal that waits again had come to.
        run: The number of this run of the executive in the store; 0: nothing is kept.
        resumed: What the previous run had left, and this one was loaded from.
        recovery: The tool that was under way, until it is known what has become of it.
        resumed_goal: The active one of the previous run, until the robot is ready for it.
        to_adopt: Calls of the previous run whose servers are still to be asked.
        clock_was: Goal of earlier runs, or HOLD → ROS time in s when it was saved last. Empty as
            soon as it is known whether ROS time has begun anew since.
        latest_end: Of a call that may have moved a part; None: in this run of the process, none.
        has_read: Words of strangers have come into this run. They stay in what the planners are
            told of the past: each may repeat them at the end of its goal.
        stepping: As it was set since the start, or in the previous run with an open goal; None:
            as the configuration has it.
        read_before_restart: The planner of an open goal of the previous run has read such words.
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
        """Return a name for a call that no other call has, in no run of the executive."""
        return f'{kind}-{self.run}-{rest}' if self.run else f'{kind}-{rest}'
