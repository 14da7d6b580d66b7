"""The approval of a call by a human: the request, the wait, the answer, and its one use.

An approval is good for the situation in which it was given.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from py_trees.common import Status

from bt_executive.approval.approval_registry import (
    ApprovalAnswer,
    ApprovalEntry,
    ApprovalOutcome,
    RequestState,
)
from bt_executive.approval.approval_request import (
    GUARD,
    POSE,
    ApprovalRequest,
    describe_change,
    risk_of,
)
from bt_executive.core.approval_and_breakpoint_rules import helpers_of
from bt_executive.core.executive_ports import Proposal
from bt_executive.core.goal_outcome import INTERRUPTED
from bt_executive.core.guard_view_and_verdict import GuardReading, refuses
from bt_executive.core.guards import KNOWN_PLACE
from bt_executive.core.inputs import ApprovalGiven
from bt_executive.core.refusal_explanation import why_refused
from bt_executive.core.robot_state import Pose
from bt_executive.core.state import ProposedOps
from bt_executive.core.value_formatting import format_duration, one_line_texts
from bt_executive.skills.call_effect import describe_call
from bt_executive.skills.tool_registry import Tool
from bt_executive.tree.behaviours.base_behaviours import Leaf
from bt_executive.tree.branch_conditions import why_held
from bt_executive.tree.composite_progress import rest_in_words
from bt_executive.tree.context_roles import ApprovalAccess, ReadAccess
from bt_executive.tree.wait_until_stored import StoreGate
from rover_common.call_text import format_call
from rover_common.dataclass_replace import replace
from rover_common.text_sanitizing import one_line


def facts_now(context: ReadAccess, tool: Tool, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return the part of the state that matters for a call, in this tick.

    Also what is asked at the start alone: until it is sent, the call has not begun.
    """
    view = context.guards.view_of(tool, arguments)._replace(running=False)
    readings = (precondition.read(view) for precondition in tool.preconditions)
    robot = context.state.robot
    moves = tool.drives and robot.pose_at is not None
    return situation_of(readings, robot.pose if moves else None)


def changed_since_approval(context: ReadAccess) -> str | None:
    """Return why the round's approval does not hold any more; None: it does, or none was needed.

    What the tree itself has made true since then, under policy `resolve`, counts for nothing, nor
    does what members of the tool bring about.
    """
    agreed, resolved = context.round.agreed, context.resolved
    if agreed is None:
        return None
    now = facts_now(context, context.registry[agreed.tool], agreed.arguments)
    return describe_change(_without(agreed.facts, resolved), _without(now, resolved))


def _without(facts: Mapping[str, Any], names: frozenset[str]) -> dict[str, Any]:
    return {name: fact for name, fact in facts.items() if name not in names}


def situation_of(readings: Iterable[GuardReading], pose: Pose | None) -> dict[str, Any]:
    """Return the situation as JSON values. `pose`: for tools that move the base, if known."""
    facts: dict[str, Any] = {reading.guard: _fact(reading) for reading in readings}
    if pose is not None:
        facts[POSE] = [pose.x, pose.y, pose.yaw]
    return facts


def _fact(reading: GuardReading) -> Any:
    discrete = isinstance(reading.seen, (bool, str))
    return reading.seen if discrete else reading.allowed


def apply_approval(context: ApprovalAccess, event: ApprovalGiven) -> None:
    """Apply an answer to its request, and reply with the outcome."""
    outcome = _resolve(context, event)
    answer: dict[str, Any] = {
        'id': event.request_id,
        'action': event.action,
        'word': event.word,
        'ruling': outcome.message,
    }
    if event.arguments is not None:
        answer['arguments'] = dict(event.arguments)
    hci = replace(context.state.hci, approval_response={**answer, 'accepted': outcome.accepted})
    context.replace(hci=hci)
    comment = f' ({event.word})' if event.word else ''
    sentence = f'{event.action} by {event.source}{comment}: {outcome.message}'
    if outcome.accepted:
        accepted = {**answer, 'source': event.source, 'amounts_to': _edited_effect(context, event)}
        context.tracer.emit('OBSERVE', sentence, data={'approval': accepted})
    else:
        context.tracer.emit(
            'ERROR', sentence, ok=False, error_reason=outcome.message, data={'approval': answer}
        )
    event.reply(outcome.accepted, outcome.message)


