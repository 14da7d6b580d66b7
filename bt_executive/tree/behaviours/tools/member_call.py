"""A member of a composite tool: the call of another tool, under all of that tool's guards."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from py_trees.behaviour import Behaviour

from bt_executive.core.error_codes import CallError, what_follows
from bt_executive.core.executive_ports import Proposal, ToolResult
from bt_executive.core.outcome import NOT_CONFIRMED
from bt_executive.core.state import DecisionType
from bt_executive.skills.response_mapping import value_at
from bt_executive.skills.tool_registry import Tool
from bt_executive.tree.behaviours.leaf import Status
from bt_executive.tree.confirmation import why_not_confirmed
from bt_executive.tree.member_context import MemberContext
from bt_executive.tree.on_demand import OnDemand
from bt_executive.tree.ticking import TickedSelector, tick_into
from rover_common.config.settings.composites import Plan, reference
from rover_common.replace import replace

CONFIRM_WAIT_S = 2.0  # for what shows that a member has done what its server says


@dataclass
class Members:
    """What the members of one run of a composite have come to.

    Attributes:
        results: Tool → its latest result that was good.
        done: Their names, in order.
        failed: The code and the reason of the one that failed last; empty: none has.
        began: How many calls were begun.
        moved: One of them was permitted to move.
    """

    results: dict[str, ToolResult] = field(default_factory=dict)
    done: list[str] = field(default_factory=list)
    failed: tuple[str, str] = ('', '')
    began: int = 0
    moved: bool = False

    def reset(self) -> None:
        """Begins anew, for another run of the composite."""
        self.results.clear()
        self.done.clear()
        self.failed, self.began, self.moved = ('', ''), 0, False

    def result(self) -> ToolResult:
        """What all of them have come to. What nothing has shown of one is not shown of all."""
        data: dict[str, Any] = {tool: dict(each.data) for tool, each in self.results.items()}
        doubts = (
            f'{tool}: {each.data[NOT_CONFIRMED]}'
            for tool, each in self.results.items()
            if each.data.get(NOT_CONFIRMED)
        )
        if not_shown := '; '.join(doubts):
            data[NOT_CONFIRMED] = not_shown
        return ToolResult(ok=True, data={**data, 'done': list(self.done)})


class MemberCall(OnDemand, TickedSelector):
    """Plants the tool's subtree when it begins, and takes over its status.

    What its server says is compared with what is measured, as for a tool that was proposed: where
    it is not shown within `CONFIRM_WAIT_S`, the member has failed.
    """

    always = 0

    def __init__(
        self, context: MemberContext, tool: Tool, plan: Plan, members: Members, subtree: Behaviour
    ) -> None:
        super().__init__(f'Member {tool.name}', memory=False)
        self._context, self._tool, self._plan, self._members = context, tool, plan, members
        self.subtrees = (subtree,)
        self._since = 0.0
        self._begun = False
        self._ended_at: float | None = None

    def initialise(self) -> None:
        """Nothing is called yet."""
        self._since = self._context.now.steady
        self._begun = False
        self._ended_at = None

    def tick_into(self, visited: list[Behaviour]) -> None:
        """Calls the tool once its resources are free, and then sees that it is done."""
        if self.status is not Status.RUNNING:
            self.initialise()
        status = self._begin() if not self._begun else Status.SUCCESS
        if status is Status.SUCCESS:
            status = self._run(visited)
        self.end_tick(status, visited)

    def _begin(self) -> Status:
        """SUCCESS: the subtree may be ticked."""
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
        members.began += 1
        fixed = not any(reference(each) for each in self._plan.args.values())
        proposal = Proposal(f'member-{members.began}', self._tool.name, arguments)
        context.begin_member(members.began, proposal, fixed, members.moved)
        self._begun = True
        return Status.SUCCESS

    def _wait(self, why: str) -> Status:
        patience = self._context.config.executive.guards.server_wait_s
        if self._context.now.steady - self._since >= patience:
            return self._fail(CallError.FAILED.value, why)
        self._context.wake_at(steady=self._since + patience)
        self.feedback_message = f'waiting: {why}'
        return Status.RUNNING

    def _value(self, given: Any) -> tuple[Any, str]:
        """A value, or why it is not known."""
        named = reference(given)
        if named is None:
            return given, ''
        source, path = named
        if not path:
            proposal = self._context.whole_arguments()
            return proposal.get(source), '' if source in proposal else 'no such argument was given'
        result = self._members.results.get(source)
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
        self._members.moved |= bool(self._context.round.permit)
        if status is Status.SUCCESS:
            self._ended_at = self._context.now.steady
            self._context.end_tool()
            return self._confirm()
        if status is Status.FAILURE:
            self._context.end_tool()
            this = self._context.round
            code = this.code or CallError.FAILED.value
            return self._fail(code, this.outcome.error_reason)
        return status

    def _confirm(self) -> Status:
        context, tool = self._context, self._tool
        result = context.round.result or ToolResult(ok=True)
        arguments = context.round.proposal.arguments if context.round.proposal else {}
        doubt = why_not_confirmed(context, tool, arguments, result)
        measurable = tool.skill.topic is None or tool.waits_to_see
        until = (self._ended_at or 0.0) + CONFIRM_WAIT_S
        if doubt and measurable and context.now.steady < until:
            context.wake_at(steady=until)
            self.feedback_message = f'waiting to see that it is done: {doubt}'
            return Status.RUNNING
        if doubt and measurable:
            return self._fail(
                CallError.FAILED.value, f'its server says that it is done, but {doubt}'
            )
        if doubt:
            result = replace(result, data={**result.data, NOT_CONFIRMED: doubt})
        self._members.results[tool.name] = result
        self._members.done.append(tool.name)
        context.note_done(self._members.done)
        self.feedback_message = 'done'
        context.tracer.emit('OBSERVE', f'{tool.name} is done', tool_name=tool.name)
        return Status.SUCCESS

    def _fail(self, code: str, reason: str) -> Status:
        reason = f'{self._tool.name}: {reason}'
        self._members.failed = code, reason
        self.feedback_message = reason
        error_map: Mapping[str, str] = self._tool.skill.error_map
        self._context.tracer.emit(
            'ERROR', reason, tool_name=self._tool.name, ok=False, error_reason=reason
        )
        if what_follows(code, error_map) is DecisionType.ABORT:
            self._context.make_safe(self._tool.name, reason, code)
        return Status.FAILURE
