"""The members of a composite tool: their calls, and the guards of a part of it.

A member calls another tool, under all of that tool's guards. Its context is the executive's, with
a round of its own. So a tool's subtree is the same whether the tool was proposed or is a member:
it reads its proposal and enters its result, its leases and its permit in its own round.
"""

from __future__ import annotations

from typing import Any

from py_trees.behaviour import Behaviour
from py_trees.common import Status

from bt_executive.core.error_codes import CallError, code_of_refusal
from bt_executive.core.executive_ports import Proposal, ToolResult
from bt_executive.skills.message_mapping import value_at
from bt_executive.skills.tool_registry import Tool, preconditions_of
from bt_executive.tree.behaviours.base_behaviours import TickedSelector, tick_into
from bt_executive.tree.behaviours.tools.guards_resources_and_permit import Guard
from bt_executive.tree.behaviours.tools.satisfy_precondition import conditions_on
from bt_executive.tree.composite_member_context import MemberContext, Origin
from bt_executive.tree.composite_progress import BegunMember
from bt_executive.tree.composite_progress_in_round import At, Members
from bt_executive.tree.confirm_and_note_tool_results import CONFIRM_WAIT_S, NOT_SHOWN, as_shown
from bt_executive.tree.context import Context
from bt_executive.tree.subtrees_on_demand import OnDemand
from rover_common.config.settings.composites import Plan, reference
from rover_common.dataclass_replace import replace


