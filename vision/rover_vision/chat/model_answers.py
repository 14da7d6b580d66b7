"""Asks a model that blocks in a worker thread, one question at a time; the loop goes on."""

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
    """The model gave no answer, or only a part of one; the text says why."""


class Model(Protocol):
    """What is used of `rover_common.llm.model_ports.ChatModel`."""

    def stream(
        self, messages: Sequence[Message], pictures: Sequence[ModelPicture] = ()
    ) -> Iterator[str]:
        """The answer, piece by piece."""

    def cut(self) -> None:
        """Ends what is asked at the moment."""


class Answers:
    """The answers of a model. Once it has said that it takes no pictures, it is given none.

    Args:
        model: Is asked by one at a time.
        workers: Threads for what blocks.
        max_edge: Pixels; larger pictures are made smaller.
    """

    def __init__(self, model: Model, workers: Executor, max_edge: int) -> None:
        self._model = model
        self._workers = workers
        self._max_edge = max_edge
        self._asking = asyncio.Lock()
        self.sees = True  # as far as is known

    async def stream(
        self, messages: Sequence[Message], pictures: Sequence[Picture] = ()
    ) -> AsyncGenerator[str, None]:
        """An answer piece by piece. Closing this iterator gives it up.

        Raises:
            NoAnswerError: There is no (whole) answer.
        """
        if pictures and not self.sees:
            raise NoAnswerError(READS_TEXT_ONLY)
        loop = asyncio.get_running_loop()
        try:
            given = [
                await loop.run_in_executor(self._workers, self._for_model, each)
                for each in pictures
            ]
        except (OSError, SyntaxError, ValueError) as error:  # as Pillow raises them
            raise NoAnswerError(f'The picture cannot be decoded: {error}') from None
        async with self._asking:
            pieces = self._model.stream(messages, given)
            coming: asyncio.Future[str | None] | None = None
            try:
                while True:
                    coming = loop.run_in_executor(self._workers, next, pieces, _END)
                    piece = await asyncio.shield(coming)
                    if piece is _END:
                        return
                    yield piece
            except (GeneratorExit, asyncio.CancelledError):
                self._model.cut()
                if coming is not None:
                    await asyncio.wait([coming])
                raise
            except ModelError as error:
                if error.text_only:
                    self.sees = False
                    raise NoAnswerError(READS_TEXT_ONLY) from error
                raise NoAnswerError(error.sentence) from error

    async def ask(self, messages: Sequence[Message], pictures: Sequence[Picture] = ()) -> str:
        """The whole answer.

        Raises:
            NoAnswerError: There is none.
        """
        return ''.join([piece async for piece in self.stream(messages, pictures)]).strip()

    def _for_model(self, picture: Picture) -> ModelPicture:
        small = scaled(picture, self._max_edge)
        return ModelPicture(small.data, small.media_type)
