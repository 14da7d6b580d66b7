"""OpenAI's chat completions: the hosted service, and every server that speaks its protocol."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from langchain_openai import ChatOpenAI, OpenAIEmbeddings
from pydantic import SecretStr

from rover_common.config.settings import ModelSettings
from rover_common.llm.bounded_http import make_client
from rover_common.llm.model_message_text import REASONING, REFUSAL
from rover_common.llm.providers.catalogue import Access


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


def make_model(settings: ModelSettings, where: Access) -> ChatOpenAI:
    """Return the chat model, without retries of its own: they are ours."""
    return ChatOpenAIWhole(
        model=settings.model, base_url=where.url, **chat_options(settings, where)
    )


def chat_options(settings: ModelSettings, where: Access) -> dict[str, Any]:
    """Return the options of a chat model that Azure has, too."""
    return {
        'api_key': where.key,
        'temperature': settings.temperature,
        'max_completion_tokens': settings.max_answer_tokens,
        'max_retries': 0,
        'timeout': settings.request.silence_s,
        'http_client': make_client(settings.request),
        'stream_usage': True,
        'use_responses_api': False,
    }


def make_embeddings(settings: ModelSettings, where: Access) -> OpenAIEmbeddings:
    """Return the embedding model. Texts are sent as they are: a local server has no tokenizer."""
    return OpenAIEmbeddings(
        model=settings.model,
        openai_api_base=where.url,
        **embedding_options(settings, where),
    )


def embedding_options(settings: ModelSettings, where: Access) -> dict[str, Any]:
    """Return the options of an embedding model that Azure has, too."""
    return {
        'openai_api_key': SecretStr(where.key),
        'max_retries': 0,
        'request_timeout': settings.request.silence_s,
        'http_client': make_client(settings.request),
        'check_embedding_ctx_length': False,
    }
