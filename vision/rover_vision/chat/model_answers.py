"""Requests answers of a blocking model in a worker thread, one at a time."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Iterator, Sequence
from concurrent.futures import Executor
from typing import Final, Protocol

from rover_common.errors import BtExecutiveError
from rover_common.llm.model_errors import ModelError
from rover_common.llm.model_ports import Message
from rover_common.llm.model_ports import Picture as ModelPicture
from rover_vision.capture.captured_picture import Picture
from rover_vision.seeing.picture_scaling import scaled

_END: Final = None
READS_TEXT_ONLY = (
    'The model reads text only, and is given no picture: set vision.model to one that sees '
    '(docs/vision.md).'
)


class NoAnswerError(BtExecutiveError):
    """The model gave no answer, or only part of one; the text says why."""


class Model(Protocol):
    """The used part of `rover_common.llm.model_ports.ChatModel`."""

    def stream(
        self, messages: Sequence[Message], pictures: Sequence[ModelPicture] = ()
    ) -> Iterator[str]:
        """Yield the chunks of the answer."""

    def cut(self) -> None:
        """Cancel the current request."""


class Answers:
    """Answers of a model. After it has refused a picture, it gets none.

    Args:
        model: Gets one request at a time.
        workers: Threads for blocking calls.
        max_edge: Pixels; larger pictures are scaled down.
    """

    def __init__(self, model: Model, workers: Executor, max_edge: int) -> None:
        self._model = model
        self._workers = workers
        self._max_edge = max_edge
        self._lock = asyncio.Lock()
        self.sees = True  # until it refuses a picture

    async def stream(
        self, messages: Sequence[Message], pictures: Sequence[Picture] = ()
    ) -> AsyncGenerator[str, None]:
        """Yield the chunks of an answer. Closing this iterator cancels it.

        Raises:
            NoAnswerError: There is no (whole) answer.
        """
        if pictures and not self.sees:
            raise NoAnswerError(READS_TEXT_ONLY)
        loop = asyncio.get_running_loop()
        try:
            scaled_pictures = [
                await loop.run_in_executor(self._workers, self._for_model, each)
                for each in pictures
            ]
        except (OSError, SyntaxError, ValueError) as error:  # as Pillow raises them
            raise NoAnswerError(f'The picture cannot be decoded: {error}') from None
        async with self._lock:
            chunks = self._model.stream(messages, scaled_pictures)
            pending: asyncio.Future[str | None] | None = None
            try:
                while True:
                    pending = loop.run_in_executor(self._workers, next, chunks, _END)
                    chunk = await asyncio.shield(pending)
                    if chunk is _END:
                        return
                    yield chunk
            except (GeneratorExit, asyncio.CancelledError):
                self._model.cut()
                if pending is not None:
                    await asyncio.wait([pending])
                raise
            except ModelError as error:
                if error.text_only:
                    self.sees = False
                    raise NoAnswerError(READS_TEXT_ONLY) from error
                raise NoAnswerError(error.sentence) from error

    async def ask(self, messages: Sequence[Message], pictures: Sequence[Picture] = ()) -> str:
        """Return the whole answer.

        Raises:
            NoAnswerError: There is none.
        """
        return ''.join([chunk async for chunk in self.stream(messages, pictures)]).strip()

    def _for_model(self, picture: Picture) -> ModelPicture:
        small = scaled(picture, self._max_edge)
        return ModelPicture(small.data, small.media_type)
