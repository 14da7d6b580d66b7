"""Where a language model is and how patiently it is asked; planner, memory and vision have one."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from pydantic import Field

from rover_common.config.settings.section import Seconds, Section


class RequestSettings(Section):
    """Bounds of one HTTP request to a model."""

    connect_s: Seconds
    silence_s: Seconds
    whole_s: Seconds
    max_bytes: Annotated[int, Field(ge=1000)]


class RetrySettings(Section):
    """How often a failed request to a model is repeated, and after which waits."""

    attempts: Annotated[int, Field(ge=1, le=20)]
    first_wait_s: Seconds
    longest_wait_s: Seconds


class CircuitSettings(Section):
    """After so many failures in a row the provider gets no requests for a while."""

    failures: Annotated[int, Field(ge=1)]
    rest_s: Seconds


class Price(Section):
    """What a provider charges, in USD for a million tokens; 0: unknown."""

    input_usd: Annotated[float, Field(ge=0.0, allow_inf_nan=False)]
    output_usd: Annotated[float, Field(ge=0.0, allow_inf_nan=False)]


class ModelSettings(Section):
    """A model that is used over HTTP, or none. Keys come from the environment alone.

    Attributes:
        file: File of the configuration that it is in, for sentences.
        section: Which part of that file.
        extras: Of setup.cfg, that are required for any provider.
    """

    file: ClassVar[str] = 'executive.yaml'
    section: ClassVar[str] = 'planner'
    extras: ClassVar[tuple[str, ...]] = ()

    provider: str
    model: str
    base_url: str
    api_version: str
    temperature: Annotated[float, Field(ge=0.0, le=2.0)] | None
    timeout_s: Annotated[float, Field(ge=1.0, allow_inf_nan=False)]
    max_answer_tokens: Annotated[int, Field(ge=16)]
    context_tokens: Annotated[int, Field(ge=512)] | None
    request: RequestSettings
    retry: RetrySettings
    circuit: CircuitSettings
    price_per_million: Price


class ModelChoice(Section):
    """The model of a part other than the planner. Provider "": that of the planner.

    Attributes:
        timeout_s: For one answer, all tries together.
        max_tokens: Of all answers until the process ends.
    """

    provider: Literal['', 'offline', 'openai', 'azure', 'anthropic', 'ollama', 'recorded']
    model: str
    base_url: str
    timeout_s: Annotated[float, Field(ge=1.0, allow_inf_nan=False)]
    max_tokens: Annotated[int, Field(ge=1)]
