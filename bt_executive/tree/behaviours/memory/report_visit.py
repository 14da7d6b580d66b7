"""Begins a visit, and reports its result as the tool's."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from bt_executive.core.executive_ports import ToolResult
from bt_executive.tree.behaviours.base_leaf import Leaf, Status
from bt_executive.tree.behaviours.memory.visit import Visit
from bt_executive.tree.context_roles import RoundAccess

UNITS = {'x': 'm', 'y': 'm', 'distance_m': 'm'}


class BeginVisit(Leaf[RoundAccess]):
    """Always SUCCESS. Resets the previous visit."""

    def __init__(self, name: str, context: RoundAccess, visit: Visit) -> None:
        super().__init__(name, context)
        self._visit = visit

    def update(self) -> Status:
        proposal = self.context.round.proposal
        self._visit.begin(str(proposal.arguments.get('text', '')) if proposal else '')
        return self.success(self._visit.text)


class ReportVisit(Leaf[RoundAccess]):
    """SUCCESS if the thing was seen where the memory has it, else FAILURE with the description."""

    def __init__(self, name: str, context: RoundAccess, visit: Visit) -> None:
        super().__init__(name, context)
        self._visit = visit

    def update(self) -> Status:
        visit, context = self._visit, self.context
        sentence = ': '.join(filter(None, (visit.description, visit.judgement)))
        context.tracer.emit('OBSERVE', sentence)
        result = ToolResult(visit.seen, '' if visit.seen else sentence, self._data(), UNITS)
        code = None if visit.seen else visit.code
        context.round = replace(context.round, result=result, error_code=code, step=None)
        return self.success(sentence) if visit.seen else self.failure(sentence)

    def _data(self) -> dict[str, Any]:
        place, fields = self._visit.place, self._visit.look_fields
        if place is None:
            return {}
        data = {'name': place.name, 'x': round(place.x, 2), 'y': round(place.y, 2)}
        data |= {key: fields[key] for key in ('distance_m', 'looks') if key in fields}
        return {**data, 'seen_there': self._visit.seen}
