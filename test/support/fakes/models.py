"""Models for tests: they say what they were given, and pass the ports' contract suites."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
import threading

import numpy as np
from numpy.typing import NDArray

from rover_common.llm.model_errors import GivenUpError, ModelError
from rover_common.llm.model_ports import Message, Picture
from rover_common.llm.model_usage import ModelUse

Mind = Callable[[Sequence[Message], Sequence[Picture]], str]


class FakeChat:
    """Implements `ChatModel`. `mind` makes the answer; a `ModelError` that it raises is passed on.

    Attributes:
        asked: The messages of every question.
    """

    name = 'fake'

    def __init__(self, mind: Mind) -> None:
        self._mind = mind
        self._cut = threading.Event()
        self._use = ModelUse()
        self.asked: list[tuple[Message, ...]] = []

    def stream(
        self, messages: Sequence[Message], pictures: Sequence[Picture] = ()
    ) -> Iterator[str]:
        """See `ChatModel.stream`: one word after the other."""
        self._cut.clear()
        self.asked.append(tuple(messages))
        self._use += ModelUse(calls=1)
        answer = self._mind(messages, pictures)
        if not answer.strip():
            raise ModelError('fake answered without a word.')
        for number, word in enumerate(answer.split(' ')):
            if self._cut.is_set():
                raise GivenUpError
            yield f' {word}' if number else word

    def ask(self, messages: Sequence[Message], pictures: Sequence[Picture] = ()) -> str:
        """See `ChatModel.ask`."""
        return ''.join(self.stream(messages, pictures))

    def cut(self) -> None:
        """See `ChatModel.cut`."""
        self._cut.set()

    def use(self) -> ModelUse:
        """See `ChatModel.use`."""
        return self._use


class FakeEmbedder:
    """Implements `Embedder`: the known words of a text, one dimension each."""

    def __init__(
        self, words: Sequence[str], model: str = 'fake-embedder', is_local: bool = True
    ) -> None:
        self._words, self.model, self.is_local = list(words), model, is_local

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """See `Embedder.embed`."""
        rows = np.array(
            [[float(word in text.lower()) for word in self._words] for text in texts], np.float32
        ).reshape(len(texts), len(self._words))
        lengths = np.linalg.norm(rows, axis=1, keepdims=True)
        return (rows / np.where(lengths > 0.0, lengths, 1.0)).astype(np.float32)
