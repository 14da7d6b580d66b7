"""The conditions while a tool runs: its guards, its resources, its permit.

A guard is asked again at every tick. Resources and permission end with the tool, or with a drive
within one.
"""

from __future__ import annotations

from py_trees.behaviour import Behaviour
from py_trees.common import Status

from bt_executive.core.guard_view_and_verdict import GuardReading, refuses
from bt_executive.core.guards import Precondition
from bt_executive.skills.tool_registry import Tool
from bt_executive.tree.behaviours.base_behaviours import Leaf, PassingDecorator
from bt_executive.tree.behaviours.safety.send_and_confirm_stop import send_stop
from bt_executive.tree.behaviours.tools.satisfy_precondition import (
    SEEN_WITHIN_S,
    ResolvePrecondition,
)
from bt_executive.tree.context_roles import RoundAccess, ToolAccess


class HoldResources(PassingDecorator):
    """Passes its child's status on. Leases last until the last server call has ended.

    What was free when the tool was checked may be in use since, by what satisfies a precondition
    of another member. It waits for that, `guards.server_wait_s` at most.
    """

    def __init__(self, name: str, context: ToolAccess, tool: Tool, child: Behaviour) -> None:
        super().__init__(name=name, child=child)
        self.context = context
        self._tool = tool
        self._call_id = ''
        self._since = 0.0

    def initialise(self) -> None:
        """Resets the tool; nothing is acquired yet."""
        self._call_id = ''
        self._since = self.context.now.steady

    def tick_into(self, visited: list[Behaviour]) -> None:
        """Ticks the child once the leases are acquired."""
        if self.status is not Status.RUNNING:
            self.initialise()
            self.status = Status.RUNNING
        status = Status.SUCCESS if self._call_id else self._begin()
        if status is not Status.SUCCESS:
            self.status = status
            visited.append(self)
            return
        super().tick_into(visited)

    def _begin(self) -> Status:
        """Acquires the leases; returns SUCCESS once they are free."""
        taken = self.context.conflicts(self._tool.skill.resources_required)
        if taken:
            return self._wait(f'In use: {", ".join(sorted(taken))}')
        this = self.context.round
        self.context.begin_tool(self._tool.skill.resources_required)
        self._call_id = this.call_id
        self.context.calls.leases.acquire(this.call_id, self._tool.skill.resources_required)
        self.context.tracer.emit(
            'ACT',
            f'{self._tool.name} starts',
            tool_name=self._tool.name,
            data={'proposed_by': self.context.proposed_by},
        )
        return Status.SUCCESS

    def _wait(self, why: str) -> Status:
        context, self.feedback_message = self.context, f'waiting: {why}'
        until = self._since + context.config.executive.guards.server_wait_s
        if context.now.steady < until:
            context.wake_at(steady=until)
            return Status.RUNNING
        context.refuse(refuses('resources', why, passing=True))
        return Status.FAILURE

    def terminate(self, new_status: Status) -> None:
        """Ends the tool, and withdraws its permit."""
        if self._call_id:
            self._withdraw(new_status)
            self.context.calls.finish_call(self._call_id)
            self.context.note_moved(self._call_id, self._tool.changes)
            self._call_id = ''

    def _withdraw(self, new_status: Status) -> None:
        """Stops the motion of the call if its server has not reported success.

        A timed motion is stopped by `StopOnExit`, however it ends.
        """
        if self._tool.skill.motion is None:
            end_permits(self.context, self._call_id, new_status)


def end_permits(context: ToolAccess, call_id: str, status: Status) -> None:
    """Withdraws the permits of a call or of a step of it, which has ended so.

    A motion whose server has not reported success is stopped, too.
    """
    gates = context.permits.gates_of(call_id)
    if gates and status is not Status.SUCCESS:
        send_stop(context, call_id)
        return
    for gate in gates:
        context.permits.withdraw(gate)


class EndPermit(PassingDecorator):
    """Passes its child's status on, and withdraws the permit however the child ends.

    A motion whose server has not reported success is stopped, too.
    """

    def __init__(self, name: str, context: ToolAccess, child: Behaviour) -> None:
        super().__init__(name=name, child=child)
        self.context = context

    def terminate(self, new_status: Status) -> None:
        """Withdraws the permit of the drive."""
        end_permits(self.context, self.context.round.call_id, new_status)


class Guard(Leaf[RoundAccess]):
    """SUCCESS while the precondition holds; FAILURE stops the tool below it, with the reason.

    RUNNING before the tool begins, while a refusal is expected to pass, for `SEEN_WITHIN_S` at
    most: a member of a composite begins right after the one before it, and what is known may be
    from before that one's end. A proposal has waited for that when it was checked.

    What makes it true under policy `resolve` is its `helper`. While that one's tool is at work
    nothing holds yet, whatever is seen: what looks closed may still be settling.
    """

    def __init__(
        self,
        context: RoundAccess,
        precondition: Precondition,
        helper: ResolvePrecondition | None = None,
    ) -> None:
        super().__init__(precondition.question, context)
        self._precondition = precondition
        self._helper = helper
        self._since = 0.0
        self.refusal: GuardReading | None = None

    def initialise(self) -> None:
        """Starts the time limit for a refusal at the begin to pass."""
        if self.status is Status.INVALID:
            self._since = self.context.now.steady

    def update(self) -> Status:
        """Evaluates the precondition."""
        not_yet = self._not_yet()
        if not_yet is not None:
            self.refusal = None
            return self.running(f'waiting: {not_yet.reason}')
        reading = self._read()
        holds = reading.allowed
        if holds and self._helper is not None and self._waits_for(self._helper):
            reason = f'{self._helper.tool.name} is not done yet'
            reading, holds = refuses(reading.guard, reason, reading.seen, passing=True), False
        if holds:
            self.refusal = None
            return self.success('' if reading.seen in (None, []) else f'{reading.seen}')
        self.refusal = reading
        self.context.refuse(reading)
        return self.failure(reading.reason)

    def _not_yet(self) -> GuardReading | None:
        """Returns a refusal at the begin that is expected to pass; None: what is seen counts."""
        context, until = self.context, self._since + SEEN_WITHIN_S
        has_begun = self.status is Status.SUCCESS or context.round.ran
        if has_begun or self._helper is not None or context.now.steady >= until:
            return None
        reading = self._precondition.read(context.guards.view())
        if not reading.passing:
            return None
        context.wake_at(steady=until)
        return reading

    def _read(self) -> GuardReading:
        """Returns the reading; that of a status from before the last tool's end needs no help."""
        outdated = self._helper.outdated() if self._helper is not None else None
        return outdated or self._precondition.read(self.context.guards.view_of_running())

    def _waits_for(self, helper: ResolvePrecondition) -> bool:
        """Returns whether the tool below must not begin before the helper's tool has ended."""
        return helper.at_work and not self.context.round.ran
