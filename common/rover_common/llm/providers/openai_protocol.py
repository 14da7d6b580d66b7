"""OpenAI's protocol: the hosted service, Azure, our own llama.cpp, every server that speaks it."""

from __future__ import annotations

from collections.abc import Mapping
import time
from typing import Any

import httpx
from langchain_openai import (
    AzureChatOpenAI,
    AzureOpenAIEmbeddings,
    ChatOpenAI,
    OpenAIEmbeddings,
)
from pydantic import SecretStr

from rover_common.config.settings import ModelSettings
from rover_common.llm.bounded_http import make_async_client, make_client
from rover_common.llm.model_errors import ModelError
from rover_common.llm.model_message_text import REASONING, REFUSAL
from rover_common.llm.providers.catalogue import LOCAL, Access

POLL_S = 0.2  # between two checks whether the model of llama.cpp is loaded
ANSWER_S = 2.0


class ChatOpenAIWhole(ChatOpenAI):
    """`ChatOpenAI` drops the pieces of a refusal, and the reasoning of local models."""

    def _convert_chunk_to_generation_chunk(self, chunk: dict[str, Any], *rest: Any) -> Any:
        made = super()._convert_chunk_to_generation_chunk(chunk, *rest)
        choices = chunk.get('choices') or ()
        delta = choices[0].get('delta') if choices else None
        if made is not None and isinstance(delta, dict):
            made.message.additional_kwargs |= _dropped(delta)
        return made

    def _create_chat_result(self, response: Any, *rest: Any) -> Any:
        made = super()._create_chat_result(response, *rest)
        content = response if isinstance(response, dict) else response.model_dump()
        choices = content.get('choices') or ()
        for choice, generation in zip(choices, made.generations, strict=False):
            generation.message.additional_kwargs |= _dropped(choice['message'])
        return made


def _dropped(answer: Mapping[str, Any]) -> dict[str, str]:
    """Refusal and reasoning, the latter under its older name or under vLLM's newer one."""
    found = {
        REFUSAL: answer.get(REFUSAL),
        REASONING: answer.get(REASONING) or answer.get('reasoning'),
    }
    return {name: text for name, text in found.items() if text and isinstance(text, str)}


def make_model(settings: ModelSettings, where: Access) -> ChatOpenAI | AzureChatOpenAI:
    """Return the chat model, without retries of its own: they are ours.

    Raises:
        ModelError: The model of llama.cpp is not loaded within `timeout_s`.
    """
    options = _chat_options(settings, where)
    if settings.provider == 'azure':  # a deployment below one's own endpoint, which `model` names
        return AzureChatOpenAI(
            azure_deployment=settings.model,
            azure_endpoint=where.url,
            api_version=settings.api_version,
            **options,
        )
    if settings.provider == LOCAL:
        _await_loaded(settings, where.url)
    return ChatOpenAIWhole(model=settings.model, base_url=where.url, **options)


def _chat_options(settings: ModelSettings, where: Access) -> dict[str, Any]:
    return {
        'api_key': where.key,
        'temperature': settings.temperature,
        'max_completion_tokens': settings.max_answer_tokens,
        'max_retries': 0,
        'timeout': settings.request.silence_s,
        'http_client': make_client(settings.request),
        'http_async_client': make_async_client(),
        'stream_usage': True,
        'use_responses_api': False,
    }


def make_embeddings(
    settings: ModelSettings, where: Access
) -> OpenAIEmbeddings | AzureOpenAIEmbeddings:
    """Return the embedding model. Texts are sent as they are: a local server has no tokenizer."""
    options: dict[str, Any] = {
        'openai_api_key': SecretStr(where.key),
        'max_retries': 0,
        'request_timeout': settings.request.silence_s,
        'http_client': make_client(settings.request),
        'http_async_client': make_async_client(),
        'check_embedding_ctx_length': False,
    }
    if settings.provider == 'azure':
        return AzureOpenAIEmbeddings(
            deployment=settings.model,
            azure_endpoint=where.url,
            openai_api_version=settings.api_version,
            **options,
        )
    return OpenAIEmbeddings(model=settings.model, openai_api_base=where.url, **options)


def _await_loaded(settings: ModelSettings, url: str) -> None:
    deadline = time.monotonic() + settings.timeout_s
    while not _is_loaded(url):
        if time.monotonic() > deadline:
            raise ModelError(
                f'No model answers at {url} for {settings.timeout_s:.0f} s: `up`, `demo` '
                'and the launch files start the process `model`, whose log says more; '
                '`bt-executive node model` runs it alone.'
            )
        time.sleep(POLL_S)


def _is_loaded(url: str) -> bool:
    """Whether it is served; while it is loaded, the server answers 503 or not at all."""
    try:
        answer = httpx.get(f'{url.removesuffix("/v1")}/health', timeout=ANSWER_S, trust_env=False)
    except httpx.HTTPError:
        return False
    return answer.is_success
