from __future__ import annotations

from bt_executive.client.events import EndOfInput, InputLine, Interrupt
from bt_executive.console.inbox import ConsoleInbox


def test_an_interrupt_comes_before_all_that_waits_and_once() -> None:
    inbox = ConsoleInbox()
    for event in (InputLine('go'), EndOfInput(), Interrupt()):
        inbox.put(event)
    taken = [inbox.get(0.001) for _ in range(4)]
    assert taken == [Interrupt(), InputLine('go'), EndOfInput(), None]
    assert inbox.turns == 4


def test_each_interrupt_counts() -> None:
    inbox = ConsoleInbox()
    inbox.put(Interrupt())
    inbox.put(Interrupt())
    assert [inbox.get(0.001) for _ in range(4)] == [Interrupt(), Interrupt(), None, None]
