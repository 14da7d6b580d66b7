"""What came of a visit, as the tool's result."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from bt_executive.core.executive_ports import ToolResult
from bt_executive.tree.behaviours.base_leaf import Leaf, Status
from bt_executive.tree.behaviours.memory.visit import Visit
from bt_executive.tree.context_roles import RoundAccess

UNITS = {'x': 'm', 'y': 'm', 'distance_m': 'm'}


class BeginVisit(Leaf[RoundAccess]):
    """SUCCESS. Forgets the visit before."""

    def __init__(self, name: str, context: RoundAccess, visit: Visit) -> None:
        super().__init__(name, context)
        self._visit = visit

    def update(self) -> Status:
        proposal = self.context.round.proposal
        self._visit.begin(str(proposal.arguments.get('text', '')) if proposal else '')
        return self.success(self._visit.text)


class ReportVisit(Leaf[RoundAccess]):
    """SUCCESS if it was seen where the memory has it, else FAILURE with the look's words."""

    def __init__(self, name: str, context: RoundAccess, visit: Visit) -> None:
        super().__init__(name, context)
        self._visit = visit

    def update(self) -> Status:
        visit, context = self._visit, self.context
        words = ': '.join(each for each in (visit.words, visit.judged) if each)
        context.tracer.emit('OBSERVE', words)
        result = ToolResult(visit.seen, '' if visit.seen else words, self._data(), UNITS)
        code = None if visit.seen else visit.code
        context.round = replace(context.round, result=result, error_code=code, step=None)
        return self.success(words) if visit.seen else self.failure(words)

    def _data(self) -> dict[str, Any]:
        place, looked = self._visit.place, self._visit.looked
        if place is None:
            return {}
        told = {'name': place.name, 'x': round(place.x, 2), 'y': round(place.y, 2)}
        told |= {key: looked[key] for key in ('distance_m', 'looks') if key in looked}
        return {**told, 'seen_there': self._visit.seen}
