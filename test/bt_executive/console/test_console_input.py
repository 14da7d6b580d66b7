"""What reaches the console's loop: events in order, lines, signals, also while it cannot write."""

from __future__ import annotations

from collections.abc import Iterator
import fcntl
import os
from queue import SimpleQueue
import signal
import subprocess
import sys
import termios
import threading
from typing import IO

import pytest
from waiting import wait_until
from warm import WarmPopen

from bt_executive.client.front_end_events import (
    ClientEvent,
    EndOfInput,
    ExecutiveReady,
    InputLine,
    Interrupt,
)
from bt_executive.console.console_event_loop_and_queue import ConsoleInbox
from bt_executive.console.console_input import Interrupts, read_lines
from rover_common.process.process_end import ENDING_SIGNALS


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


# An attached console that is told of more than a pipe holds; its client notes what it is asked.
CONSOLE = """
import sys
from bt_executive import cli
from bt_executive.commands import console_web_foxglove_and_mcp_commands as commands
from bt_executive.client.front_end_events import ExecutiveReady
from bt_executive.console import console_input
from fakes.console import FakeConsolePort
from rover_common.trace_event import TraceEvent

class Client(FakeConsolePort):
    def __init__(self, config, put, arguments):
        super().__init__()
        put(ExecutiveReady())
        put(TraceEvent('1', 0.0, 'OBSERVE', 'words ' * 100_000))
    def cancel(self):
        print('cancelled', file=sys.stderr)
    def close(self):
        print('closed', file=sys.stderr, flush=True)

console_input.STUCK_S = float(sys.argv[1])
console_input.AGAIN_S = 0.0
commands.client_factory = lambda: Client
cli.main(['console', '--plain'])
"""


@pytest.fixture
def consoles() -> Iterator[list[subprocess.Popen[str]]]:
    started: list[subprocess.Popen[str]] = []
    yield started
    for each in started:
        each.kill()
        each.communicate()


def unread(pipe: IO[str]) -> int:
    """Bytes that wait in it."""
    return int.from_bytes(fcntl.ioctl(pipe, termios.FIONREAD, b'\0' * 4), sys.byteorder)


@pytest.mark.process
@pytest.mark.parametrize(
    ('stuck_s', 'numbers'),
    [('600', [signal.SIGTERM, signal.SIGINT]), ('0.1', [signal.SIGTERM])],
    ids=['by the next signal', 'by the alarm'],
)
def test_a_console_that_cannot_write_cancels_its_goals_and_ends(
    consoles: list[subprocess.Popen[str]], stuck_s: str, numbers: list[signal.Signals]
) -> None:
    console = WarmPopen(
        [sys.executable, '-c', CONSOLE, stuck_s],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    consoles.append(console)
    output, notes = console.stdout, console.stderr
    assert output is not None
    assert notes is not None
    nearly_full = fcntl.fcntl(output, fcntl.F_GETPIPE_SZ) // 2
    seen = [0]

    def is_stuck() -> bool:
        seen.append(unread(output))
        return seen[-1] == seen[-2] > nearly_full

    # Python looks at its signals when a write that waits is interrupted, not just before one.
    wait_until(is_stuck, 'the console writes more than fits', look_s=0.1)
    for number in numbers:
        os.kill(console.pid, number)
    assert console.wait(timeout=60) == 130
    assert notes.read().splitlines() == ['cancelled', 'closed']


def test_two_signals_at_once_abort_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(signal, 'setitimer', lambda *_: None)
    inbox = ConsoleInbox()
    interrupts = Interrupts(inbox)
    with interrupts.guard():
        interrupts._interrupt()
        interrupts._interrupt()
    assert isinstance(inbox.get(0.0), Interrupt)


@pytest.mark.process
def test_the_end_of_a_process_wakes_the_loop() -> None:
    inbox = ConsoleInbox()
    before = {
        each: signal.getsignal(each) for each in (*ENDING_SIGNALS, signal.SIGCHLD, signal.SIGALRM)
    }
    try:
        Interrupts(inbox).listen()
        child = subprocess.Popen([sys.executable, '-c', ''])
        assert inbox.get(600.0) is None
        assert child.wait() == 0
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
