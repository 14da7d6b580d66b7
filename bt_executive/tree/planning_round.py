"""A round: from the request for a proposal to the decision. One immutable value."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from bt_executive.approval.approval_request import ApprovalRequest
from bt_executive.core.error_codes import CallError, code_of_refusal
from bt_executive.core.executive_ports import (
    Answer,
    PlannerFailure,
    PlannerOutput,
    Proposal,
    ToolResult,
)
from bt_executive.core.goal_outcome import INTERRUPTED, RAN_S
from bt_executive.core.guard_view_and_verdict import Verdict
from bt_executive.core.robot_state import Pose
from bt_executive.core.round_decision import PlannerEnd
from bt_executive.tree.composite_progress import CompositeProgress
from rover_common.clocks import Now
from rover_common.reason import Reason

NO_ROUND = 'none'  # the call id before the first round


@dataclass(frozen=True)
class Asked:
    """The robot when a tool's server was called. `pose_stamp` in s of ROS time.

    `pose_at`: arrival of the pose in steady s; None: there is no recent one. `adapter_life`: the
    run of the adapter.
    """

    now: Now
    pose: Pose
    pose_stamp: float
    pose_at: float | None
    adapter_life: str | None = None


@dataclass(frozen=True)
class DrivenBefore:
    """The part of a drive that was driven before gaps stopped it.

    Attributes:
        whole: The proposed call.
        driven_m: Measured, all parts before this round together.
        expected_m: Of the whole call; 0: not known.
        gaps: Number of stops.
        turned_rad: As `driven_m`, of a turn on the spot; without its sign.
    """

    whole: Proposal
    driven_m: float
    expected_m: float
    gaps: int
    turned_rad: float = 0.0


@dataclass(frozen=True)
class Round:
    """The present round. To change it, it is replaced by a new value.

    Attributes:
        error_code: How the tool failed: a code of its server, or a value of `CallError`.
        began: When the tool was started.
        distance_before_m: Driven by the goal until then.
        metrics: Of the tool, once it has ended: `robot_s`, `wall_s`, `distance_m`.
        asked: The robot when the tool's server was called.
        motion_until: The robot's time in s at which the running timed motion ends.
        cut_short: Why that motion ended early.
        ended_by_tool: The planner's tool `finish` or `abort` has ended the goal.
        step: The present step of a tool in steps: a tool with arguments that the tree chose.
        owed: The result that the planner waits for while the operator is asked.
        edited: The operator changed the arguments.
        approved: A human has agreed to it.
        agreed: The request that the human approved, until the first motion.
        resolved: Preconditions whose readings the tree, a member of the tool, or the operator's
            edit may have changed since.
        permit: The number of the permit of its motion; 0: none was given.
        before: The part driven in earlier rounds, if this one drives the rest.
        last_word: A success that its server reported before the tool could read it, or after it
            was preempted; None: there is none.
        ended_at: Steady time in s.
        composites: Scope → progress of a composite tool: '' for the proposed one, and the prefix
            of the places of its members for each that is a member itself.
    """

    call_id: str
    output: PlannerOutput | None = None
    verdict: Verdict | None = None
    result: ToolResult | None = None
    error_code: str | None = None
    ran: bool = False
    began: Now | None = None
    distance_before_m: float = 0.0
    metrics: Mapping[str, float] = field(default_factory=dict)
    asked: Asked | None = None
    motion_until: float | None = None
    cut_short: Reason[CallError] | None = None
    ended_by_tool: Reason[PlannerEnd] | None = None
    step: Proposal | None = None
    owed: ToolResult | None = None
    edited: bool = False
    approved: bool = False
    agreed: ApprovalRequest | None = None
    resolved: frozenset[str] = frozenset()
    attempt: int = 1
    permit: int = 0
    before: DrivenBefore | None = None
    last_word: ToolResult | None = None
    ended_at: float | None = None
    composites: Mapping[str, CompositeProgress] = field(default_factory=dict)

    @property
    def proposal(self) -> Proposal | None:
        """Returns the proposed tool call of this round."""
        return self.output if isinstance(self.output, Proposal) else None

    @property
    def tool(self) -> str:
        """Returns the name of the proposed tool; empty: there is none."""
        return self.output.tool if isinstance(self.output, Proposal) else ''

    @property
    def outcome(self) -> ToolResult:
        """Returns the tool's own result, or why it did not run, was stopped or was preempted.

        A preempted tool whose server has reported success has succeeded. What a guard stopped has
        `RAN_S` and `driven_m` in its data, if its server was called.
        """
        if self.under_way:
            return self.last_word or self._interrupted
        refusal = self.verdict.refusal if self.verdict else None
        if self.verdict is None or refusal is None:
            nothing = ToolResult(ok=False, error_reason='Ended without a result')
            return self.result or (self._interrupted if self.is_rest else nothing)
        data: dict[str, Any] = {
            'refused_by': refusal.guard,
            'allowed_now': list(self.verdict.allowed_now),
        }
        if self.asked is not None and self.metrics:
            data |= {RAN_S: self.metrics['robot_s'], 'driven_m': self.metrics['distance_m']}
        if self._done:
            data['done'] = list(self._done)
        return ToolResult(ok=False, error_reason=refusal.reason, data=data)

    @property
    def is_rest(self) -> bool:
        """Returns whether the proposal is the rest of a composite of an earlier run."""
        return bool(self.composites) and not self.ran

    @property
    def _done(self) -> tuple[str, ...]:
        """Returns the members of a composite that have succeeded."""
        whole = self.composites.get('')
        return whole.done if whole else ()

    @property
    def _interrupted(self) -> ToolResult:
        if not self._done:
            return INTERRUPTED
        reason = f'{INTERRUPTED.error_reason}; done by then: {", ".join(self._done)}'
        return ToolResult(ok=False, error_reason=reason, data={'done': list(self._done)})

    @property
    def planner_end(self) -> Reason[PlannerEnd] | None:
        """Returns how the planner has ended the goal; None: it has not."""
        if isinstance(self.output, Answer):
            return Reason(PlannerEnd.ANSWERED, self.output.text)
        if isinstance(self.output, PlannerFailure):
            return Reason(PlannerEnd.FAILED, self.output.reason)
        return self.ended_by_tool

    @property
    def code(self) -> str | None:
        """Returns the error code of the tool, or of the guard that refused it."""
        refusal = self.verdict.refusal if self.verdict else None
        return code_of_refusal(refusal.guard) if refusal else self.error_code

    @property
    def under_way(self) -> bool:
        """Returns whether a tool was started and has not ended."""
        return self.ran and self.ended_at is None

    @property
    def refused(self) -> bool:
        """Returns whether a guard refused or stopped the tool."""
        return self.verdict is not None and not self.verdict.allowed