def _edited_effect(context: ApprovalAccess, event: ApprovalGiven) -> str:
    """Return the effect of a call as the operator edited it; empty: not edited, or evident."""
    if event.action != 'edit' or event.arguments is None:
        return ''
    entry = context.approvals.entry(event.request_id)
    robot = context.state.robot
    pose = None if robot.pose_at is None else robot.pose
    return one_line(describe_call(context.registry[entry.request.tool], entry.arguments, pose))


def _resolve(context: ApprovalAccess, event: ApprovalGiven) -> ApprovalOutcome:
    context.approvals.expire(context.now.steady)
    request = context.approvals.find(event.request_id)
    if isinstance(request, ApprovalOutcome):
        return request
    tool = context.registry[request.tool]
    arguments = event.arguments
    if event.action == 'edit' and arguments is not None:
        arguments = tool.given(arguments)
        fault = tool.refuse_arguments(arguments)
        if fault:
            call = format_call(tool.name, arguments)
            sentence = f'{call} cannot be called: {fault.sentence}. The request still waits'
            return ApprovalOutcome(False, sentence)
        arguments = tool.effective(arguments)
    answer = ApprovalAnswer(event.action, arguments, event.word, event.source)
    facts = facts_now(context, tool, request.arguments)
    return context.approvals.resolve(request.request_id, answer, facts, context.now.steady)


# After an edit, the place comes from the operator.
EDITED = frozenset({KNOWN_PLACE})
STEP_EXPIRY_S = 3600.0  # of single steps, for which the operator takes all the time


