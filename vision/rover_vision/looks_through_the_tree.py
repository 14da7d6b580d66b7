"""Looks of chat and watch: as goals of the executive, whose tree then calls this process."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, TypeAlias

from rover_vision.capture.captured_picture import PictureSet
from rover_vision.capture.look_fault import LookCode, LookFault
from rover_vision.chat.look_port import LookRequest
from rover_vision.look_service import LookService
from rover_vision.watch.watch_loop import EVENT

TREE_S = {'chat': 60.0, EVENT: 20.0}  # timeout of a look, by purpose
Cancel: TypeAlias = Callable[[], None]


class TreeLooks:
    """Implements `rover_vision.chat.look_port.Looks`: a look is a goal of the executive.

    Args:
        service: Executes the tree's call.
        send: Sends the goal; calls its second argument from any thread with the sentence of the
            goal's end. Returns a function that cancels the goal.
    """

    def __init__(
        self,
        service: LookService,
        send: Callable[[LookRequest, Callable[[str], None]], Cancel],
    ) -> None:
        self._service = service
        self._send = send

    async def look(self, request: LookRequest) -> PictureSet | LookFault:
        """Return the pictures, or why there are none: if the tree refused, its sentence."""
        loop = asyncio.get_running_loop()
        pending = self._service.register(request)
        ended: asyncio.Future[str] = loop.create_future()

        def settle(sentence: str) -> None:
            if not ended.done():
                ended.set_result(sentence)

        cancel = self._send(request, lambda sentence: _call(loop, lambda: settle(sentence)))
        limit_s = TREE_S.get(request.purpose, TREE_S['chat'])
        try:
            either: list[asyncio.Future[Any]] = [pending.found, ended]
            await asyncio.wait(either, timeout=limit_s, return_when=asyncio.FIRST_COMPLETED)
            if pending.found.done():
                return pending.found.result()
            if ended.done():
                return LookFault(LookCode.REFUSED, f'{ended.result().rstrip(".")}.')
            reason = (
                f'The tree has not come to it within {limit_s:g} s: something else is under way.'
            )
            return LookFault(LookCode.TIMED_OUT, reason)
        finally:
            self._service.withdraw(pending)
            if not ended.done() and not pending.found.done():
                cancel()


def _call(loop: asyncio.AbstractEventLoop, function: Callable[[], None]) -> None:
    if not loop.is_closed():
        loop.call_soon_threadsafe(function)
