"""The queue of inputs to be written: bounded, with a mark where inputs are left out.

Inputs are left out before they fill the memory, the disk or the file, or delay an act. A replay
ends at the first mark, because it cannot repeat the decisions after it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from bt_executive.core.store_port import InputLine
from bt_executive.store.store_rows import WRITE_ERRORS, Row, Stamp, count_inputs, input_row
from bt_executive.store.tick_recorder import RecordKind
from rover_common.clocks import Now

MEGABYTE = 1_000_000
ROW_BYTES = 80  # of a row, without its value
LEFT_OUT = 'parts of it are left out, and a replay ends there.'
TOO_SLOW = f'The disk is too slow for the recording: {LEFT_OUT}'
NO_ROOM = f'The disk has no room for the recording: {LEFT_OUT}'
FULL = (
    'The recorded inputs of this run have reached {:g} MB and end; a replay ends there. Raise '
    'journal.max_inputs_mb to keep more.'
)


def ignore(_sentence: str) -> None:
    """Ignores a report."""


class TickInputs(NamedTuple):
    """The inputs of one tick. `system_s`: time of day in s."""

    system_s: float
    lines: Sequence[InputLine]


class InputQueue:
    """The queue of one run. All methods but `rows` are called with the store's lock held.

    Args:
        max_mb: Maximum size of the inputs of this run, in megabytes.
        capacity: Maximum number of waiting inputs.
        report: Called with a sentence when inputs are left out, once for each reason.
    """

    def __init__(self, max_mb: float, capacity: int, report: Callable[[str], None]) -> None:
        self._max_mb, self._capacity, self._report = max_mb, capacity, report
        self._waiting: list[TickInputs] = []
        self._count = 0  # of waiting inputs
        self._left_out = 0  # since the latest waiting one
        self._reported: set[str] = set()
        self._bytes, self._ended = 0, False

    def __bool__(self) -> bool:
        """Return whether inputs wait."""
        return bool(self._waiting)

    def put(self, lines: Sequence[InputLine], system_s: float) -> None:
        """Queues the inputs of a tick, or leaves all of them out."""
        if self._ended:
            return
        if self._count + len(lines) > self._capacity:
            self._left_out += len(lines)
            self._report_once(TOO_SLOW)
            return
        if self._left_out:
            lines = (_gap(lines[0].now, self._left_out), *lines)
            self._left_out = 0
        self._waiting.append(TickInputs(system_s, lines))
        self._count += len(lines)

    def pop_all(self) -> list[TickInputs]:
        """Removes and returns the waiting inputs."""
        ticks, self._waiting, self._count = self._waiting, [], 0
        return ticks

    def mark_gap(self, ticks: Sequence[TickInputs]) -> None:
        """Puts a mark in place of removed inputs that could not be written."""
        lines = [line for tick in ticks for line in tick.lines]
        if lines:
            gap = TickInputs(ticks[0].system_s, (_gap(lines[0].now, sum(map(_size, lines))),))
            self._waiting.insert(0, gap)
            self._count += 1
            self._report_once(NO_ROOM)

    def rows(self, ticks: Sequence[TickInputs], stamp: Callable[[Now, float], Stamp]) -> list[Row]:
        """Returns the rows of removed inputs; `stamp` makes each row's. In the writer's thread."""
        rows: list[Row] = []
        for tick in ticks:
            if self._ended:
                break
            try:
                tick_rows = [
                    input_row(stamp(line.now, tick.system_s), line) for line in tick.lines
                ]
            except WRITE_ERRORS as error:
                self._report_once(f'A part of the recording cannot be written down: {error}.')
                tick_rows = [self._gap_row(tick, stamp)]
            self._bytes += sum(len(values[-2]) + ROW_BYTES for _, values in tick_rows)
            if self._bytes > self._max_mb * MEGABYTE:
                self._ended = True
                tick_rows = [self._gap_row(tick, stamp)]
                self._report_once(FULL.format(self._max_mb))
            rows += tick_rows
        return [*rows, count_inputs(rows[-1], self._bytes)] if rows else []

    def _gap_row(self, tick: TickInputs, stamp: Callable[[Now, float], Stamp]) -> Row:
        now = tick.lines[0].now
        return input_row(stamp(now, tick.system_s), _gap(now, sum(map(_size, tick.lines))))

    def _report_once(self, sentence: str) -> None:
        if sentence not in self._reported:
            self._reported.add(sentence)
            self._report(sentence)


def _gap(now: Now, count: int) -> InputLine:
    return InputLine(now, RecordKind.GAP.value, {'count': count})


def _size(line: InputLine) -> int:
    return int(line.value['count']) if line.event == RecordKind.GAP.value else 1