class WaitForApproval(Leaf[ApprovalAccess]):
    """RUNNING while a request waits; the ticks go on, and so do safety and interrupts.

    SUCCESS when a human has approved or edited the call: the proposal then has the edited
    arguments, which the following check in the tree judges like any other. FAILURE with the reason
    for the planner when a human rejected it, or did not answer in time. A preempted request is
    withdrawn, and made again later.
    """

    def __init__(self, name: str, context: ApprovalAccess) -> None:
        super().__init__(name, context)
        self._request: ApprovalRequest | None = None
        self._gate = StoreGate(context)
        self._agreed = False
        self.refusal: GuardReading | None = None

    def initialise(self) -> None:
        """Opens the request in the registry."""
        self.refusal = None
        self._agreed = False
        proposal, task = self.context.round.proposal, self.context.task
        if proposal is None or task is None:
            return
        tool = self.context.registry[proposal.tool]
        arguments = one_line_texts(tool.effective(proposal.arguments))
        robot = self.context.state.robot
        pose = None if robot.pose_at is None else robot.pose
        risk = self._risk_of(tool)
        held, expiry_s = (
            why_held(self.context),
            self.context.config.executive.approval.expiry_s,
        )
        request = ApprovalRequest(
            request_id=self.context.approvals.new_id(),
            task_id=task.task_id,
            task=one_line(task.goal),
            tool=tool.name,
            arguments=arguments,
            amounts_to=one_line(self._describe_rest(tool) or describe_call(tool, arguments, pose)),
            reason=one_line(proposal.thought),
            risk=f'{held}. {risk}' if held else risk,
            created_at=self.context.now.ros,
            asked_at=self.context.now.steady,
            expiry_s=max(expiry_s, STEP_EXPIRY_S) if held else expiry_s,
            facts=facts_now(self.context, tool, arguments),
            call_id=self.context.round.call_id,
        )
        self.context.approvals.open(request)
        self._request = request
        self._show(request)

    def _risk_of(self, tool: Tool) -> str:
        config = self.context.config
        risk = risk_of(tool.made_of, config.robot.moving_resources)
        asked = (
            each for each in helpers_of(config, tool.name) if config.robot.tools[each].approve
        )
        helpers = ', '.join(asked)
        return f'{risk}; {helpers} may be called first, to satisfy a guard' if helpers else risk

    def _describe_rest(self, tool: Tool) -> str:
        """Returns the members that are left, if it is the rest of a composite."""
        this, plan = self.context.round, tool.skill.plan
        if plan is None or not this.is_rest:
            return ''
        return f'the rest, after a restart: {rest_in_words(plan, this.composites[""])}'

    def update(self) -> Status:
        request, proposal = self._request, self.context.round.proposal
        if request is None or proposal is None:
            return self.failure('no approval needed')
        self.context.approvals.expire(self.context.now.steady)
        entry = self.context.approvals.entry(request.request_id)
        if entry.state is RequestState.WAITING:
            self.context.wake_at(steady=request.expires_at)
            return self.running(f'{request.request_id} waits for an answer')
        if entry.state is RequestState.APPROVED:
            return self._use_when_kept(entry, proposal)
        return self._refuse(_reason(entry))

    def terminate(self, _new_status: Status) -> None:
        """Withdraws the request, if it is still open."""
        request, self._request = self._request, None
        if request is None:
            return
        self._show(None)
        why = self.refusal.reason if self.refusal else INTERRUPTED.error_reason.lower()
        if self.context.approvals.withdraw(request.request_id, why):
            self.context.tracer.emit('OBSERVE', f'Request {request.request_id} is withdrawn')

    def _use_when_kept(self, entry: ApprovalEntry, proposal: Proposal) -> Status:
        """Uses the approval once the journal has it."""
        if not self._agreed:
            self._agreed = True
            self._gate.begin()
        kept = self._gate.evaluate()
        if kept is Status.RUNNING:
            return self.running('approved; waiting for the journal')
        return (
            self._use(entry, proposal)
            if kept is Status.SUCCESS
            else self._refuse(self._gate.reason)
        )

    def _use(self, entry: ApprovalEntry, proposal: Proposal) -> Status:
        """Uses the approval for the proposal, edited if the human has edited it."""
        agreed = replace(proposal, arguments=dict(entry.arguments))
        tool = self.context.registry[proposal.tool]
        facts = facts_now(self.context, tool, entry.request.arguments)
        outcome = self.context.approvals.use(
            entry.request.request_id, agreed.tool, agreed.arguments, facts, self.context.now.steady
        )
        if not outcome.accepted:
            return self._refuse(outcome.message)
        edited = entry.answer is not None and entry.answer.action == 'edit'
        # the call runs as it was shown, with all defaults
        self.context.round = replace(
            self.context.round,
            output=agreed,
            edited=edited or self.context.round.edited,
            approved=True,
            agreed=entry.request,
            resolved=EDITED if edited else self.context.round.resolved,
        )
        return self.success(outcome.message)

    def _refuse(self, reason: str) -> Status:
        self.refusal = refuses(GUARD, reason)
        context, tool = self.context, self._request.tool if self._request else None
        context.refuse(self.refusal)
        why = why_refused(GUARD, tool or '', context.state, context.now, context.config)
        context.tracer.emit(
            'DECIDE',
            reason,
            tool_name=tool,
            ok=False,
            error_reason=reason,
            data={'proposed_by': context.proposed_by, 'guard': GUARD, 'why': why},
        )
        return self.failure(reason)

    def _show(self, request: ApprovalRequest | None) -> None:
        """Updates the state's `proposed_ops`, and announces a new request."""
        ops = None
        if request is not None:
            call = {'tool': request.tool, 'arguments': dict(request.arguments)}
            ops = ProposedOps(
                to_dispatch=(call,), need_approval=True, approval_payload=request.as_data()
            )
            self._announce(request)
        self.context.replace(react=replace(self.context.state.react, proposed_ops=ops))

    def _announce(self, request: ApprovalRequest) -> None:
        what = f'{request.amounts_to}; ' if request.amounts_to else ''
        verdict = self.context.round.verdict
        self.context.tracer.emit(
            'DECIDE',
            f'{what}needs approval within {format_duration(request.expiry_s)}. {request.risk}. '
            f':approve, :edit or :reject {request.request_id}',
            tool_name=request.tool,
            data={
                'proposed_by': self.context.proposed_by,
                'arguments': dict(request.arguments),
                'verdict': verdict.as_data() if verdict else None,
                'approval': request.as_data(),
            },
        )


def _reason(entry: ApprovalEntry) -> str:
    """Return the reason of the refusal for the planner."""
    call = format_call(entry.request.tool, entry.request.arguments)
    if entry.state is RequestState.REJECTED and entry.answer is not None:
        comment = f': {entry.answer.message}' if entry.answer.message else ''
        return f'Rejected by {entry.answer.source}{comment}'
    if entry.state is RequestState.EXPIRED:
        return f'Nobody approved {call} within {entry.request.expiry_s:g} s'
    return f'{call} {entry.state.value}' + (f' ({entry.reason})' if entry.reason else '')
