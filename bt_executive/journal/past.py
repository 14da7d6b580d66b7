"""What the executives before this one have left open: the picture from which one goes on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
import math

from bt_executive.core.calls import CallState
from bt_executive.core.journal_records import (
    ApprovalAsked,
    ApprovalChanged,
    BudgetUsed,
    CallChanged,
    CallOpened,
    GoalEnded,
    GoalMoved,
    GoalReceived,
    Judged,
    LifeBegan,
    Message,
    ModeChanged,
    Proposed,
    Record,
)
from bt_executive.core.ports import Proposal, ToolResult
from bt_executive.core.state import Task
from bt_executive.journal.rows import Entry, Stamp

ENDS_KEPT = 20  # of goals, that are told again after a restart


@dataclass(frozen=True)
class OpenCall:
    """A call of an earlier life. `changed`: its latest transition; None: it may have been sent.

    That it was sent is entered behind the act, that it may be sent before it.
    """

    opened: Entry[CallOpened]
    changed: Entry[CallChanged] | None

    @property
    def state(self) -> CallState:
        """Where it stood."""
        return CallState(self.changed.record.state) if self.changed else CallState.REQUESTED


@dataclass(frozen=True)
class OpenRound:
    """A proposal on which nothing was decided.

    Attributes:
        verdict: None: the guards were not asked.
        began: Its tool had been started.
        calls: Its calls to servers, oldest first; the ended ones, too.
    """

    proposed: Entry[Proposed]
    verdict: Entry[Judged] | None
    began: bool = False
    calls: tuple[OpenCall, ...] = ()


@dataclass(frozen=True)
class OpenGoal:
    """A goal without an end.

    Attributes:
        task: With the status that it had: PENDING, ACTIVE or PARKED.
        moved: How it last moved in the queue; None: never.
        budget: What it has used; None: it has not begun.
        history: As `PlannerContext.history` wants it.
        round: The round that was under way; None: the planner was asked, or nothing yet.
        messages: What was said about it, oldest first.
    """

    task: Task
    received: Entry[GoalReceived]
    moved: Entry[GoalMoved] | None = None
    budget: Entry[BudgetUsed] | None = None
    history: tuple[tuple[Proposal, ToolResult], ...] = ()
    round: OpenRound | None = None
    messages: tuple[Message, ...] = ()


@dataclass(frozen=True)
class OpenApproval:
    """A request that waits, or was agreed to and not used. `Past.since` tells its age."""

    asked: Entry[ApprovalAsked]
    changed: Entry[ApprovalChanged] | None


@dataclass(frozen=True)
class Past:
    """What is open in a journal.

    Attributes:
        life: The latest executive before this one.
        ended: How it ended in order; empty: it was killed, or the machine stopped.
        goals: In order of arrival; the active one has the status ACTIVE.
        ends: How the latest goals ended, oldest first. Their clients may not have heard it yet.
        mode: The latest, with the latch of SAFE.
        leases: Call → resources that it holds.
        messages: The latest of operator and executive, oldest first.
        boots: Life → boot of the machine in which it ran.
        may_move: A permission to move was given and not withdrawn, or the robot is not known to
            stand after the latest stop.
    """

    life: Entry[LifeBegan]
    ended: str
    goals: tuple[OpenGoal, ...]
    calls: tuple[OpenCall, ...]
    approvals: tuple[OpenApproval, ...]
    mode: Entry[ModeChanged] | None
    leases: Mapping[str, tuple[str, ...]]
    messages: tuple[Message, ...]
    boots: Mapping[int, str]
    ends: tuple[GoalEnded, ...] = ()
    may_move: bool = False

    @property
    def active(self) -> OpenGoal | None:
        """The goal that was being pursued."""
        return next((goal for goal in self.goals if goal.task.status == 'ACTIVE'), None)

    def since(self, entry: Entry[Record], now: Stamp, boot_id: str) -> float:
        """How long ago something was entered, in s.

        By steady time if the machine has not been started since. Else by the time of day; if
        that was set back meanwhile nobody knows, and it counts as infinitely long.
        """
        if self.boots.get(entry.life) == boot_id:
            return now.steady_s - entry.at.steady_s
        passed = now.system_s - entry.at.system_s
        return passed if passed >= 0.0 else math.inf
