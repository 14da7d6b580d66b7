"""The base classes of behaviours: leaf, sequence, selector, parallel and decorator.

py_trees hands every visited behaviour up through a generator of each of its parents, and writes a
debug text, which nobody reads, at each tick and stop. The two together were a third of what the
executive adds to a tool call. The classes here do the same in the same order, with a list of what
was visited; py_trees' own behaviours may stand among them.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Generic, TypeVar

from py_trees import composites, decorators
from py_trees.behaviour import Behaviour
from py_trees.common import Status
from py_trees.decorators import FailureIsSuccess, SuccessIsRunning

from bt_executive.core.error_codes import CallError
from bt_executive.core.executive_ports import ToolResult
from bt_executive.tree.context_roles import ReadAccess, RoundAccess


class Ticked(Behaviour):
    """A behaviour that is ticked by `tick_into`."""

    def tick_into(self, visited: list[Behaviour]) -> None:
        """Ticks once, and appends to `visited` what `tick` would yield."""
        if self.status is not Status.RUNNING:
            self.initialise()
        status = self.update()
        if status is not Status.RUNNING:
            self.terminate(status)
        self.status = status
        visited.append(self)

    def tick(self) -> Iterator[Behaviour]:
        visited: list[Behaviour] = []
        self.tick_into(visited)
        yield from visited

    def stop(self, new_status: Status) -> None:
        """See `Behaviour.stop`; `iterator`, by which nothing is ticked, stays as it was made."""
        self.terminate(new_status)
        self.status = new_status


class TickedComposite(Ticked, composites.Composite):
    """What sequence and selector have in common."""

    def end_tick_at(self, index: int, visited: list[Behaviour]) -> None:
        """Adopts the status of the child at `index`; those behind it are interrupted."""
        self.current_child = self.children[index]
        invalidate(self.children[index + 1 :])
        self.end_tick(self.current_child.status, visited)

    def end_tick(self, status: Status, visited: list[Behaviour]) -> None:
        """Adopts a status."""
        if status is Status.RUNNING:
            self.status = status
        else:
            self.stop(status)
        visited.append(self)

    def stop(self, new_status: Status = Status.INVALID) -> None:
        if new_status is Status.INVALID:
            self.current_child = None
            invalidate(self.children)
        super().stop(new_status)


class TickedSequence(TickedComposite, composites.Sequence):
    """See `composites.Sequence`."""

    def tick_into(self, visited: list[Behaviour]) -> None:
        """Ticks the children in turn until one does not succeed."""
        index = 0
        if self.status is not Status.RUNNING:
            invalidate(self.children)
            self.initialise()
        elif self.memory and self.current_child is not None:
            index = self.children.index(self.current_child)
        self.tick_from(index, visited)

    def tick_from(self, index: int, visited: list[Behaviour]) -> None:
        """Ticks the child at `index`, and those behind it."""
        for number in range(index, len(self.children)):
            child = self.current_child = self.children[number]
            status = tick_into(child, visited)
            if status is not Status.SUCCESS:
                if self.memory:
                    self.end_tick(status, visited)
                else:
                    self.end_tick_at(number, visited)
                return
        self.end_tick(Status.SUCCESS, visited)


class TickedSelector(TickedComposite, composites.Selector):
    """See `composites.Selector`; without memory."""

    def tick_into(self, visited: list[Behaviour]) -> None:
        """Ticks the children in turn until one does not fail."""
        if self.status is not Status.RUNNING:
            self.current_child = self.children[0] if self.children else None
            self.initialise()
        self.tick_from(0, visited)

    def tick_from(self, index: int, visited: list[Behaviour]) -> None:
        """Ticks the child at `index`, and those behind it."""
        for number in range(index, len(self.children)):
            status = tick_into(self.children[number], visited)
            if status is Status.SUCCESS or status is Status.RUNNING:
                self.end_tick_at(number, visited)
                return
        self.end_tick(Status.FAILURE, visited)
        self.current_child = self.children[-1] if self.children else None

    def end_tick_at(self, index: int, visited: list[Behaviour]) -> None:
        """As a sequence, but those behind the child that ran before are INVALID already."""
        if self.current_child is self.children[index]:
            self.end_tick(self.children[index].status, visited)
        else:
            super().end_tick_at(index, visited)


class TickedParallel(Ticked, composites.Parallel):
    """See `composites.Parallel`, which it is but for the list."""

    def tick_into(self, visited: list[Behaviour]) -> None:
        """Ticks all children."""
        visited.extend(composites.Parallel.tick(self))

    def stop(self, new_status: Status = Status.INVALID) -> None:
        composites.Parallel.stop(self, new_status)


class TickedDecorator(Ticked, decorators.Decorator):
    """See `decorators.Decorator`."""

    def tick_into(self, visited: list[Behaviour]) -> None:
        """Ticks the child, then adopts what `update` makes of its status."""
        if self.status is not Status.RUNNING:
            self.initialise()
        tick_into(self.decorated, visited)
        status = self.update()
        if status is not Status.RUNNING:
            self.stop(status)
        self.status = status
        visited.append(self)

    def stop(self, new_status: Status) -> None:
        self.terminate(new_status)
        if new_status is Status.INVALID or self.decorated.status is Status.RUNNING:
            self.decorated.stop(Status.INVALID)
        self.status = new_status


class PassingDecorator(TickedDecorator):
    """A decorator that passes its child's status on, and does something besides."""

    def update(self) -> Status:
        """Adopts the child's status."""
        self.feedback_message = self.decorated.feedback_message
        return self.decorated.status