class MemberCall(OnDemand, TickedSelector):
    """Plants the tool's subtree when it begins, and adopts its status.

    What its server says is compared with what is measured, as for a tool that was proposed: where
    it is not shown within `CONFIRM_WAIT_S`, the member has failed.
    """

    always = 0

    def __init__(
        self,
        context: MemberContext,
        tool: Tool,
        plan: Plan,
        members: Members,
        at: At,
        subtree: Behaviour,
    ) -> None:
        super().__init__(f'Member {tool.name}', memory=False)
        self._context, self._tool, self._plan = context, tool, plan
        self._members, self._at = members, at
        self.subtrees = (subtree,)
        self._since = 0.0
        self._begun = False
        self._ended_at: float | None = None

    def initialise(self) -> None:
        """Resets the member; nothing is called yet."""
        self._since = self._context.now.steady
        self._begun = False
        self._ended_at = None

    def tick_into(self, visited: list[Behaviour]) -> None:
        """Calls the tool once its resources are free, then confirms its success."""
        if self.status is not Status.RUNNING:
            before = self._members.ended(self._at())
            if before is not None:
                self.end_tick(before, visited)
                return
            self.initialise()
        status = self._begin() if not self._begun else Status.SUCCESS
        if status is Status.SUCCESS:
            status = self._run(visited)
        self.end_tick(status, visited)

    def _begin(self) -> Status:
        """Returns SUCCESS once the subtree may be ticked."""
        arguments = dict[str, Any]()
        for name, given in self._plan.args.items():
            value, missing = self._value(given)
            if missing:
                return self._fail(CallError.FAILED.value, f'{name} is {given}: {missing}')
            arguments[name] = value
        arguments = self._tool.effective(arguments)
        if misfit := self._tool.refuse_arguments(arguments):
            return self._fail(CallError.FAILED.value, misfit.sentence)
        context, members = self._context, self._members
        taken = context.calls.leases.conflicts('', self._tool.skill.resources_required)
        if taken:
            return self._wait(f'In use: {", ".join(sorted(taken))}')
        progress = replace(members.progress, began=members.progress.began + 1)
        proposal = Proposal(f'member-{progress.began}', self._tool.name, arguments)
        context.begin_member(progress.began, proposal, self._origin, progress.moved)
        member = BegunMember(context.round.call_id, self._tool.name, arguments)
        members.progress = progress.with_begun(self._at(), member)
        self._begun = True
        return Status.SUCCESS

    @property
    def _origin(self) -> Origin:
        named = [reference(each) for each in self._plan.args.values()]
        if any(each is not None and each[1] for each in named):
            return Origin.RESULTS
        return Origin.ARGUMENTS if any(named) else Origin.FILE

    def _wait(self, why: str) -> Status:
        patience = self._context.config.executive.guards.server_wait_s
        if self._context.now.steady - self._since >= patience:
            return self._fail(CallError.FAILED.value, why)
        self._context.wake_at(steady=self._since + patience)
        self.feedback_message = f'waiting: {why}'
        return Status.RUNNING

    def _value(self, given: Any) -> tuple[Any, str]:
        """Return a value as text, or that it is not known."""
        named = reference(given)
        if named is None:
            return given, ''
        source, path = named
        if not path:
            proposal = self._context.whole_arguments()
            return proposal.get(source), '' if source in proposal else 'no such argument was given'
        result = self._members.progress.results.get(source)
        if result is None:
            return None, f'{source} has given no result'
        value = value_at(result.data, path)
        return value, '' if value is not None else f'the result of {source} has no {path}'

    def _run(self, visited: list[Behaviour]) -> Status:
        if self._ended_at is not None:
            return self._confirm()
        (subtree,) = self.subtrees
        self.plant(subtree)
        self.current_child = subtree
        status = tick_into(subtree, visited)
        self.feedback_message = subtree.feedback_message
        context, progress = self._context, self._members.progress
        if context.round.permit and not progress.moved:
            self._members.progress = replace(progress, moved=True)
        called = context.round.asked is not None
        if called:
            changed = conditions_on(self._tool.skill.postcondition, context.config.robot.guards)
            context.note_resolved(changed)
        if status is Status.SUCCESS:
            self._ended_at = context.now.steady
            context.end_tool()
            self._members.note(self._at(), called=called, result=self._result)
            return self._confirm()
        if status is Status.FAILURE:
            context.end_tool()
            this = context.round
            return self._fail(this.code or CallError.FAILED.value, this.outcome.error_reason)
        self._members.note(self._at(), called=called, result=None)
        return status

    @property
    def _result(self) -> ToolResult:
        return self._context.round.result or ToolResult(ok=True)

    def _confirm(self) -> Status:
        context, tool = self._context, self._tool
        arguments = context.round.proposal.arguments if context.round.proposal else {}
        result, doubt = as_shown(context, tool, arguments, self._result)
        until = (self._ended_at or 0.0) + CONFIRM_WAIT_S
        if doubt and context.now.steady < until:
            context.wake_at(steady=until)
            self.feedback_message = f'waiting to see that it is done: {doubt}'
            return Status.RUNNING
        if doubt:
            return self._fail(CallError.FAILED.value, NOT_SHOWN.format(doubt=doubt))
        self.feedback_message = 'done'
        self._members.done(self._at(), tool.name, result)
        return Status.SUCCESS

    def _fail(self, code: str, reason: str) -> Status:
        self.feedback_message = self._members.fail(self._at(), self._tool, code, reason)
        return Status.FAILURE


class MemberGuard(Guard):
    """A guard of some members: its refusal ends these, not the whole tool.

    `at`: the place of these members. What is asked at the start only is asked when they begin.
    """

    def __init__(self, context: Context, name: str, members: Members, at: At) -> None:
        self._own = MemberContext(context)
        super().__init__(
            self._own,
            preconditions_of(context.config.executive.variant, context.config.robot)[name],
        )
        self._whole, self._members, self._at = context, members, at

    def update(self) -> Status:
        """Evaluates the guard for the composite as a whole."""
        held_before = self.status is Status.SUCCESS
        have_begun = held_before or self._members.has_ended_within(self._at())
        this = self._whole.round
        self._own.round = this if have_begun else replace(this, ran=False)
        status = super().update()
        if self.refusal is not None:
            self._members.refuse(code_of_refusal(self.refusal.guard), self.refusal.reason)
        return status
