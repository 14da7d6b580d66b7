"""A round: from the question for a tool to the decision what follows. One immutable value."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from bt_executive.approval.approval_request import ApprovalRequest
from bt_executive.core.error_codes import CallError, code_of_refusal
from bt_executive.core.executive_ports import (
    Answer,
    PlannerFailure,
    PlannerOutput,
    Proposal,
    ToolResult,
)
from bt_executive.core.goal_outcome import INTERRUPTED
from bt_executive.core.guard_verdict import Verdict
from bt_executive.core.robot_state import Pose
from bt_executive.core.round_decision import PlannerEnd
from bt_executive.tree.composite_progress import CompositeProgress
from rover_common.clocks import Now
from rover_common.reason import Reason

NO_ROUND = 'none'  # the call id before the first round


@dataclass(frozen=True)
class Asked:
    """How things were when a tool's server was asked. `pose_stamp` in s of ROS time.

    `pose_at`: when the pose came, in steady s; None if none has come lately. `adapter_life`: the
    mark of the adapter's process.
    """

    now: Now
    pose: Pose
    pose_stamp: float
    pose_at: float | None
    adapter_life: str | None = None


@dataclass(frozen=True)
class DrivenBefore:
    """The part of a drive that was done before gaps stopped it.

    Attributes:
        whole: The call as it was proposed.
        driven_m: Measured, all parts before this round together.
        expected_m: Of the whole call; 0: not known.
        gaps: How often it was stopped.
        turned_rad: As `driven_m`, of a turn on the spot; without its sign.
    """

    whole: Proposal
    driven_m: float
    expected_m: float
    gaps: int
    turned_rad: float = 0.0


@dataclass(frozen=True)
class Round:
    """What has come of a round so far. Whoever may change it puts a new value into its place.

    Attributes:
        error_code: How the tool failed: a code of its server, or a value of `CallError`.
        began: When the tool was started.
        distance_before_m: Driven by the goal until then.
        metrics: Of the tool, once it has ended: `robot_s`, `wall_s`, `distance_m`.
        asked: How things were when the tool's server was asked.
        motion_until: The robot's time in s at which the timed motion under way is over.
        cut_short: Why that motion ended before its time.
        ended_by_tool: The planner's tool `finish` or `abort` has ended the goal.
        step: What a tool in steps is doing now: a tool with its arguments, which the tree chose.
        owed: The result that the planner waits for while the operator is asked.
        edited: The operator changed the arguments.
        approved: A human has agreed to it.
        agreed: What the human was shown, until the first motion.
        resolved: Preconditions whose readings the tree or the operator's edit has changed since.
        permit: The number of the permission under which its motion ran; 0: none was given.
        before: What was driven of it in earlier rounds, if this one drives the rest.
        last_word: What its server said that it had done, before the tool could read it or after
            it was preempted; None: nothing, or that it has failed.
        ended_at: Steady time in s.
        composites: What a composite tool has come to: of the proposed one by '', and of each that
            is a member by what the places of its own members begin with.
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
        """The tool that was asked for in this round."""
        return self.output if isinstance(self.output, Proposal) else None

    @property
    def tool(self) -> str:
        """Its name; empty if none was asked for."""
        return self.proposal.tool if self.proposal else ''

    @property
    def outcome(self) -> ToolResult:
        """The tool's own result, or why it did not run, was stopped or was preempted.

        A preempted tool whose server says that it has done it was done.
        """
        if self.under_way:
            return self.last_word or self._interrupted
        refusal = self.verdict.refusal if self.verdict else None
        if self.verdict is None or refusal is None:
            nothing = ToolResult(ok=False, error_reason='Ended without a result')
            return self.result or (self._interrupted if self.is_rest else nothing)
        data = {'refused_by': refusal.guard, 'allowed_now': list(self.verdict.allowed_now)}
        if self._done:
            data['done'] = list(self._done)
        return ToolResult(ok=False, error_reason=refusal.reason, data=data)

    @property
    def is_rest(self) -> bool:
        """Whether it is proposed what an earlier run has left of a composite."""
        return bool(self.composites) and not self.ran

    @property
    def _done(self) -> tuple[str, ...]:
        """The members of a composite that have done their work."""
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
        """How the planner has ended the goal; None: it has not."""
        if isinstance(self.output, Answer):
            return Reason(PlannerEnd.ANSWERED, self.output.text)
        if isinstance(self.output, PlannerFailure):
            return Reason(PlannerEnd.FAILED, self.output.reason)
        return self.ended_by_tool

    @property
    def code(self) -> str | None:
        """The error code of the tool, or of the guard that refused it."""
        refusal = self.verdict.refusal if self.verdict else None
        return code_of_refusal(refusal.guard) if refusal else self.error_code

    @property
    def under_way(self) -> bool:
        """Whether a tool was started and has not ended."""
        return self.ran and self.ended_at is None

    @property
    def refused(self) -> bool:
        """Whether a guard refused or stopped the tool."""
        return self.verdict is not None and not self.verdict.allowed
