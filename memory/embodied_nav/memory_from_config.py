"""The store, the number of the map and the models that the configuration names for the memory."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import ClassVar, TypeVar
import zlib

from rover_common.config.settings import Config, ModelSettings
from rover_common.errors import ConfigError
from rover_common.llm.model_choice_of_a_part import chosen_model
from rover_common.llm.model_ports import ChatModel, Embedder
from rover_common.llm.model_source import make_chat, make_embedder
from rover_common.process.user_paths import named_path, state_folder
from rover_common.ros.ros_arguments import domain_of

SUFFIX = '.sqlite'
LARGEST_EPOCH = 2**31 - 1


OFFLINE = ('', 'offline')  # the sentence encoder, which needs no server
Model = TypeVar('Model')


def memory_store(config: Config, environment: Mapping[str, str], node: str = '/memory') -> str:
    """Return the configured store; else a file for this rover beside the journal.

    Args:
        config: May name the store.
        environment: Names the user's folder for state, and the ROS domain.
        node: Full name of the memory's node: rovers in namespaces have a memory each.
    """
    named, journal = config.executive.memory.store, config.executive.journal.file
    if named:
        return named
    folder = named_path(journal).parent if journal else state_folder(environment)
    name = f'{domain_of(environment)}.{node.strip("/").replace("/", ".")}{SUFFIX}'
    return str(folder / name)


def map_epoch(config: Config) -> int:
    """Return the number of the map that the world frame belongs to.

    As configured; else one per simulated world: what was seen in another world is not found in
    this one.
    """
    configured = config.executive.memory.map_epoch
    if configured is not None:
        return configured
    rover = config.curiosity.rover
    seed = rover.world.seed if rover.seed is None else rover.seed
    return zlib.crc32(f'{rover.world.name}/{seed}'.encode()) & LARGEST_EPOCH


class EmbeddingModelSettings(ModelSettings):
    """Address and timeouts of the embedding model."""

    section: ClassVar[str] = 'memory.embedding'


class MemoryModelSettings(ModelSettings):
    """Address and timeouts of the model that names areas."""

    section: ClassVar[str] = 'memory.model'


@dataclass(frozen=True)
class MemoryModels:
    """None: the memory does without. `faults`: why a model that is configured cannot be used."""

    embedder: Embedder | None = None
    chat: ChatModel | None = None
    faults: tuple[str, ...] = ()


def make_models(config: Config, environment: Mapping[str, str]) -> MemoryModels:
    """Return the models; none is called yet. Loading their libraries may take seconds.

    A model without its package, key or address is a fault; the other one is still used.
    """
    faults: list[str] = []

    def tried(make: Callable[[], Model | None]) -> Model | None:
        try:
            return make()
        except ConfigError as fault:
            faults.append(str(fault))
            return None

    embedder = tried(lambda: embedding_model(config, environment))
    chat = tried(lambda: chat_model(config, environment))
    return MemoryModels(embedder, chat, tuple(faults))


def embedding_settings(config: Config) -> EmbeddingModelSettings | None:
    """Return which model makes vectors of texts; None: the sentence encoder."""
    own = config.executive.memory.embedding
    if own.provider in OFFLINE:
        return None
    return chosen_model(own, config.executive.planner, EmbeddingModelSettings)


def chat_settings(config: Config) -> MemoryModelSettings | None:
    """Return which model names areas and goes down the forest; None: templates, and likeness."""
    own = config.executive.memory.model
    return chosen_model(own, config.executive.planner, MemoryModelSettings)


def embedding_model(config: Config, environment: Mapping[str, str]) -> Embedder | None:
    """Return the model of `embedding_settings`; None: the sentence encoder.

    Raises:
        ConfigError: Package, model, key or address is missing; the text says how to give it.
    """
    settings = embedding_settings(config)
    if settings is None:
        return None
    return make_embedder(settings, environment, config.executive.memory.embedding.max_tokens)


def chat_model(config: Config, environment: Mapping[str, str]) -> ChatModel | None:
    """Return the model of `chat_settings`, or None. Raises as `embedding_model`."""
    settings = chat_settings(config)
    if settings is None:
        return None
    return make_chat(settings, environment, config.executive.memory.model.max_tokens)
