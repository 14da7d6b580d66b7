"""Anthropic's messages."""

from __future__ import annotations

from functools import cached_property

import anthropic
from langchain_anthropic import ChatAnthropic

from rover_common.config.settings import ModelSettings, RequestSettings
from rover_common.llm.bounded_http import make_client
from rover_common.llm.providers.catalogue import Access


class ChatAnthropicByWire(ChatAnthropic):
    """`ChatAnthropic` accepts no HTTP client; the whole process shares its own."""

    limits: RequestSettings

    @cached_property
    def _client(self) -> anthropic.Client:
        return anthropic.Client(**self._client_params, http_client=make_client(self.limits))


def make_model(settings: ModelSettings, where: Access) -> ChatAnthropicByWire:
    """Return the chat model, without retries of its own: they are ours."""
    return ChatAnthropicByWire(
        model=settings.model,
        base_url=where.url,
        api_key=where.key,
        temperature=settings.temperature,
        max_tokens=settings.max_answer_tokens,
        max_retries=0,
        timeout=settings.request.silence_s,
        limits=settings.request,
    )
