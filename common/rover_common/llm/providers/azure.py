"""Azure OpenAI: a deployment below one's own endpoint. `model` names the deployment."""

from __future__ import annotations

from langchain_openai import AzureChatOpenAI, AzureOpenAIEmbeddings
from pydantic import SecretStr

from rover_common.config.settings import ModelSettings
from rover_common.llm.bounded_http import make_client
from rover_common.llm.providers.catalogue import Access


def make_model(settings: ModelSettings, where: Access) -> AzureChatOpenAI:
    """The chat model; retries are ours, hence none of its own."""
    return AzureChatOpenAI(
        azure_deployment=settings.model,
        azure_endpoint=where.url,
        api_version=settings.api_version,
        api_key=where.key,
        temperature=settings.temperature,
        max_completion_tokens=settings.max_answer_tokens,
        max_retries=0,
        timeout=settings.request.silence_s,
        http_client=make_client(settings.request),
        stream_usage=True,
        use_responses_api=False,
    )


def make_embeddings(settings: ModelSettings, where: Access) -> AzureOpenAIEmbeddings:
    """The embedding model behind a deployment."""
    return AzureOpenAIEmbeddings(
        deployment=settings.model,
        azure_endpoint=where.url,
        openai_api_version=settings.api_version,
        openai_api_key=SecretStr(where.key),
        max_retries=0,
        request_timeout=settings.request.silence_s,
        http_client=make_client(settings.request),
        check_embedding_ctx_length=False,
    )
