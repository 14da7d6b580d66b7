"""OpenAI's chat completions: the hosted service, and every server that speaks its protocol."""

from __future__ import annotations

from langchain_openai import ChatOpenAI, OpenAIEmbeddings
from pydantic import SecretStr

from rover_common.config.settings import ModelSettings
from rover_common.llm.providers.catalogue import Access
from rover_common.llm.transport import make_client


def make_model(settings: ModelSettings, where: Access) -> ChatOpenAI:
    """The chat model; retries are ours, hence none of its own."""
    return ChatOpenAI(
        model=settings.model,
        base_url=where.url,
        api_key=where.key,
        temperature=settings.temperature,
        max_completion_tokens=settings.max_answer_tokens,
        max_retries=0,
        timeout=settings.request.silence_s,
        http_client=make_client(settings.request),
        stream_usage=True,
        use_responses_api=False,
    )


def make_embeddings(settings: ModelSettings, where: Access) -> OpenAIEmbeddings:
    """The embedding model. Texts are sent as they are: a server of one's own knows no tokens."""
    return OpenAIEmbeddings(
        model=settings.model,
        openai_api_base=where.url,
        openai_api_key=SecretStr(where.key),
        max_retries=0,
        request_timeout=settings.request.silence_s,
        http_client=make_client(settings.request),
        check_embedding_ctx_length=False,
    )
