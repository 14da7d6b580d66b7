"""The composites and decorators of the tree, named by what they do."""

from __future__ import annotations

from py_trees.behaviour import Behaviour
from py_trees.decorators import FailureIsSuccess, SuccessIsRunning

from bt_executive.tree.ticking import TickedDecorator, TickedSelector, TickedSequence


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
