"""Makes the hosted models of memory and vision.

What such a model needs is looked for before a library of language models is imported: it may be
the one that is missing.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING

from rover_common.config.settings import ModelSettings
from rover_common.llm.model_source import ModelSource, without_key
from rover_common.llm.providers.catalogue import access, make_embeddings, make_model

if TYPE_CHECKING:
    from rover_common.llm.hosted_chat import HostedChat
    from rover_common.llm.hosted_embeddings import HostedEmbedder


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
    from rover_common.llm.hosted_chat import HostedChat  # its libraries take seconds

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
    from rover_common.llm.hosted_embeddings import HostedEmbedder  # seconds
    from rover_common.llm.provider_request import Wire

    wire = Wire(settings, partial(without_key, where.secret))
    return HostedEmbedder(make_embeddings(settings, where), settings, wire, budget_tokens)
