"""Checks before a start whether the models of vision and memory can be made."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from bt_executive.launching.system_processes import NodeProcess
from embodied_nav.memory_from_config import chat_settings, embedding_settings
from rover_common.config.settings import Config, ModelSettings
from rover_common.errors import ConfigError
from rover_common.llm.gguf_model_server import local_model
from rover_common.llm.providers.catalogue import LOCAL, access
from rover_common.ros.node_topic_and_enclave_names import MEMORY, VISION
from rover_vision.seeing.vision_model_from_config import model_settings


@dataclass(frozen=True)
class PartModel:
    """A configured model. `fault`: why it cannot be used and what to do; empty: it can."""

    title: str
    description: str
    fault: str = ''


def part_models(
    config: Config, environment: Mapping[str, str], nodes: Iterable[NodeProcess]
) -> Iterator[PartModel]:
    """Yield the models of these processes, without a request and without importing a client."""
    names = {node.name for node in nodes}
    if MEMORY in names:
        yield from _part_model(embedding_settings(config), environment, embeds=True)
        yield from _part_model(chat_settings(config), environment)
    if VISION in names:
        yield from _part_model(model_settings(config), environment)


def model_faults(
    config: Config, environment: Mapping[str, str], nodes: Iterable[NodeProcess]
) -> list[str]:
    """Return a sentence for each model of these processes that cannot be used."""
    models = part_models(config, environment, nodes)
    return [f'Nothing asks {model.title}: {model.fault}' for model in models if model.fault]


def _part_model(
    settings: ModelSettings | None, environment: Mapping[str, str], embeds: bool = False
) -> Iterator[PartModel]:
    if settings is None:
        return
    try:
        endpoint = access(settings, environment, embeds=embeds)
        if settings.provider == LOCAL:
            local_model(settings)  # the file that the process `model` loads
    except ConfigError as error:
        yield PartModel(settings.section, settings.provider, str(error))
    else:
        model = f'{settings.provider}, {settings.model}'
        yield PartModel(settings.section, f'{model} at {endpoint.url}')
