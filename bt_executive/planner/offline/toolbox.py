"""The tools that a model was offered, as far as choosing among them needs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

LONGEST_WITHOUT_LIMIT_S = 10.0  # a drive of a tool whose schema gives no maximum


@dataclass(frozen=True)
class Toolbox:
    """Names and argument schemas (JSON Schema) of the offered tools."""

    schemas: Mapping[str, Mapping[str, Any]]

    @classmethod
    def of(cls, tools: Iterable[Mapping[str, Any]]) -> Toolbox:
        """From tools in the format of OpenAI, which is what langchain binds."""
        functions = [tool['function'] for tool in tools]
        return cls({each['name']: each.get('parameters', {}) for each in functions})

    def __contains__(self, tool: object) -> bool:
        return tool in self.schemas

    def first(self, *tools: str) -> str | None:
        """The first of these that is offered."""
        return next((tool for tool in tools if tool in self), None)

    def takes(self, tool: str, argument: str) -> bool:
        """Whether the tool is offered and has this argument."""
        return tool in self and argument in self._properties(tool)

    def longest(self, tool: str) -> float:
        """The longest `duration_s` that the tool takes, in seconds."""
        schema = self._properties(tool).get('duration_s', {})
        return float(schema.get('maximum', LONGEST_WITHOUT_LIMIT_S))

    def timed(self, tool: str, duration: float) -> dict[str, float]:
        """Arguments for a drive of so many seconds, within the schema; none if it takes none."""
        if not self.takes(tool, 'duration_s'):
            return {}
        schema = self._properties(tool)['duration_s']
        shortest = float(schema.get('minimum', 1.0))
        return {'duration_s': round(min(max(duration, shortest), self.longest(tool)), 1)}

    def _properties(self, tool: str) -> Mapping[str, Any]:
        properties: Mapping[str, Any] = self.schemas[tool].get('properties', {})
        return properties
