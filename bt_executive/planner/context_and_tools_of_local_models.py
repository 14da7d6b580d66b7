"""What a model on a server of one's own can do: the context that it takes, and tool calls.

Ollama, llama.cpp, vLLM and LM Studio report it, each in fields of its own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from rover_common.llm.model_source import ModelInfo
from rover_common.llm.providers.catalogue import OLLAMA_CONTEXT


def of_ollama(shown: Mapping[str, Any], info: ModelInfo) -> ModelInfo:
    """Return what Ollama's `/api/show` reports about a model."""
    capabilities = shown.get('capabilities')
    calls_tools = 'tools' in capabilities if isinstance(capabilities, list) else None
    return replace(info, calls_tools=calls_tools, window=window_of_ollama(shown))


def window_of_ollama(shown: Mapping[str, Any]) -> int:
    """Return the context of a model of Ollama in tokens: the requested one, or its own if less."""
    lengths = [
        each
        for key, each in _mapping(shown.get('model_info')).items()
        if key.endswith('.context_length') and type(each) is int and each > 0
    ]
    return min([OLLAMA_CONTEXT, *lengths])


def of_own_server(
    listed: Mapping[str, Any], props: Mapping[str, Any], model: str, info: ModelInfo
) -> ModelInfo:
    """Return what llama.cpp (with `props`), vLLM or LM Studio reports about a model."""
    template = _mapping(props.get('chat_template_caps'))
    calls_tools = template.get('supports_tool_calls')
    entries = [each for each in _list(listed.get('data')) if isinstance(each, dict)]
    named = [each for each in entries if each.get('id') == model] or entries[:1]
    lengths = [_mapping(props.get('default_generation_settings')).get('n_ctx')]
    for each in named:
        lengths += [each.get(key) for key in ('max_model_len', 'loaded_context_length')]
        lengths.append(_mapping(each.get('meta')).get('n_ctx'))
    window = next((each for each in lengths if type(each) is int and each > 0), None)
    is_known = isinstance(calls_tools, bool)
    return replace(info, calls_tools=calls_tools if is_known else None, window=window)


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _list(value: object) -> Sequence[Any]:
    return value if isinstance(value, list) else ()
