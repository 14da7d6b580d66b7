"""The toolset for a model: descriptions with costs, schemas, and their size."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from bt_executive.core.executive_ports import Barred, ToolOffer
from bt_executive.planner.tool_result_text import compact_json

CHEAP = 2.0  # greatest cost that is not in the description


def describe(offer: ToolOffer) -> str:
    """Return a tool's description for the model, with its cost if it is high."""
    cost = '' if offer.cost <= CHEAP else f' Cost {offer.cost:g}.'
    return f'{offer.description.strip()}{cost}'


def barred_line(barred: Barred) -> str:
    """Return a line about the tools that are not offered now; empty: there are none."""
    by_reason: dict[str, list[str]] = {}
    for name, reason in barred:
        by_reason.setdefault(reason, []).append(name)
    groups = [f'{", ".join(names)} ({reason})' for reason, names in by_reason.items()]
    return f'Not offered now: {"; ".join(groups)}.' if groups else ''


def toolset_size(toolset: Sequence[ToolOffer]) -> int:
    """Return the characters of the toolset in each request."""
    return len(toolset_text(toolset))


def toolset_text(toolset: Sequence[ToolOffer]) -> str:
    """Return the toolset in a request, in the format of OpenAI."""
    tools = [
        {
            'type': 'function',
            'function': {
                'name': offer.name,
                'description': describe(offer),
                'parameters': args_schema(offer),
            },
        }
        for offer in toolset
    ]
    return compact_json(tools)


def args_schema(offer: ToolOffer) -> dict[str, Any]:
    """Return the JSON Schema of a tool's arguments for any provider; the tree has the whole."""
    schema: dict[str, Any] = {'type': 'object', 'properties': {}, **_reduced(offer.args_schema)}
    schema['properties'] = {name: _reduced(each) for name, each in schema['properties'].items()}
    return schema


def _reduced(schema: Mapping[str, Any]) -> dict[str, Any]:
    return {key: each for key, each in schema.items() if key not in HIDDEN_LIMITS}


# Keywords that a model does not need.
HIDDEN_LIMITS = frozenset({'additionalProperties', 'exclusiveMinimum', 'minLength', 'maxLength'})
