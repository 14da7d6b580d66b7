"""Reads a model that blocks, in a worker thread, without holding up the loop."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from concurrent.futures import Executor
from typing import Final

from rover_common.llm.port import ChatModel, Message, Picture

_END: Final = None


async def stream(
    model: ChatModel, messages: Sequence[Message], pictures: Sequence[Picture], workers: Executor
) -> AsyncIterator[str]:
    """The pieces of an answer. Closing this iterator gives the answer up.

    Raises:
        Exception: What the model raises.
    """
    loop = asyncio.get_running_loop()
    pieces = model.stream(messages, pictures)
    ended = False
    try:
        while (piece := await loop.run_in_executor(workers, next, pieces, _END)) is not _END:
            yield piece
        ended = True
    finally:
        if not ended:
            model.cut()
