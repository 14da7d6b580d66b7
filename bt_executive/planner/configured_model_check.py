"""Checks at the start whether the configured model is available."""

from __future__ import annotations

from collections.abc import Callable, Mapping
import os
from pathlib import Path

from rover_common.config.settings import PlannerSettings
from rover_common.errors import ConfigError
from rover_common.llm.model_source import ModelInfo
from rover_common.llm.providers.catalogue import CATALOGUE, LOCAL, access


def _local(settings: PlannerSettings, environment: Mapping[str, str]) -> ModelInfo:
    from rover_common.llm.gguf_model_server import address_of, local_model

    access(settings, environment)
    address_of(settings)
    model = local_model(settings)
    return ModelInfo(model.sentence, model.gguf.calls_tools, model.context)


def check_provider(
    settings: PlannerSettings,
    environment: Mapping[str, str] = os.environ,
    warn: Callable[[str], None] = lambda _sentence: None,
) -> ModelInfo:
    """Return what is known of the model.

    Args:
        settings: The planner's.
        environment: Where keys come from.
        warn: Receives a sentence about a possible fault that does not prevent the start.

    Raises:
        ConfigError: Package, key, model or server is missing; the text says what to do.
    """
    if settings.provider == 'recorded' and not Path(settings.record).is_file():
        raise ConfigError(
            f'executive.yaml: provider recorded plays planner.record, which is '
            f'{settings.record!r} and no file: record a run with another provider first.'
        )
    if settings.provider not in CATALOGUE:
        return ModelInfo(settings.provider)
    if settings.provider == LOCAL:
        return _local(settings, environment)
    # Its HTTP client is a tenth of all that an executive loads; the offline model needs none.
    from bt_executive.planner.model_server_probe import probe

    return probe(settings, environment, warn)
