"""Answers that come from the tick thread: a service puts an event with a reply and awaits it.

A yes is said when what the tick has entered by it is on disk: an executive that is killed right
after the answer has not forgotten what it said yes to.
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
class _Yes:
    """A yes of the tick that is not said yet.

    `ticket`: of the latest record of its tick; None: that tick is not over. `by`: steady s.
    """

    say: Callable[[bool, str], None]
    sentence: str
    by: float
    ticket: int | None = None


class Replies:
    """Brings events to the tick, and its answers back to those who wait for them.

    Args:
        node: The executive's.
        inbox: Where events go.
        store: Says what is on disk.
        patience_s: How long a disk is waited for; then the answer says that it is not there yet.
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
        self._unsaid: list[_Yes] = []  # belongs to the tick thread
        self.waiting = 0  # requests without an answer; belongs to the executor's thread

    async def ask(self, make_event: Callable[[Reply], Input]) -> tuple[bool, str]:
        """Returns what the tick answers to the event that `make_event` makes for a reply.

        Must be awaited in a callback of the node's executor, in a reentrant callback group, so
        that other callbacks go on meanwhile.
        """
        answered: Future = Future()

        def say(accepted: bool, sentence: str) -> None:
            if answered.done():
                return
            answered.set_result((accepted, sentence))
            if self._node.executor is not None:
                self._node.executor.wake()

        def reply(accepted: bool, sentence: str) -> None:
            if accepted:
                self._unsaid.append(_Yes(say, sentence, self._clock() + self._patience_s))
            else:
                say(False, sentence)

        refused = self._inbox.put(make_event(reply))
        if refused:
            return False, refused
        self.waiting += 1
        try:
            result: tuple[bool, str] = await answered
        finally:
            self.waiting -= 1
        return result

    def answer_due(self) -> None:
        """Says what can be said by now; to be called behind every tick, in its thread."""
        self._unsaid = [yes for yes in self._unsaid if not self._said(yes)]

    def _said(self, yes: _Yes) -> bool:
        if yes.ticket is None:
            yes.ticket = self._store.latest
        durability = self._store.durable(yes.ticket)
        late = self._clock() >= yes.by
        if durability is Durability.WAITING and not late:
            return False
        fault = self._store.fault()
        if durability is Durability.ON_DISK or (durability is Durability.NOT_KEPT and not fault):
            yes.say(True, yes.sentence)
            return True
        why = fault.sentence if fault else f'the disk has not answered for {self._patience_s:g} s'
        kept = f'{durability.value}, so a restart would not know of it: {why}'
        yes.say(durability is Durability.NOT_KEPT, f'{yes.sentence.rstrip(".")}; but this {kept}')
        return True
