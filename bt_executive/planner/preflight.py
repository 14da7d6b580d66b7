"""Looks before anything moves whether the configured model can be had."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
import os
from pathlib import Path

from rover_common.config.settings import PlannerSettings
from rover_common.errors import ConfigError
from rover_common.llm.providers.catalogue import CATALOGUE, LOCAL, access


@dataclass(frozen=True)
class Found:
    """What is known of a model before it is asked.

    Attributes:
        sentence: Which one, in a few words.
        calls_tools: Whether it can call tools; None: its server does not say.
        window: Tokens that it can read and write; None: its server does not say.
    """

    sentence: str
    calls_tools: bool | None = None
    window: int | None = None


def _local(settings: PlannerSettings, environment: Mapping[str, str]) -> Found:
    from rover_common.llm.local_server import address_of, local_model

    access(settings, environment)
    address_of(settings)
    model = local_model(settings)
    return Found(model.sentence, model.gguf.calls_tools, model.context)


def check_provider(
    settings: PlannerSettings,
    environment: Mapping[str, str] = os.environ,
    warn: Callable[[str], None] = lambda _sentence: None,
) -> Found:
    """What was found.

    Args:
        settings: The planner's.
        environment: Where keys come from.
        warn: Takes a sentence about what may be wrong and hinders no start.

    Raises:
        ConfigError: Package, key, model or server is missing; the text says what to do.
    """
    if settings.provider == 'recorded' and not Path(settings.record).is_file():
        raise ConfigError(
            f'executive.yaml: provider recorded plays planner.record, which is '
            f'{settings.record!r} and no file: record a run with another provider first.'
        )
    if settings.provider not in CATALOGUE:
        return Found(settings.provider)
    if settings.provider == LOCAL:
        return _local(settings, environment)
    # Its HTTP client is a tenth of all that an executive loads, and offline nobody needs it.
    from bt_executive.planner.provider_probe import probe

    return probe(settings, environment, warn)
