"""Replies of the tick thread to service requests: a service puts an input and awaits its reply.

A positive reply is sent once the records of its tick are on disk: an executive that is killed
right after it has not forgotten what it accepted.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
import time

from rclpy.node import Node
from rclpy.task import Future

from bt_executive.core.inbox import Inbox
from bt_executive.core.inputs import Input, Reply
from bt_executive.core.store_port import Durability, Store


@dataclass
class _Acceptance:
    """A positive reply that is not sent yet.

    `ticket`: of the latest record of its tick; None: that tick is not over. `deadline`: steady s.
    """

    send: Callable[[bool, str], None]
    sentence: str
    deadline: float
    ticket: int | None = None


class Replies:
    """Passes inputs to the tick, and its replies back to the services that await them.

    Args:
        node: The executive's.
        inbox: Receives the inputs.
        store: Reports what is on disk.
        patience_s: How long the disk is waited for; then the reply says that it is late.
        clock: Steady time in s.
    """

    def __init__(
        self,
        node: Node,
        inbox: Inbox,
        store: Store,
        patience_s: float,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._node, self._inbox, self._store = node, inbox, store
        self._patience_s, self._clock = patience_s, clock
        self._pending: list[_Acceptance] = []  # belongs to the tick thread
        self.waiting = 0  # requests without an answer; belongs to the executor's thread

    async def ask(self, make_input: Callable[[Reply], Input]) -> tuple[bool, str]:
        """Returns the reply of the tick to the input that `make_input` makes.

        Must be awaited in a callback of the node's executor, in a reentrant callback group, so
        that other callbacks go on meanwhile.
        """
        answered: Future = Future()

        def send(accepted: bool, sentence: str) -> None:
            if answered.done():
                return
            answered.set_result((accepted, sentence))
            if self._node.executor is not None:
                self._node.executor.wake()

        def reply(accepted: bool, sentence: str) -> None:
            if accepted:
                self._pending.append(_Acceptance(send, sentence, self._clock() + self._patience_s))
            else:
                send(False, sentence)

        refused = self._inbox.put(make_input(reply))
        if refused:
            return False, refused
        self.waiting += 1
        try:
            result: tuple[bool, str] = await answered
        finally:
            self.waiting -= 1
        return result

    def answer_due(self) -> None:
        """Sends the replies that are due; to be called after every tick, in its thread."""
        self._pending = [each for each in self._pending if not self._send_if_durable(each)]

    def _send_if_durable(self, acceptance: _Acceptance) -> bool:
        if acceptance.ticket is None:
            acceptance.ticket = self._store.latest
        durability = self._store.durable(acceptance.ticket)
        late = self._clock() >= acceptance.deadline
        if durability is Durability.WAITING and not late:
            return False
        fault = self._store.fault()
        if durability is Durability.ON_DISK or (durability is Durability.NOT_KEPT and not fault):
            acceptance.send(True, acceptance.sentence)
            return True
        why = fault.sentence if fault else f'the disk has not answered for {self._patience_s:g} s'
        kept = f'{durability.value}, so a restart would not know of it: {why}'
        acceptance.send(
            durability is Durability.NOT_KEPT,
            f'{acceptance.sentence.rstrip(".")}; but this {kept}',
        )
        return True
