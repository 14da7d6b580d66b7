"""The subtree of the tool that was proposed: planted when it begins."""

from __future__ import annotations

from collections.abc import Mapping

from py_trees.behaviour import Behaviour

from bt_executive.tree.behaviours.base_leaf import Status
from bt_executive.tree.context_roles import Facts
from bt_executive.tree.subtrees_on_demand import OnDemand
from bt_executive.tree.ticking import TickedSelector, tick_into


class SelectedTool(OnDemand, TickedSelector):
    """Plants the proposed tool's subtree and takes over its status; FAILURE without a proposal."""

    always = 0

    def __init__(self, name: str, context: Facts, tools: Mapping[str, Behaviour]) -> None:
        super().__init__(name, memory=False)
        self._facts = context
        self._tools = dict(tools)
        self.subtrees = tuple(self._tools.values())

    def tick_into(self, visited: list[Behaviour]) -> None:
        """Ticks the one child; another tool's that is still there is interrupted and removed."""
        chosen = self._tools.get(self._facts.round.tool)
        for child in [each for each in self.children if each is not chosen]:
            self.remove_subtree(child)
        status = Status.FAILURE
        if chosen is not None:
            self.plant(chosen)
            self.current_child = chosen
            status = tick_into(chosen, visited)
        self.end_tick(status, visited)
