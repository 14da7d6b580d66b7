"""The four shapes that the tree is made of, under names that say what they do."""

from __future__ import annotations

import py_trees
from py_trees.behaviour import Behaviour


def reactive_sequence(name: str, *children: Behaviour) -> Behaviour:
    """All children from the first one again at every tick; the first failure ends it."""
    return py_trees.composites.Sequence(name, memory=False, children=list(children))


def sequence_with_memory(name: str, *children: Behaviour) -> Behaviour:
    """Each child once, in order; the first failure ends it."""
    return py_trees.composites.Sequence(name, memory=True, children=list(children))


def reactive_fallback(name: str, *children: Behaviour) -> Behaviour:
    """The first child that does not fail; a higher one preempts a lower one."""
    return py_trees.composites.Selector(name, memory=False, children=list(children))


def force_success(name: str, child: Behaviour) -> Behaviour:
    """The child, and success whatever came of it."""
    return py_trees.decorators.FailureIsSuccess(name, child)
