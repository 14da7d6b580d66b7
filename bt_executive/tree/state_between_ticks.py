"""The state from one tick to the next; checkpoints of its parts outlive the process."""

from __future__ import annotations

from dataclasses import dataclass, field

from bt_executive.approval.approval_registry import ApprovalRegistry
from bt_executive.core.call_table import CallTable, ServerCall
from bt_executive.core.given_permits import Permits
from bt_executive.core.reading_ages import LatestEnd
from bt_executive.core.state import BrainState
from bt_executive.core.stop_confirmation import StopConfirmation
from bt_executive.core.store_port import Saved
from bt_executive.tree.checkpoint_parts import CallPose, SteppingPart
from bt_executive.tree.goal_progress import GoalProgress
from bt_executive.tree.planning_round import NO_ROUND, Round
from rover_common.clocks import Now

HOLD = 'hold'  # in `clock_was`: the time since when the mode holds goals back


@dataclass(frozen=True)
class Recovery:
    """The interrupted tool of the previous run, until its outcome is known.

    Attributes:
        call_id: Of the round.
        calls: Its server calls, as they were saved; the ended ones, too.
        pose: The robot's pose at the first call; None: not known.
        lasted_s: ROS time in s from there to the latest checkpoint.
    """

    call_id: str
    calls: tuple[ServerCall, ...]
    pose: CallPose | None
    lasted_s: float = 0.0

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
