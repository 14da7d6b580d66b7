"""The shapes that the tree is made of, under names that say what they do."""

from __future__ import annotations

from py_trees.behaviour import Behaviour
from py_trees.decorators import FailureIsSuccess, SuccessIsRunning

from bt_executive.tree.ticking import TickedDecorator, TickedSelector, TickedSequence


class _ForceSuccess(TickedDecorator, FailureIsSuccess):
    """See `FailureIsSuccess`."""


class _UntilInterrupted(TickedDecorator, SuccessIsRunning):
    """See `SuccessIsRunning`."""


def reactive_sequence(name: str, *children: Behaviour) -> Behaviour:
    """All children from the first one again at every tick; the first failure ends it."""
    return TickedSequence(name, memory=False, children=list(children))


def sequence_with_memory(name: str, *children: Behaviour) -> Behaviour:
    """Each child once, in order; the first failure ends it."""
    return TickedSequence(name, memory=True, children=list(children))


def reactive_fallback(name: str, *children: Behaviour) -> Behaviour:
    """The first child that does not fail; a higher one preempts a lower one."""
    return TickedSelector(name, memory=False, children=list(children))


def until_interrupted(name: str, child: Behaviour) -> Behaviour:
    """The child, again and again: RUNNING where it has succeeded."""
    return _UntilInterrupted(name, child)


def force_success(name: str, child: Behaviour) -> Behaviour:
    """The child, and success whatever came of it."""
    return _ForceSuccess(name, child)
