"""Holds a chat model to a JSON Schema, in the way of its provider's protocol."""

from __future__ import annotations

from collections.abc import Mapping
import json
from typing import TYPE_CHECKING, Any, TypeAlias

from rover_common.llm.providers.catalogue import CATALOGUE, LOCAL

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel
    from langchain_core.messages import BaseMessage
    from langchain_core.runnables import Runnable

ConstrainedModel: TypeAlias = 'Runnable[Any, BaseMessage]'
NAME = 'next'  # servers require one
COMPACT = {'x-guidance': {'whitespace_flexible': False}}  # half the tokens of an answer


def supports_schema(provider: str) -> bool:
    """Return whether there is a way for this provider; its server may still refuse it."""
    return provider in CATALOGUE


def constrain_to_schema(
    model: BaseChatModel, provider: str, schema: Mapping[str, Any], strict: bool
) -> ConstrainedModel:
    """Return the model with the request for JSON of this schema.

    By the body of the request, not by langchain's `with_structured_output`: that one reads the
    answer by itself, and what it cannot read is lost. `strict`: every object of it is closed.
    """
    if provider == 'ollama':
        return model.bind(format=dict(schema))
    if provider == LOCAL:
        return model.bind(extra_body={'grammar': _guidance(schema)})
    if provider == 'anthropic':
        form = {'type': 'json_schema', 'schema': schema}
        return model.bind(extra_body={'output_config': {'format': form}})
    form = {
        'type': 'json_schema',
        'json_schema': {'name': NAME, 'strict': strict, 'schema': schema},
    }
    return model.bind(extra_body={'response_format': form})


def _guidance(schema: Mapping[str, Any]) -> str:
    """Return the schema as a grammar of llguidance, which our own llama.cpp is built with.

    It holds limits of decimal numbers, too; what llama.cpp makes of `response_format` does not.
    """
    return f'%llguidance {{}}\nstart: %json {json.dumps({**schema, **COMPACT})}'
