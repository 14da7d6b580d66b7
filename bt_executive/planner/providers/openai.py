"""OpenAI's chat completions: the hosted service, and every server that speaks its protocol."""

from __future__ import annotations

from langchain_openai import ChatOpenAI

from bt_executive.planner.providers.catalogue import Access
from bt_executive.planner.transport import make_client
from rover_common.config.settings import PlannerSettings


def make_model(settings: PlannerSettings, where: Access) -> ChatOpenAI:
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
