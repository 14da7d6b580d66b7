"""The models that parts other than the planner ask, and what is missing of them.

A process that lacks its model runs without: who starts it is told here what else stands in a log.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from bt_executive.launching.node_process import NodeProcess
from embodied_nav.memory_models import chat_settings, embedding_settings
from rover_common.config.settings import Config, ModelSettings
from rover_common.errors import ConfigError
from rover_common.llm.providers.catalogue import access
from rover_common.node_names import MEMORY, VISION
from rover_vision.seeing.vision_model import model_settings


@dataclass(frozen=True)
class PartModel:
    """A configured model. `fault`: why it cannot be asked and what to do; empty: it may be."""

    title: str
    words: str
    fault: str = ''


def part_models(
    config: Config, environment: Mapping[str, str], nodes: Iterable[NodeProcess]
) -> Iterator[PartModel]:
    """Yields the models that these processes ask; asks nobody and loads no library."""
    names = {node.name for node in nodes}
    if MEMORY in names:
        yield from _part_model(embedding_settings(config), environment, embeds=True)
        yield from _part_model(chat_settings(config), environment)
    if VISION in names:
        yield from _part_model(model_settings(config), environment)


def model_faults(
    config: Config, environment: Mapping[str, str], nodes: Iterable[NodeProcess]
) -> list[str]:
    """Returns a sentence for each model that these processes ask and cannot have."""
    found = part_models(config, environment, nodes)
    return [f'Nothing asks {each.title}: {each.fault}' for each in found if each.fault]


def _part_model(
    settings: ModelSettings | None, environment: Mapping[str, str], embeds: bool = False
) -> Iterator[PartModel]:
    if settings is None:
        return
    words = f'{settings.provider}, {settings.model}'
    try:
        where = access(settings, environment, embeds=embeds)
    except ConfigError as error:
        yield PartModel(settings.section, settings.provider, str(error))
    else:
        yield PartModel(settings.section, f'{words} at {where.url}')
