"""Subtrees that are in the tree only while they are needed: planted, and removed again.

What does not run is not worth looking at, and a viewer takes its time to lay out each behaviour.
The subtrees themselves are made once, with the tree: planting one cannot fail on how it is made,
and a behaviour keeps its id from one run of its tool to the next.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from py_trees.behaviour import Behaviour
from py_trees.common import Status
from py_trees.composites import Composite

from bt_executive.tree.behaviours.base_behaviours import (
    TickedSelector,
    TickedSequence,
    invalidate,
    tick_into,
)
from bt_executive.tree.context_roles import ReadAccess


class OnDemand(Composite):
    """A composite with children that are planted only while it runs.

    Attributes:
        always: How many of its children are always there, before the others.
        subtrees: Those that may be planted, in the order of the whole picture.
    """

    always = 1
    subtrees: tuple[Behaviour, ...]

    def plant(self, *subtrees: Behaviour) -> None:
        """Adds some of the subtrees as the last children, save those that are in the tree."""
        for each in subtrees:
            if each.parent is None:
                self.add_child(each)

    def remove_idle(self, ended: bool) -> None:
        """Removes the subtrees of a composite that does not run.

        Args:
            ended: Also those that have ended; else only those that were interrupted or not ticked,
                so that who looks at the tree after a tick still sees how a subtree has ended.
        """
        if self.status is Status.RUNNING:
            return
        for subtree in self.planted():
            if ended or subtree.status is Status.INVALID:
                self.remove_subtree(subtree)

    def remove_subtree(self, subtree: Behaviour) -> None:
        """Interrupts a planted subtree and removes it."""
        invalidate([subtree])
        self.remove_child(subtree)

    def planted(self) -> list[Behaviour]:
        """Return the subtrees that are in the tree."""
        return self.children[self.always :]


class Branch(OnDemand, TickedSequence):
    """A condition, and a body that runs while it holds; a sequence without memory."""

    def __init__(self, name: str, condition: Behaviour, *body: Behaviour) -> None:
        super().__init__(name, memory=False, children=[condition])
        self.subtrees = body

    def tick_from(self, index: int, visited: list[Behaviour]) -> None:
        """Plants the body when the condition has succeeded; it is ticked in the same tick."""
        if tick_into(self.children[index], visited) is Status.SUCCESS:
            self.plant(*self.subtrees)
            super().tick_from(index + 1, visited)
        else:
            self.end_tick_at(index, visited)


class Otherwise(OnDemand, TickedSelector):
    """A condition, and a remedy that runs while it does not hold; a selector without memory."""

    def __init__(self, name: str, condition: Behaviour, remedy: Behaviour) -> None:
        super().__init__(name, memory=False, children=[condition])
        self.subtrees = (remedy,)

    def tick_from(self, index: int, visited: list[Behaviour]) -> None:
        """Plants the remedy when the condition has failed; it is ticked in the same tick."""
        status = tick_into(self.children[index], visited)
        if status is Status.SUCCESS or status is Status.RUNNING:
            self.end_tick_at(index, visited)
        else:
            self.plant(*self.subtrees)
            super().tick_from(index + 1, visited)


def on_demand_in(root: Behaviour) -> list[OnDemand]:
    """Return the composites with subtrees on demand, also those in what is not planted."""
    with fully_planted(root):
        return [node for node in root.iterate() if isinstance(node, OnDemand)]


@contextmanager
def fully_planted(root: Behaviour) -> Iterator[Behaviour]:
    """Plant all subtrees within the context. The tree must not be ticked meanwhile."""
    added: list[tuple[OnDemand, Behaviour]] = []
    try:
        _plant_all(root, added)
        yield root
    finally:
        for composite, subtree in added:
            composite.remove_child(subtree)


def _plant_all(node: Behaviour, added: list[tuple[OnDemand, Behaviour]]) -> None:
    if isinstance(node, OnDemand):
        for index, subtree in enumerate(node.subtrees, node.always):
            if subtree.parent is None:
                node.insert_child(subtree, index)
                added.append((node, subtree))
    for child in node.children:
        _plant_all(child, added)


class SelectedTool(OnDemand, TickedSelector):
    """Plants the proposed tool's subtree and adopts its status; FAILURE without a proposal."""

    always = 0

    def __init__(self, name: str, context: ReadAccess, tools: Mapping[str, Behaviour]) -> None:
        super().__init__(name, memory=False)
        self._context = context
        self._tools = dict(tools)
        self.subtrees = tuple(self._tools.values())

    def tick_into(self, visited: list[Behaviour]) -> None:
        """Ticks the one child; a remaining one of another tool is interrupted and removed."""
        chosen = self._tools.get(self._context.round.tool)
        for child in [each for each in self.children if each is not chosen]:
            self.remove_subtree(child)
        status = Status.FAILURE
        if chosen is not None:
            self.plant(chosen)
            self.current_child = chosen
            status = tick_into(chosen, visited)
        self.end_tick(status, visited)
