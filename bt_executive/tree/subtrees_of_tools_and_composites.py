"""Builds the subtrees of tools, and of composites of other tools, by robot.yaml.

A member that has ended well is not called again: sequence and fallback have a memory, and a
parallel passes over what has succeeded. Whatever interrupts the composite interrupts its members.
After a restart a composite goes on where it was: what has ended is passed over (`Once`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

from py_trees.behaviour import Behaviour
from py_trees.common import ParallelPolicy, Status
from py_trees.composites import Selector
from py_trees.decorators import Retry, Timeout

from bt_executive.core.error_codes import CallError
from bt_executive.core.trace import TraceData
from bt_executive.skills.tool_registry import Tool, resolvers_of
from bt_executive.tree.behaviours.base_behaviours import (
    Ticked,
    TickedDecorator,
    TickedParallel,
    TickedSequence,
    reactive_fallback,
    reactive_sequence,
    sequence_with_memory,
)
from bt_executive.tree.behaviours.memory.go_to_remembered import go_to_remembered
from bt_executive.tree.behaviours.tools.call_server import CallServer
from bt_executive.tree.behaviours.tools.drive_for_a_time import (
    ConfirmDrive,
    DriveFor,
)
from bt_executive.tree.behaviours.tools.guards_resources_and_permit import Guard, HoldResources
from bt_executive.tree.behaviours.tools.internal_and_plugin_tools import (
    AbortGoal,
    AskOperator,
    Finish,
    InternalTool,
    PluggedBehaviour,
    ReadGraph,
    Speak,
    Wait,
)
from bt_executive.tree.behaviours.tools.satisfy_precondition import ResolvePrecondition
from bt_executive.tree.behaviours.tools.stop_after_motion import StandsAgain, StopOnExit
from bt_executive.tree.composite_member_context import MemberContext
from bt_executive.tree.composite_members import MemberCall, MemberGuard
from bt_executive.tree.composite_progress import CompositeProgress, below, digest_of
from bt_executive.tree.composite_progress_in_round import At, Members
from bt_executive.tree.confirm_and_note_tool_results import AwaitPostcondition
from bt_executive.tree.context import Context
from rover_common.config.settings.composites import Plan
from rover_common.dataclass_replace import replace


def run_tool(context: Context, tool: Tool) -> Behaviour:
    """Build the subtree of a tool."""
    if tool.skill.plan is not None:
        do = composite_tool(context, tool, tool.skill.plan)
    else:
        do = HoldResources(f'Do {tool.name}', context, tool, _steps(context, tool))
    return reactive_sequence(tool.name, *_guards(context, tool), do)


def _guards(context: Context, tool: Tool) -> Iterator[Behaviour]:
    """Build a guard per precondition; under policy `resolve` with the tool that satisfies it."""
    resolvers = resolvers_of(tool, context.registry, context.config.executive.guards)
    for precondition in tool.preconditions:
        if precondition.name in resolvers:
            resolver = resolvers[precondition.name]
            helper = ResolvePrecondition(f'{resolver.name} first', context, resolver, precondition)
            yield reactive_fallback(
                f'{precondition.question.rstrip("?")}, or see to it',
                Guard(context, precondition, helper),
                helper,
            )
        else:
            yield Guard(context, precondition)


def _steps(context: Context, tool: Tool) -> Behaviour:
    """Build what a tool does: call a server, drive for a time and stop, or an internal tool."""
    if tool.endpoint is None:
        return internal_tool(context, tool)
    verb = 'Publish on' if tool.endpoint.kind == 'topic' else 'Call'
    call = CallServer(f'{verb} {tool.endpoint.name}', context, tool, tool.endpoint)
    if tool.waits_for_postcondition:
        seen = AwaitPostcondition('Seen to be done?', context, tool)
        return sequence_with_memory('Publish and see', call, seen)
    if tool.skill.motion is None:
        return call
    drive = DriveFor('Until the time is over', context, tool)
    motion = StopOnExit(
        'Stop on every way out', context, tool, sequence_with_memory('Drive', call, drive)
    )
    return sequence_with_memory(
        'Drive and stop',
        motion,
        StandsAgain('Stands again?', context, motion),
        ConfirmDrive('Moved as asked?', context, drive),
    )


INTERNAL: dict[str, tuple[str, Callable[[str, Context, Tool], InternalTool]]] = {
    'abort': ('Give the goal up', AbortGoal),
    'ask_operator': ('Ask and wait for an answer', AskOperator),
    'finish': ('End the goal with an answer', Finish),
    'list_nodes': ('List the nodes', ReadGraph),
    'list_services': ('List the services', ReadGraph),
    'list_topics': ('List the topics', ReadGraph),
    'read_topic': ('Read one message', ReadGraph),
    'speak': ('Say it', Speak),
    'wait': ('Let time pass', Wait),
}


# The tools that are carried out in steps: name in robot.yaml → their subtree.
IN_STEPS: dict[str, Callable[[Context, Tool], Behaviour]] = {'go_to_remembered': go_to_remembered}


def internal_tool(context: Context, tool: Tool) -> Behaviour:
    """Return the class of an internal tool's leaf; the registry has checked that there is one."""
    if tool.skill.steps:
        return IN_STEPS[tool.name](context, tool)
    if tool.skill.behaviour:
        return PluggedBehaviour(f'Let {tool.skill.behaviour} do it', context, tool)
    title, leaf = INTERNAL[tool.name]
    return leaf(title, context, tool)


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


def composite_tool(context: Context, tool: Tool, plan: Plan) -> Behaviour:
    """Build the subtree of a composite tool."""
    members = Members(context, lambda: context.scope)
    return DoMembers(f'Do {tool.name}', context, tool, _part(context, members, plan, str), members)


def _part(context: Context, members: Members, plan: Plan, at: At) -> Behaviour:
    """Build the subtree of a part of the plan, which stands `at` its place."""
    if plan.kind == 'tool':
        own, tool = MemberContext(context, at), context.registry[plan.tool]
        return MemberCall(own, tool, plan, members, at, run_tool(own, tool))
    if plan.kind == 'retry':
        retry = Retry(
            f'{plan.times} times at most',
            _part(context, members, plan.members[0], lambda: below(at(), retry.failures + 1)),
            num_failures=plan.times,
        )
        return retry
    children = [
        _part(context, members, each, partial(_member, at, number))
        for number, each in enumerate(plan.members)
    ]
    if plan.kind == 'sequence':
        return sequence_with_memory('One after the other', *children)
    if plan.kind == 'fallback':
        return Selector('The first that can', memory=True, children=children)
    if plan.kind == 'parallel':
        return AllAtOnce(children, members, at)
    if plan.kind == 'timeout':
        return TimeLimit(context, children[0], plan.seconds, members, at)
    guards = (MemberGuard(context, name, members, at) for name in plan.guards)
    return WhileAllowed([*guards, *children], members, at)


def _member(at: At, number: int) -> str:
    return below(at(), number)