def tick_into(node: Behaviour, visited: list[Behaviour]) -> Status:
    """Ticks a behaviour of whatever class, and returns its status."""
    method = getattr(node, 'tick_into', None)  # half the time of `isinstance`: they are abstract
    if method is None:
        visited.extend(node.tick())
    else:
        method(visited)
    return node.status


def invalidate(nodes: list[Behaviour]) -> None:
    """Interrupt the behaviours that are not INVALID already."""
    for node in nodes:
        if node.status is not Status.INVALID:
            node.stop(Status.INVALID)


Access = TypeVar('Access', bound=ReadAccess)
ToolsAccess = TypeVar('ToolsAccess', bound=RoundAccess)


class Leaf(Ticked, Generic[Access]):
    """A leaf. `update` never blocks.

    `Access` is what it may read and change: `ReadAccess`, or another role of `context_roles.py`.
    """

    def __init__(self, name: str, context: Access) -> None:
        super().__init__(name)
        self.context = context

    def running(self, message: str) -> Status:
        """Returns RUNNING, with what it waits for."""
        self.feedback_message = message
        return Status.RUNNING

    def success(self, message: str = '') -> Status:
        """Returns SUCCESS."""
        self.feedback_message = message
        return Status.SUCCESS

    def failure(self, message: str) -> Status:
        """Returns FAILURE, with the reason."""
        self.feedback_message = message
        return Status.FAILURE


class ToolLeaf(Leaf[ToolsAccess], Generic[ToolsAccess]):
    """A leaf of a running tool, whose failure is noted in the round."""

    def failed(
        self, code: CallError | str, reason: str, result: ToolResult | None = None
    ) -> Status:
        """Returns FAILURE, with an error code for the tool's error_map."""
        self.context.fail(code.value if isinstance(code, CallError) else code, reason, result)
        return self.failure(reason)


class _ForceSuccess(TickedDecorator, FailureIsSuccess):
    """See `FailureIsSuccess`."""


class _UntilInterrupted(TickedDecorator, SuccessIsRunning):
    """See `SuccessIsRunning`."""


def reactive_sequence(name: str, *children: Behaviour) -> Behaviour:
    """Ticks all children from the first one at every tick; the first failure ends it."""
    return TickedSequence(name, memory=False, children=list(children))


def sequence_with_memory(name: str, *children: Behaviour) -> Behaviour:
    """Runs each child once, in order; the first failure ends it."""
    return TickedSequence(name, memory=True, children=list(children))


def reactive_fallback(name: str, *children: Behaviour) -> Behaviour:
    """Runs the first child that does not fail; a higher one preempts a lower one."""
    return TickedSelector(name, memory=False, children=list(children))


def until_interrupted(name: str, child: Behaviour) -> Behaviour:
    """Repeats the child: RUNNING after it has succeeded."""
    return _UntilInterrupted(name, child)


def force_success(name: str, child: Behaviour) -> Behaviour:
    """Runs the child; SUCCESS however it ends."""
    return _ForceSuccess(name, child)
