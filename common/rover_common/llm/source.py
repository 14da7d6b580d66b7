"""Where a planner's messages come from: a chat model and what must be known of its provider."""

from __future__ import annotations

from dataclasses import dataclass, field

from langchain_core.language_models import BaseChatModel


@dataclass(frozen=True)
class ModelSource:
    """A chat model that can be asked by several threads.

    Attributes:
        name: The provider's name, for sentences.
        model: The langchain chat model; its requests, if it makes any, go by
            `transport.DispatchTransport`.
        secret: The key; `hide` keeps it out of every sentence.
        tells_end: Whether a whole message always says why it ended, so that half a stream shows.
    """

    name: str
    model: BaseChatModel
    secret: str = field(default='', repr=False)
    tells_end: bool = False

    def hide(self, sentence: str) -> str:
        """The sentence without the key: some servers repeat it."""
        return sentence.replace(self.secret, '(key)') if self.secret else sentence
