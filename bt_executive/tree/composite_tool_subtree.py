"""Builds the subtree of a composite tool: py_trees' composites over other tools, by robot.yaml.

A member that has ended well is not called again: sequence and fallback have a memory, and a
parallel passes over what has succeeded. Whatever interrupts the composite interrupts its members.
After a restart a composite goes on where it was: what has ended is passed over (`Once`).
"""

from __future__ import annotations

from collections.abc import Callable

from py_trees.behaviour import Behaviour
from py_trees.common import ParallelPolicy
from py_trees.composites import Selector
from py_trees.decorators import Retry, Timeout

from bt_executive.core.error_codes import CallError
from bt_executive.core.trace import TraceData
from bt_executive.skills.tool_registry import Tool
from bt_executive.tree.behaviours.base_leaf import Status
from bt_executive.tree.composite_members import MemberCall, MemberContext, MemberGuard
from bt_executive.tree.composite_progress import CompositeProgress, below, digest_of
from bt_executive.tree.composite_progress_in_round import At, Members
from bt_executive.tree.context import Context
from bt_executive.tree.ticking import Ticked, TickedDecorator, TickedParallel, TickedSequence
from bt_executive.tree.tree_shapes import sequence_with_memory
from rover_common.config.settings.composites import Plan
from rover_common.dataclass_replace import replace

RunTool = Callable[[Context, Tool], Behaviour]
NOTED_EVERY_S = 1.0  # of steady time: at most so much of what a `timeout` has used is lost


class DoMembers(TickedDecorator):
    """Passes its child's status on, and puts the members' result into the round."""

    def __init__(
        self, name: str, context: Context, tool: Tool, child: Behaviour, members: Members
    ) -> None:
        super().__init__(name=name, child=child)
        self.context, self._tool, self._members = context, tool, members

    def initialise(self) -> None:
        """Begins the tool without leases: each member acquires its own."""
        plan, name, verb = self._tool.skill.plan, self._tool.name, 'goes on'
        if plan is not None and not self._members.progress.plan:
            self._members.progress = CompositeProgress(digest_of(plan))
            verb = 'starts'
        self.context.begin_tool(self._tool.skill.resources_required)
        data: TraceData = {'proposed_by': self.context.proposed_by}
        self.context.tracer.emit('ACT', f'{name} {verb}', tool_name=name, data=data)

    def update(self) -> Status:
        """Adopts the child's status."""
        status, progress = self.decorated.status, self._members.progress
        if status is Status.SUCCESS:
            self.feedback_message = ', '.join(progress.done)
            self.context.round = replace(self.context.round, result=progress.result())
        elif status is Status.FAILURE:
            code, reason = progress.failed
            self.feedback_message = reason
            self.context.fail(code or CallError.FAILED.value, reason, progress.failure())
        else:
            self.feedback_message = self.decorated.feedback_message
        return status


class Once(Ticked):
    """A part that is not ticked again once it has ended in a run of its composite.

    Attributes:
        members: Who remember it.
        at: Where it stands.
    """

    members: Members
    at: At

    def tick_into(self, visited: list[Behaviour]) -> None:
        """Adopts the child's status, or returns that of the earlier end."""
        before = None if self.status is Status.RUNNING else self.members.ended(self.at())
        if before is not None:
            self.stop(before)
            visited.append(self)
            return
        super().tick_into(visited)
        if self.status is not Status.RUNNING:
            self.members.end(self.at(), self.status is Status.SUCCESS)


class TimeLimit(Once, TickedDecorator, Timeout):
    """See `Timeout`; its time is that of the ticks, so that a replay has it, too."""

    def __init__(
        self, context: Context, child: Behaviour, seconds: float, members: Members, at: At
    ) -> None:
        super().__init__(name=f'Within {seconds:g} s', child=child, duration=seconds)
        self._context, self.members, self.at = context, members, at
        self._noted = 0.0

    def initialise(self) -> None:
        """Starts the time limit, or the rest of it."""
        left = self.members.progress.left_s.get(self.at(), self.duration)
        self.finish_time = self._context.now.steady + left
        self._note(left)

    def update(self) -> Status:
        """Returns FAILURE and interrupts the child when the time is over."""
        status = self.decorated.status
        if status is not Status.RUNNING:
            return status
        left = self.finish_time - self._context.now.steady
        if left > 0.0:
            if self._noted - left >= NOTED_EVERY_S:
                self._note(left)
            self._context.wake_at(steady=self._context.now.steady + min(left, NOTED_EVERY_S))
            self.feedback_message = self.decorated.feedback_message
            return Status.RUNNING
        self.feedback_message = f'Not done within {self.duration:g} s'
        self.members.refuse(CallError.TIMED_OUT.value, self.feedback_message)
        return Status.FAILURE

    def _note(self, left: float) -> None:
        self._noted = left
        self.members.note_left(self.at(), left)


class AllAtOnce(Once, TickedParallel):
    """See `Parallel`: all of them, and the first that fails ends it."""

    def __init__(self, children: list[Behaviour], members: Members, at: At) -> None:
        policy = ParallelPolicy.SuccessOnAll(synchronise=True)
        super().__init__('All at once', policy=policy, children=children)
        self.members, self.at = members, at


class WhileAllowed(Once, TickedSequence):
    """Guards that are evaluated at every tick, and the part that they guard."""

    def __init__(self, children: list[Behaviour], members: Members, at: At) -> None:
        super().__init__('While it is allowed', memory=False, children=children)
        self.members, self.at = members, at


def composite_tool(context: Context, tool: Tool, plan: Plan, run_tool: RunTool) -> Behaviour:
    """Build the subtree of a composite tool; `run_tool` builds those of its members."""
    members = Members(context, lambda: context.scope)
    subtree = _Subtrees(context, members, run_tool).of(plan, str)
    return DoMembers(f'Do {tool.name}', context, tool, subtree, members)


class _Subtrees:
    def __init__(self, context: Context, members: Members, run_tool: RunTool) -> None:
        self._context, self._members, self._run_tool = context, members, run_tool

    def of(self, plan: Plan, at: At) -> Behaviour:
        """Builds the subtree of a part of the plan."""
        context, members = self._context, self._members
        if plan.kind == 'tool':
            own, tool = MemberContext(context, at), context.registry[plan.tool]
            return MemberCall(own, tool, plan, members, at, self._run_tool(own, tool))
        if plan.kind == 'retry':
            return self._retry(plan, at)
        children = [self.of(each, _member(at, n)) for n, each in enumerate(plan.members)]
        if plan.kind == 'sequence':
            return sequence_with_memory('One after the other', *children)
        if plan.kind == 'fallback':
            return Selector('The first that can', memory=True, children=children)
        if plan.kind == 'parallel':
            return AllAtOnce(children, members, at)
        if plan.kind == 'timeout':
            return TimeLimit(context, children[0], plan.seconds, members, at)
        guards = (MemberGuard(context, name, members) for name in plan.guards)
        return WhileAllowed([*guards, *children], members, at)

    def _retry(self, plan: Plan, at: At) -> Behaviour:
        def at_this_try() -> str:
            return below(at(), retry.failures + 1)

        child = self.of(plan.members[0], at_this_try)
        retry = Retry(f'{plan.times} times at most', child, num_failures=plan.times)
        return retry


def _member(at: At, number: int) -> At:
    return lambda: below(at(), number)
