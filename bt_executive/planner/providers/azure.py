"""Azure OpenAI: a deployment below one's own endpoint. `planner.model` names the deployment."""

from __future__ import annotations

from langchain_openai import AzureChatOpenAI

from bt_executive.planner.providers.catalogue import Access
from bt_executive.planner.transport import make_client
from rover_common.config.settings import PlannerSettings


def make_model(settings: PlannerSettings, where: Access) -> AzureChatOpenAI:
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
