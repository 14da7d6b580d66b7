"""Ollama: models on this machine or on another one of one's own."""

from __future__ import annotations

from collections.abc import Iterator
import json
from typing import Any

from langchain_ollama import ChatOllama, OllamaEmbeddings
from pydantic import BaseModel

from rover_common.config.settings import ModelSettings
from rover_common.llm.bounded_http import HEADERS, DispatchTransport, timeouts, tls
from rover_common.llm.providers.catalogue import OLLAMA_CONTEXT, Access


class ChatOllamaAsSent(ChatOllama):
    """`ChatOllama` reads texts in arguments as if they were code, and drops some arguments.

    It also drops what a model thought, unless it is asked to think, which other models refuse:
    here the server decides, and what was thought is kept.
    """

    reasoning: bool | str | None = True

    def _chat_params(self, *asked: Any, **options: Any) -> dict[str, Any]:
        return {**super()._chat_params(*asked, **options), 'think': None}

    def _create_chat_stream(self, *asked: Any, **options: Any) -> Iterator[Any]:
        """The answers with the arguments of calls as JSON text, which is read unchanged."""
        for answer in super()._create_chat_stream(*asked, **options):
            yield _with_text(answer) if isinstance(answer, BaseModel) else answer


def make_model(settings: ModelSettings, where: Access) -> ChatOllamaAsSent:
    """The chat model. `num_ctx`: Ollama's own default cuts off the prompt silently."""
    return ChatOllamaAsSent(
        model=settings.model,
        base_url=where.url,
        temperature=settings.temperature,
        num_predict=settings.max_answer_tokens,
        num_ctx=settings.context_tokens or OLLAMA_CONTEXT,
        **_clients(settings),
    )


def make_embeddings(settings: ModelSettings, where: Access) -> OllamaEmbeddings:
    """The embedding model."""
    return OllamaEmbeddings(model=settings.model, base_url=where.url, **_clients(settings))


def _with_text(answer: BaseModel) -> dict[str, Any]:
    content = answer.model_dump()
    for call in content['message'].get('tool_calls') or ():
        call['function']['arguments'] = json.dumps(call['function']['arguments'])
    return content


def _clients(settings: ModelSettings) -> dict[str, dict[str, Any]]:
    """Return the options of both clients of the library; nobody uses the asynchronous one."""
    client = {
        'transport': DispatchTransport(),
        'timeout': timeouts(settings.request),
        'headers': HEADERS,
        'follow_redirects': False,
    }
    return {'sync_client_kwargs': client, 'async_client_kwargs': {'verify': tls()}}
