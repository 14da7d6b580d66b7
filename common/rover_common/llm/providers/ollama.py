"""Ollama: models on this machine or on another one of one's own."""

from __future__ import annotations

from typing import Any

from langchain_ollama import ChatOllama, OllamaEmbeddings

from rover_common.config.settings import ModelSettings
from rover_common.llm.providers.catalogue import Access
from rover_common.llm.transport import HEADERS, DispatchTransport, timeouts

CONTEXT_TOKENS = 16384  # prompt, toolset and planner.max_history_chars, with room for the answer


def make_model(settings: ModelSettings, where: Access) -> ChatOllama:
    """The chat model. `num_ctx`: Ollama's own default cuts off the prompt silently."""
    return ChatOllama(
        model=settings.model,
        base_url=where.url,
        temperature=settings.temperature,
        num_predict=settings.max_answer_tokens,
        num_ctx=CONTEXT_TOKENS,
        sync_client_kwargs=_client(settings),
    )


def make_embeddings(settings: ModelSettings, where: Access) -> OllamaEmbeddings:
    """The embedding model."""
    return OllamaEmbeddings(
        model=settings.model, base_url=where.url, sync_client_kwargs=_client(settings)
    )


def _client(settings: ModelSettings) -> dict[str, Any]:
    return {
        'transport': DispatchTransport(),
        'timeout': timeouts(settings.request),
        'headers': HEADERS,
        'follow_redirects': False,
    }
