"""How chat and watch look: by asking the executive, whose tree then calls this process."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, TypeAlias

from rover_vision.capture.captured_picture import Seen
from rover_vision.capture.look_fault import LookCode, LookFault
from rover_vision.chat.look_port import LookOrder
from rover_vision.look_service import LookService
from rover_vision.watch.watch_loop import EVENT

TREE_S = {'chat': 60.0, EVENT: 20.0}  # so long a look waits for the tree, by its purpose
Cancel: TypeAlias = Callable[[], None]


class TreeLooks:
    """Implements `rover_vision.chat.look_port.Looks`: a look is a goal of the executive.

    Args:
        service: What the tree's call leads to.
        send: Sends the goal; its second argument is called with the sentence of the goal's end,
            from any thread. Returns what cancels the goal.
    """

    def __init__(
        self,
        service: LookService,
        send: Callable[[LookOrder, Callable[[str], None]], Cancel],
    ) -> None:
        self._service = service
        self._send = send

    async def look(self, order: LookOrder) -> Seen | LookFault:
        """What was seen, or why nothing was: in the words of the tree, if it was the tree."""
        loop = asyncio.get_running_loop()
        ordered = self._service.order(order)
        ended: asyncio.Future[str] = loop.create_future()

        def settle(sentence: str) -> None:
            if not ended.done():
                ended.set_result(sentence)

        cancel = self._send(order, lambda told: _call(loop, lambda: settle(told)))
        limit_s = TREE_S.get(order.purpose, TREE_S['chat'])
        try:
            either: list[asyncio.Future[Any]] = [ordered.found, ended]
            await asyncio.wait(either, timeout=limit_s, return_when=asyncio.FIRST_COMPLETED)
            if ordered.found.done():
                return ordered.found.result()
            if ended.done():
                return LookFault(LookCode.REFUSED, f'{ended.result().rstrip(".")}.')
            why = f'The tree has not come to it within {limit_s:g} s: something else is under way.'
            return LookFault(LookCode.TIMED_OUT, why)
        finally:
            self._service.withdraw(ordered)
            if not ended.done() and not ordered.found.done():
                cancel()


def _call(loop: asyncio.AbstractEventLoop, work: Callable[[], None]) -> None:
    if not loop.is_closed():
        loop.call_soon_threadsafe(work)
