"""The subtree of the tool that was proposed: planted when it begins."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from py_trees.behaviour import Behaviour
from py_trees.composites import Selector

from bt_executive.tree.access import Facts
from bt_executive.tree.behaviours.leaf import Status
from bt_executive.tree.on_demand import OnDemand


class SelectedTool(OnDemand, Selector):
    """Plants the proposed tool's subtree and takes over its status; FAILURE without a proposal."""

    def __init__(self, name: str, context: Facts, tools: Mapping[str, Behaviour]) -> None:
        super().__init__(name, memory=False)
        self._facts = context
        self._tools = dict(tools)
        self.subtrees = tuple(self._tools.values())

    def tick(self) -> Iterator[Behaviour]:
        """Ticks the one child; another tool's that is still there is interrupted and removed."""
        chosen = self._tools.get(self._facts.round.tool)
        for child in [each for each in self.children if each is not chosen]:
            self.remove_subtree(child)
        status = Status.FAILURE
        if chosen is not None:
            self.plant(chosen)
            self.current_child = chosen
            yield from chosen.tick()
            status = chosen.status
        if status is Status.RUNNING:
            self.status = status
        else:
            self.stop(status)
        yield self
