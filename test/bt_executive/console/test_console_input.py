"""What reaches the console's loop: events in order, and lines of standard input."""

from __future__ import annotations

import os
from queue import SimpleQueue
import threading

import pytest
from waiting import wait_until

from bt_executive.client.front_end_events import (
    ClientEvent,
    EndOfInput,
    ExecutiveReady,
    InputLine,
    Interrupt,
)
from bt_executive.console.console_event_loop_and_queue import ConsoleInbox
from bt_executive.console.console_input import read_lines


def test_an_interrupt_comes_before_all_that_waits_and_once() -> None:
    inbox = ConsoleInbox()
    for event in (InputLine('go'), EndOfInput(), Interrupt()):
        inbox.put(event)
    taken = [inbox.get(0.001) for _ in range(4)]
    assert taken == [Interrupt(), InputLine('go'), EndOfInput(), None]
    assert inbox.turns == 4


def test_a_wake_up_lets_the_loop_come_round_and_hides_nothing() -> None:
    inbox = ConsoleInbox()
    inbox.wake()
    inbox.put(InputLine('go'))
    assert [inbox.get(600.0), inbox.get(600.0)] == [None, InputLine('go')]


def test_each_interrupt_counts() -> None:
    inbox = ConsoleInbox()
    inbox.put(Interrupt())
    inbox.put(Interrupt())
    assert [inbox.get(0.001) for _ in range(4)] == [Interrupt(), Interrupt(), None, None]


def test_whoever_reads_lines_waits_while_too_many_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr('bt_executive.console.console_event_loop_and_queue.MOST_WAITING', 3)
    inbox = ConsoleInbox()
    received: list[int] = []

    def read() -> None:
        for number in range(9):
            inbox.put_line(InputLine(str(number)))
            received.append(number)

    reader = threading.Thread(target=read, daemon=True)
    reader.start()
    taken: list[ClientEvent | None] = []
    while len(taken) < 9:
        wait_until(lambda: len(received) > len(taken), 'the next line')
        assert len(received) <= len(taken) + 3
        taken.append(inbox.get(60.0))
        inbox.set_waiting_lines(0)
    assert taken == [InputLine(str(number)) for number in range(9)]
    reader.join()


def test_other_events_take_no_room_from_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr('bt_executive.console.console_event_loop_and_queue.MOST_WAITING', 1)
    inbox = ConsoleInbox()
    for _ in range(3):
        inbox.put(ExecutiveReady())
    inbox.put_line(InputLine(':stop'))
    assert [inbox.get(0.001) for _ in range(4)] == [ExecutiveReady()] * 3 + [InputLine(':stop')]


def test_lines_that_the_conversation_keeps_count_as_well(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr('bt_executive.console.console_event_loop_and_queue.MOST_WAITING', 3)
    inbox = ConsoleInbox()
    inbox.set_waiting_lines(3)
    reader = threading.Thread(target=inbox.put_line, args=(InputLine('go'),))
    reader.start()
    inbox.put(Interrupt())
    assert [inbox.get(0.001), inbox.get(0.001)] == [Interrupt(), None], 'it does not wait'
    inbox.set_waiting_lines(2)
    assert inbox.get(60.0) == InputLine('go')
    reader.join()


def read(content: bytes) -> list[ClientEvent]:
    source, sink = os.pipe()
    os.write(sink, content)
    os.close(sink)
    inbox: SimpleQueue[ClientEvent] = SimpleQueue()
    read_lines(source, inbox.put)
    events: list[ClientEvent] = []
    while not events or events[-1] != EndOfInput():
        events.append(inbox.get(timeout=60))
    os.close(source)
    return events[:-1]


def test_lines_and_a_last_one_without_its_end() -> None:
    assert read(b'one\n:two\n\nthree') == [
        InputLine('one'),
        InputLine(':two'),
        InputLine(''),
        InputLine('three'),
    ]


def test_wide_characters_and_broken_bytes() -> None:
    assert read('地面\n'.encode() + b'\xff\n') == [InputLine('地面'), InputLine('\ufffd')]


def test_of_an_endless_line_only_so_much_is_kept_that_it_can_be_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr('bt_executive.console.console_input.LONGEST', 10)
    (line, after) = read(b'x' * 20_000 + b'\nstop\n')
    assert isinstance(line, InputLine)
    assert 10 < len(line.text) < 5000
    assert after == InputLine('stop')


def test_a_closed_descriptor_is_the_end_of_input() -> None:
    source, sink = os.pipe()
    os.close(source)
    os.close(sink)
    inbox: SimpleQueue[ClientEvent] = SimpleQueue()
    read_lines(source, inbox.put)
    assert inbox.get(timeout=60) == EndOfInput()
