"""Ollama: models on this machine or on another one of one's own."""

from __future__ import annotations

from langchain_ollama import ChatOllama

from bt_executive.planner.providers.catalogue import Access
from bt_executive.planner.transport import HEADERS, DispatchTransport, timeouts
from rover_common.config.settings import PlannerSettings

CONTEXT_TOKENS = 16384  # prompt, toolset and planner.max_history_chars, with room for the answer


def make_model(settings: PlannerSettings, where: Access) -> ChatOllama:
    """The chat model. `num_ctx`: Ollama's own default cuts off the prompt silently."""
    return ChatOllama(
        model=settings.model,
        base_url=where.url,
        temperature=settings.temperature,
        num_predict=settings.max_answer_tokens,
        num_ctx=CONTEXT_TOKENS,
        sync_client_kwargs={
            'transport': DispatchTransport(),
            'timeout': timeouts(settings.request),
            'headers': HEADERS,
            'follow_redirects': False,
        },
    )
