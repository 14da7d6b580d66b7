from __future__ import annotations

import os
from queue import SimpleQueue

import pytest

from bt_executive.client.front_end_events import ClientEvent, EndOfInput, InputLine
from bt_executive.console.stdin_lines import read_lines


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
    monkeypatch.setattr('bt_executive.console.stdin_lines.LONGEST', 10)
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
