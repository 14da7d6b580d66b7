"""Azure OpenAI: a deployment below one's own endpoint. `model` names the deployment."""

from __future__ import annotations

from langchain_openai import AzureChatOpenAI, AzureOpenAIEmbeddings

from rover_common.config.settings import ModelSettings
from rover_common.llm.providers.catalogue import Access
from rover_common.llm.providers.openai import chat_options, embedding_options


def make_model(settings: ModelSettings, where: Access) -> AzureChatOpenAI:
    """Return the chat model, without retries of its own: they are ours."""
    return AzureChatOpenAI(
        azure_deployment=settings.model,
        azure_endpoint=where.url,
        api_version=settings.api_version,
        **chat_options(settings, where),
    )


def make_embeddings(settings: ModelSettings, where: Access) -> AzureOpenAIEmbeddings:
    """The embedding model behind a deployment."""
    return AzureOpenAIEmbeddings(
        deployment=settings.model,
        azure_endpoint=where.url,
        openai_api_version=settings.api_version,
        **embedding_options(settings, where),
    )
