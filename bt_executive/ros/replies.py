"""Answers that come from the tick thread: a service puts an event with a reply and awaits it."""

from __future__ import annotations

from collections.abc import Callable

from rclpy.node import Node
from rclpy.task import Future

from bt_executive.core.inbox import Event, Inbox, Reply


async def put_and_await(
    node: Node, inbox: Inbox, make_event: Callable[[Reply], Event]
) -> tuple[bool, str]:
    """What the tick answered to the event that `make_event` makes for a reply.

    Must be awaited in a callback of `node`'s executor, in a reentrant callback group, so that
    other callbacks go on meanwhile.
    """
    answered: Future = Future()

    def reply(accepted: bool, sentence: str) -> None:
        answered.set_result((accepted, sentence))
        if node.executor is not None:
            node.executor.wake()

    inbox.put(make_event(reply))
    result: tuple[bool, str] = await answered
    return result
