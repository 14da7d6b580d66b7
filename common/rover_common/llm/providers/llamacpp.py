"""A model of llama.cpp in the process `model`, by OpenAI's protocol."""

from __future__ import annotations

import time

import httpx
from langchain_openai import ChatOpenAI

from rover_common.config.settings import ModelSettings
from rover_common.llm.model_errors import ModelError
from rover_common.llm.providers import openai
from rover_common.llm.providers.catalogue import KEYLESS, Access

POLL_S = 0.2  # between two checks whether the model is loaded
ANSWER_S = 2.0


def make_model(settings: ModelSettings, where: Access) -> ChatOpenAI:
    """Return the chat model, once it is loaded.

    Raises:
        ModelError: It is not there within `timeout_s`.
    """
    deadline = time.monotonic() + settings.timeout_s
    while not _is_loaded(where.url):
        if time.monotonic() > deadline:
            raise ModelError(
                f'No model answers at {where.url} for {settings.timeout_s:.0f} s: `up`, `demo` '
                'and the launch files start the process `model`, whose log says more; '
                '`bt-executive node model` runs it alone.'
            )
        time.sleep(POLL_S)
    return openai.make_model(settings, Access(where.url, KEYLESS))


def _is_loaded(url: str) -> bool:
    """Whether it is served; while it is loaded, the server answers 503 or not at all."""
    try:
        answer = httpx.get(f'{url.removesuffix("/v1")}/health', timeout=ANSWER_S, trust_env=False)
    except httpx.HTTPError:
        return False
    return answer.is_success
