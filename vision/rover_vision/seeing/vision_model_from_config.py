"""The vision model of vision.yaml; missing settings are those of the planner."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from rover_common.config.settings import Config, ModelSettings
from rover_common.errors import ConfigError
from rover_common.llm.model_choice_of_a_part import chosen_model
from rover_common.llm.model_ports import ChatModel
from rover_common.llm.model_source import make_chat
from rover_common.llm.providers.catalogue import LOCAL


class VisionModelSettings(ModelSettings):
    """Settings of the vision model: where it is, and its limits."""

    file: ClassVar[str] = 'vision.yaml'
    section: ClassVar[str] = 'vision.model'


def model_settings(config: Config) -> VisionModelSettings | None:
    """Return the settings of the model; None: there is none, and pictures are measured.

    The process that serves a GGUF file reads text only: it loads no projector for pictures.
    """
    found = _configured(config)
    return None if found is None or found.provider == LOCAL else found


def why_measured(config: Config) -> str:
    """Return why the configured model sees no pictures; empty: it may, or there is none."""
    found = _configured(config)
    if found is None or found.provider != LOCAL:
        return ''
    return (
        'Pictures are measured only: the model of provider llamacpp reads text. For one that '
        'sees, set vision.model.provider and vision.model.model (docs/vision.md).'
    )


def _configured(config: Config) -> VisionModelSettings | None:
    return chosen_model(config.vision.model, config.executive.planner, VisionModelSettings)


def make_model(config: Config, environment: Mapping[str, str]) -> tuple[ChatModel | None, str]:
    """Return the vision model, and why there is none although one is configured.

    Nobody is asked yet. None without a reason: none is configured. A model for which package, key
    or address is missing costs itself only: pictures are measured, and clients are served.
    """
    settings = model_settings(config)
    if settings is None:
        return None, why_measured(config)
    try:
        return make_chat(settings, environment, config.vision.model.max_tokens), ''
    except ConfigError as fault:
        return None, f'Pictures are measured only: {fault}'
