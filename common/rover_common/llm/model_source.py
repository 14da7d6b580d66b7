"""Where messages of a model come from: its provider, made with what it needs.

What such a model needs is looked for before a library of language models is imported: it may be
the one that is missing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property, partial
import json
from typing import TYPE_CHECKING

from rover_common.config.settings import ModelSettings
from rover_common.errors import ConfigError
from rover_common.llm.model_errors import ModelError
from rover_common.llm.providers.catalogue import CATALOGUE, access, make_embeddings, make_model

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel

    from rover_common.llm.hosted_models import HostedChat, HostedEmbedder

SHORTEST_SECRET = 4  # characters; a shorter text is no secret, and a part of many words


@dataclass(frozen=True)
class ModelInfo:
    """What is known of a model before the first request.

    Attributes:
        sentence: Its name and kind, in a few words.
        calls_tools: Whether it can call tools; None: its server does not report it.
        window: Tokens of its context; None: its server does not report it.
    """

    sentence: str
    calls_tools: bool | None = None
    window: int | None = None


@dataclass(frozen=True)
class ModelSource:
    """A chat model for requests from several threads.

    Attributes:
        name: The provider's name, for sentences.
        make: Makes the model. This may import the provider's library, which takes seconds.
        secret: The key; `hide` keeps it out of every sentence.
        is_ones_own: Whether it is a server of one's own, which may have a model of any kind. A
            schema for its answer may then have limits of numbers, texts and lists.
        info: What is known of the model.
    """

    name: str
    make: Callable[[], BaseChatModel]
    secret: str = field(default='', repr=False)
    is_ones_own: bool = False
    info: ModelInfo = ModelInfo('')

    @property
    def is_served(self) -> bool:
        """Whether a server answers, and it is neither the offline nor a recorded model.

        Each whole message of a server has its finish reason: a stream without one broke off.
        """
        return self.name in CATALOGUE

    @cached_property
    def model(self) -> BaseChatModel:
        """The langchain chat model; its requests, if any, go by `transport.DispatchTransport`."""
        return self.make()

    def hide(self, sentence: str) -> str:
        """The sentence without the key."""
        return without_key(self.secret, sentence)


def without_key(secret: str, sentence: str) -> str:
    """Return a sentence without a key: some servers repeat it.

    A client library may have put its quotes and backslashes into the form of JSON or Python.
    """
    if len(secret) < SHORTEST_SECRET:
        return sentence
    written = {secret, json.dumps(secret)[1:-1], repr(secret)[1:-1]}
    written.add(secret.replace('\\', '\\\\').replace("'", "\\'"))
    for each in sorted(written, key=len, reverse=True):
        sentence = sentence.replace(each, '(key)')
    return sentence


def make_chat(
    settings: ModelSettings, environment: Mapping[str, str], budget_tokens: int
) -> HostedChat:
    """Return the chat model that the configuration names, without a request.

    `environment`: where keys come from. `budget_tokens`: what all answers together may cost.

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

    `budget_tokens`: what all texts together may have, by estimate: few servers count them.

    Raises:
        ConfigError: Package, model, key or address is missing, the provider has none, or its
            client cannot be made; the text has the remedy.
    """
    where = access(settings, environment, embeds=True)
    from rover_common.llm.hosted_models import (
        HostedEmbedder,  # seconds
        Wire,
    )

    wire = Wire(settings, partial(without_key, where.secret))
    try:
        model = make_embeddings(settings, where)
    except ModelError as fault:
        raise ConfigError(fault.sentence) from None
    return HostedEmbedder(model, settings, wire, budget_tokens)
