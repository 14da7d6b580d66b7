"""The toolset as a model gets it: descriptions with costs, schemas, and how long it is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from bt_executive.core.executive_ports import Barred, ToolOffer
from bt_executive.planner.tool_result_text import compact_json

CHEAP = 2.0  # what costs no more says nothing of it


def describe(offer: ToolOffer) -> str:
    """A tool's description, with its cost if it is a dear one, as the model reads it."""
    cost = '' if offer.cost <= CHEAP else f' Cost {offer.cost:g}.'
    return f'{offer.description.strip()}{cost}'


def barred_line(barred: Barred) -> str:
    """Return one line about tools that are not offered now; empty: there are none."""
    by_reason: dict[str, list[str]] = {}
    for name, why in barred:
        by_reason.setdefault(why, []).append(name)
    groups = [f'{", ".join(names)} ({why})' for why, names in by_reason.items()]
    return f'Not offered now: {"; ".join(groups)}.' if groups else ''


def toolset_size(toolset: Sequence[ToolOffer]) -> int:
    """Characters that the toolset costs on every call of the model."""
    return len(toolset_text(toolset))


def toolset_text(toolset: Sequence[ToolOffer]) -> str:
    """Return what the toolset is on the wire, in the format of OpenAI."""
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
    """The JSON Schema of a tool's arguments as every provider wants it; the tree has the whole."""
    told: dict[str, Any] = {'type': 'object', 'properties': {}, **_told(offer.args_schema)}
    told['properties'] = {name: _told(each) for name, each in told['properties'].items()}
    return told


def _told(schema: Mapping[str, Any]) -> dict[str, Any]:
    return {key: each for key, each in schema.items() if key not in LIMITS_UNTOLD}


# Limits of a schema that the model need not know to keep to them.
LIMITS_UNTOLD = frozenset({'additionalProperties', 'exclusiveMinimum', 'minLength', 'maxLength'})
