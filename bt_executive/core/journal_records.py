"""What the journal keeps: one frozen class per kind of entry, with plain values only.

A record says what has become true; nothing in it is changed later. What holds now (is the goal
parked? how does the call stand?) follows from the latest record of its kind. The fields are the
columns of the record's table (docs/journal.md), so a new field is a new migration.

`goal_id` is the task's id, empty for what belongs to no goal. A mapping that was handed over must
not be changed afterwards: another thread writes it down. Texts of an enum are its values.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from bt_executive.core.proposer import Proposer
from bt_executive.core.state import Sender

Json = Mapping[str, Any]
Speaker = Literal['operator', 'agent', 'planner', 'executive']
STANDS = 'stands'
TaskStatus = Literal['PENDING', 'ACTIVE', 'PARKED']


@dataclass(frozen=True, kw_only=True)
class Record:
    """What all records have."""

    goal_id: str = ''


@dataclass(frozen=True, kw_only=True)
class LifeBegan(Record):
    """An executive has started. `boot_id`: of the machine; steady time is comparable within one.

    `fresh`: it takes nothing up of the lives before it.
    """

    run_id: str
    run_dir: str
    pid: int
    boot_id: str
    version: str
    fresh: bool = False


@dataclass(frozen=True, kw_only=True)
class LifeEnded(Record):
    """It has ended in order. A life without this record was killed, or its machine stopped."""

    how: str


@dataclass(frozen=True, kw_only=True)
class GoalReceived(Record):
    """A goal or a tool by hand was accepted. The fields are those of `core.state.Task`."""

    goal: str
    priority: int
    deadline_ros_s: float | None
    preemptible: bool
    tool: str
    arguments: Json
    approve_all: bool
    done_when: str
    received_ros_s: float
    sender: Sender
    lease_s: float


@dataclass(frozen=True, kw_only=True)
class GoalMoved(Record):
    """A goal waits, is pursued, or was parked. `position`: its turn among all, 0 is the first.

    `resources`: those that it has used so far or will use.
    """

    status: TaskStatus
    position: int
    resources: tuple[str, ...] = ()
    reason: str = ''


@dataclass(frozen=True, kw_only=True)
class GoalEnded(Record):
    """A goal has its outcome; `summary` as in summary.json."""

    outcome: str
    answer: str
    summary: Json = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class BudgetUsed(Record):
    """What a goal has used up and come to so far.

    `elapsed_s` without the time in which it was held back; `model`: the fields of `ModelUse`;
    `monitor`: the counts of `ProgressMonitor`; `began_at`: x and y in m where the robot stood
    when the goal began, in a list that is empty if that was not known; `has_read`: whether the
    run's planners had by then read what strangers may have written.
    """

    steps: int
    refusals: int
    distance_m: float
    energy_pct: float
    elapsed_s: float
    tool: str = ''
    first_score: float | None = None
    last_score: float | None = None
    last_is_good: bool | None = None
    model: Json = field(default_factory=dict)
    monitor: Json = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Proposed(Record):
    """A tool was asked for in round `call_id`; written again if a human has edited it.

    `proposal_id`: the planner's own id of the call.
    """

    call_id: str
    attempt: int
    proposed_by: Proposer
    proposal_id: str
    tool: str
    arguments: Json
    thought: str = ''
    edited: bool = False


@dataclass(frozen=True, kw_only=True)
class Judged(Record):
    """What the guards said of the round's proposal.

    `readings`: of each guard that was asked, in order: guard, code, reason and what it saw.
    """

    call_id: str
    tool: str
    allowed: bool
    guard: str
    reason: str
    readings: tuple[Json, ...]
    allowed_now: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class RoundEnded(Record):
    """What came of the round's proposal, and the decision on it.

    `counted`: the pair of proposal and result belongs to what the planner is told of its past.
    """

    call_id: str
    ok: bool
    error_reason: str
    error_code: str
    data: Json
    units: Json
    decision: str
    decision_reason: str = ''
    counted: bool = True


@dataclass(frozen=True, kw_only=True)
class ApprovalAsked(Record):
    """A human is asked. It expires `expiry_s` after this record, see `ApprovalRequest`."""

    request_id: str
    call_id: str
    tool: str
    arguments: Json
    amounts_to: str
    reason: str
    risk: str
    expiry_s: float
    facts: Json


@dataclass(frozen=True, kw_only=True)
class ApprovalChanged(Record):
    """How a request stands now: agreed, rejected, expired, stale, withdrawn, used."""

    request_id: str
    standing: str
    arguments: Json = field(default_factory=dict)
    action: str = ''
    word: str = ''
    source: str = ''
    why: str = ''


@dataclass(frozen=True, kw_only=True)
class CallOpened(Record):
    """A call to a service or action is about to be sent.

    Attributes:
        endpoint: name, type and kind; None: whoever sends it chooses the server.
        action_id: Hex of the goal's UUID at its action server; empty for a service.
        idempotent: Done twice, it is as if done once.
        quiet: True only in files of earlier versions, which have each repetition of a stop.
        pose: x and y in m, yaw in rad, the ROS time of the pose (`stamp`) in s, and how far the
            goal had been driven (`driven_m`); None: not known.
    """

    session_id: str
    call_id: str
    label: str
    skill: str
    endpoint: Json | None
    arguments: Json
    action_id: str
    idempotent: bool
    cancellable: bool
    quiet: bool
    timeout_s: float
    pose: Json | None = None


@dataclass(frozen=True, kw_only=True)
class CallChanged(Record):
    """A transition of the call table. `happened` is a `CallInput`, `state` the `CallState`.

    Of the stop of the base there is one more: `STANDS`, when the robot is known to stand after it.
    """

    session_id: str
    happened: str
    state: str
    fields: Json | None = None
    reason: str = ''


@dataclass(frozen=True, kw_only=True)
class LeaseChanged(Record):
    """A call has taken resources, or given all of its resources back."""

    call_id: str
    resources: tuple[str, ...]
    held: bool


@dataclass(frozen=True, kw_only=True)
class PermitChanged(Record):
    """The permission to move was given or withdrawn."""

    motion: str
    number: int
    given: bool


@dataclass(frozen=True, kw_only=True)
class ModeChanged(Record):
    """The mode from now on. `safety_reason`: why SAFE is latched; empty: it is not.

    `interrupt`: what the operator wants at once (`UserInterruptType`).
    """

    mode: str
    reason: str
    safety_reason: str
    battery_state: str
    interrupt: str


@dataclass(frozen=True, kw_only=True)
class Message(Record):
    """Words of the conversation. `role` as the planner's provider calls it; `data`: the rest."""

    speaker: Speaker
    role: str
    content: str
    data: Json = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class TraceReference(Record):
    """The latest event of the trace at this moment; the file is in the life's run folder."""

    event_id: str
