"""The subtree of the tool that was proposed; those of the others are not touched."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from py_trees.behaviour import Behaviour
from py_trees.composites import Selector

from bt_executive.tree.behaviours.leaf import Status
from bt_executive.tree.facts import Facts


class SelectedTool(Selector):
    """Takes over the status of the proposed tool's subtree; FAILURE without a proposal.

    A plain selector would ask every tool in turn whether it is the one, at every tick.
    """

    def __init__(self, name: str, context: Facts, tools: Mapping[str, Behaviour]) -> None:
        super().__init__(name, memory=False, children=list(tools.values()))
        self._facts = context
        self._tools = dict(tools)

    def tick(self) -> Iterator[Behaviour]:
        """Ticks the one child, and ends what another tool may have left."""
        chosen = self._chosen()
        for child in self.children:
            if child is not chosen and child.status is not Status.INVALID:
                child.stop(Status.INVALID)
        self.current_child = chosen
        if chosen is not None:
            yield from chosen.tick()
        status = chosen.status if chosen is not None else Status.FAILURE
        if status is Status.RUNNING:
            self.status = status
        else:
            self.stop(status)
        yield self

    def _chosen(self) -> Behaviour | None:
        return self._tools.get(self._facts.round.tool)
