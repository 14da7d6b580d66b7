"""What memory and vision ask of models.

A chat model and an embedder are blocking and used in a worker thread, never in the tick. Each
raises `rover_common.llm.model_errors.ModelError` with a sentence for people.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Protocol

from rover_common.llm.model_usage import ModelUse

if TYPE_CHECKING:  # the command line names these, and starts without numpy
    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True)
class Message:
    """One message of a conversation. Text from outside is quoted in it, as data."""

    role: Literal['system', 'user', 'assistant']
    text: str


@dataclass(frozen=True)
class Picture:
    """A picture as it is sent to a model: encoded bytes and their type, such as image/jpeg."""

    data: bytes
    media_type: str = 'image/jpeg'


class ChatModel(Protocol):
    """A model that answers with text."""

    @property
    def name(self) -> str:
        """Provider and model, for sentences and traces; never the key."""

    def stream(
        self, messages: Sequence[Message], pictures: Sequence[Picture] = ()
    ) -> Iterator[str]:
        """The answer, piece by piece as it is written. Pictures belong to the last message.

        Closing the iterator (`close()`) gives the answer up; `cut` does so from another thread.

        Raises:
            ModelError: There is no (whole) answer. What was yielded before is only a part.
        """

    def ask(self, messages: Sequence[Message], pictures: Sequence[Picture] = ()) -> str:
        """The whole answer, with as many retries as the settings allow.

        Raises:
            ModelError: There is none.
        """

    def cut(self) -> None:
        """End the current request, from any thread; does not wait."""

    def use(self) -> ModelUse:
        """What it has cost so far."""


class Embedder(Protocol):
    """A model that turns texts into vectors of unit length."""

    @property
    def model(self) -> str:
        """Provider and model: vectors of different models do not compare."""

    @property
    def is_local(self) -> bool:
        """Whether it is quick and always answers, so that a change may wait for it."""

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """One row of unit length per text, in their order; zeros for a text without words.

        Raises:
            ModelError: There is none.
        """
