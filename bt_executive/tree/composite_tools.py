"""Composite tools: other tools under py_trees' composites and decorators, as robot.yaml says.

A member that has ended well is not called again: sequence and fallback have a memory, and a
parallel passes over what has succeeded. Whatever interrupts the composite interrupts its members.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from py_trees.behaviour import Behaviour
from py_trees.common import ParallelPolicy
from py_trees.composites import Parallel, Selector
from py_trees.decorators import Retry, Timeout

from bt_executive.core.error_codes import CallError, code_of_refusal
from bt_executive.core.executive_ports import ToolResult
from bt_executive.core.trace import TraceData
from bt_executive.skills.preconditions import preconditions_of
from bt_executive.skills.tool_registry import Tool
from bt_executive.tree.behaviours.leaf import Status
from bt_executive.tree.behaviours.safety.guard import Guard
from bt_executive.tree.behaviours.tools.member_call import MemberCall, Members
from bt_executive.tree.composites import reactive_sequence, sequence_with_memory
from bt_executive.tree.context import Context
from bt_executive.tree.member_context import MemberContext
from bt_executive.tree.ticking import TickedDecorator
from rover_common.config.settings.composites import Plan
from rover_common.replace import replace

RunTool = Callable[[Context, Tool], Behaviour]


class DoMembers(TickedDecorator):
    """Passes its child's status on, and enters what came of the members as the tool's result."""

    def __init__(
        self, name: str, context: Context, tool: Tool, child: Behaviour, members: Members
    ) -> None:
        super().__init__(name=name, child=child)
        self.context, self._tool, self._members = context, tool, members

    def initialise(self) -> None:
        """The members take their leases themselves, each for its own time."""
        self._members.reset()
        self.context.begin_tool(self._tool.skill.resources_required)
        data: TraceData = {'proposed_by': self.context.proposed_by}
        name = self._tool.name
        self.context.tracer.emit('ACT', f'{name} starts', tool_name=name, data=data)

    def update(self) -> Status:
        """Takes over the child's status."""
        status, members = self.decorated.status, self._members
        if status is Status.SUCCESS:
            self.feedback_message = ', '.join(members.done)
            self.context.round = replace(self.context.round, result=members.result())
        elif status is Status.FAILURE:
            code, reason = members.failed
            self.feedback_message = reason
            failed = ToolResult(ok=False, error_reason=reason, data={'done': list(members.done)})
            self.context.fail(code or CallError.FAILED.value, reason, failed)
        else:
            self.feedback_message = self.decorated.feedback_message
        return status


class TimeLimit(TickedDecorator, Timeout):
    """See `Timeout`; its time is that of the ticks, so that a replay has it, too."""

    def __init__(
        self, name: str, context: Context, child: Behaviour, seconds: float, members: Members
    ) -> None:
        super().__init__(name=name, child=child, duration=seconds)
        self._context, self._members = context, members

    def initialise(self) -> None:
        """The time begins."""
        self.finish_time = self._context.now.steady + self.duration

    def update(self) -> Status:
        """FAILURE, and what is under way is interrupted, when the time is over."""
        status = self.decorated.status
        if status is not Status.RUNNING:
            return status
        if self._context.now.steady < self.finish_time:
            self._context.wake_at(steady=self.finish_time)
            self.feedback_message = self.decorated.feedback_message
            return Status.RUNNING
        reason = f'Not done within {self.duration:g} s'
        self._members.failed = CallError.TIMED_OUT.value, reason
        self.feedback_message = reason
        return Status.FAILURE


class MemberGuard(Guard):
    """A guard of some members: its refusal is theirs, not that of the whole tool."""

    def __init__(self, context: Context, name: str, members: Members) -> None:
        self._own = MemberContext(context)
        super().__init__(
            self._own,
            preconditions_of(context.config.executive.variant, context.config.robot)[name],
        )
        self._whole, self._members = context, members

    def update(self) -> Status:
        """Asks, for the composite as a whole."""
        self._own.round = self._whole.round
        status = super().update()
        if self.refusal is not None:
            self._members.failed = code_of_refusal(self.refusal.guard), self.refusal.reason
        return status


def composite_tool(context: Context, tool: Tool, plan: Plan, run_tool: RunTool) -> Behaviour:
    """The subtree of a composite tool; `run_tool` makes those of its members."""
    members = Members()
    subtree = _subtree(context, plan, members, run_tool)
    return DoMembers(f'Do {tool.name}', context, tool, subtree, members)


def _subtree(context: Context, plan: Plan, members: Members, run_tool: RunTool) -> Behaviour:
    make = partial(_subtree, context, members=members, run_tool=run_tool)
    if plan.kind == 'tool':
        own, tool = MemberContext(context), context.registry[plan.tool]
        return MemberCall(own, tool, plan, members, run_tool(own, tool))
    children = [make(each) for each in plan.members]
    if plan.kind == 'sequence':
        return sequence_with_memory('One after the other', *children)
    if plan.kind == 'fallback':
        return Selector('The first that can', memory=True, children=children)
    if plan.kind == 'parallel':
        policy = ParallelPolicy.SuccessOnAll(synchronise=True)
        return Parallel('All at once', policy=policy, children=children)
    (child,) = children
    if plan.kind == 'retry':
        return Retry(f'{plan.times} times at most', child, num_failures=plan.times)
    if plan.kind == 'timeout':
        name = f'Within {plan.seconds:g} s'
        return TimeLimit(name, context, child, plan.seconds, members)
    guards = (MemberGuard(context, name, members) for name in plan.guards)
    return reactive_sequence('While it is allowed', *guards, child)
