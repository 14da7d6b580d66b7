"""Chooses and makes the models of memory and vision: what they leave out is as for the planner.

What such a model needs is looked for before a library of language models is imported: it may be
the one that is missing.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from rover_common.config.settings import ModelChoice, ModelSettings
from rover_common.llm.model_source import ModelSource, without_key
from rover_common.llm.providers.catalogue import CATALOGUE, access, make_embeddings, make_model

if TYPE_CHECKING:
    from rover_common.llm.hosted_models import HostedChat, HostedEmbedder

Settings = TypeVar('Settings', bound=ModelSettings)


def chosen_model(
    own: ModelChoice, planner: ModelSettings, kind: type[Settings]
) -> Settings | None:
    """The settings of the model to use; None: none, the part works without.

    Args:
        own: The part's configuration.
        planner: The planner's model.
        kind: Names the file and section of the part's model.
    """
    given = {name: getattr(planner, name) for name in ModelSettings.model_fields}
    if own.provider:  # another one: what belongs to the planner's does not count
        given |= {'provider': own.provider, 'model': own.model, 'base_url': own.base_url}
    elif own.model:
        given['model'] = own.model
    if given['provider'] not in CATALOGUE:
        return None
    return kind(**(given | {'timeout_s': own.timeout_s}))


def make_chat(
    settings: ModelSettings, environment: Mapping[str, str], budget_tokens: int
) -> HostedChat:
    """Return the chat model that the configuration names, without a request.

    Args:
        settings: Which one; its provider is one of the catalogue.
        environment: Where keys come from.
        budget_tokens: What all of its answers together may cost.

    Raises:
        ConfigError: Package, model, key or address is missing; the text has the remedy.
    """
    where = access(settings, environment)
    from rover_common.llm.hosted_models import HostedChat  # its libraries take seconds

    source = ModelSource(settings.provider, partial(make_model, settings, where), where.secret)
    return HostedChat(source, settings, budget_tokens)


def make_embedder(
    settings: ModelSettings, environment: Mapping[str, str], budget_tokens: int
) -> HostedEmbedder:
    """Return the embedding model that the configuration names, without a request.

    Args:
        settings: Which one; its provider is one of the catalogue.
        environment: Where keys come from.
        budget_tokens: What all texts together may have, by estimate: few servers count them.

    Raises:
        ConfigError: Package, model, key or address is missing, or the provider has none.
    """
    where = access(settings, environment, embeds=True)
    from rover_common.llm.hosted_models import (
        HostedEmbedder,  # seconds
        Wire,
    )

    wire = Wire(settings, partial(without_key, where.secret))
    return HostedEmbedder(make_embeddings(settings, where), settings, wire, budget_tokens)
