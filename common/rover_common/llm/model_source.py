"""Where a planner's messages come from: a chat model and what must be known of its provider."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel

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
        reports_ending: Whether every whole message has its finish reason, so that a broken-off
            stream is recognized by its absence.
        calls_tools: Whether the model can call tools; None: its server does not say.
        takes_bounds: Whether a schema for its answer may have limits of numbers, texts and lists.
        is_ones_own: Whether it is a server of one's own, which may have a model of any kind.
        window: Tokens that its model can read and write; None: not known.
    """

    name: str
    make: Callable[[], BaseChatModel]
    secret: str = field(default='', repr=False)
    reports_ending: bool = False
    calls_tools: bool | None = None
    takes_bounds: bool = False
    is_ones_own: bool = False
    window: int | None = None

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
