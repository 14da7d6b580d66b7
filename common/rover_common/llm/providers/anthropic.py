"""Anthropic's messages."""

from __future__ import annotations

from functools import cached_property

import anthropic
from langchain_anthropic import ChatAnthropic

from rover_common.config.settings import ModelSettings, RequestSettings
from rover_common.llm.bounded_http import make_client
from rover_common.llm.providers.catalogue import Access


class ChatAnthropicByWire(ChatAnthropic):
    """`ChatAnthropic` takes no HTTP client; its own is shared by the whole process."""

    limits: RequestSettings

    @cached_property
    def _client(self) -> anthropic.Client:
        return anthropic.Client(**self._client_params, http_client=make_client(self.limits))


def make_model(settings: ModelSettings, where: Access) -> ChatAnthropicByWire:
    """The chat model; retries are ours, hence none of its own."""
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
