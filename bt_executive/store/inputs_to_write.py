"""The inputs of ticks that wait to be written: bounded, and marked where some are left out.

They are left out rather than to fill the memory, the disk or the file, or to hold an act up. A
replay ends at the first mark, since nothing after it can be made again.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from bt_executive.core.store_port import InputLine
from bt_executive.store.store_rows import UNWRITABLE, Row, Stamp, count_inputs, input_row
from bt_executive.store.tick_recorder import RecordKind
from rover_common.clocks import Now

MEGABYTE = 1_000_000
ROW_BYTES = 80  # of a row, besides its value
LEFT_OUT = 'parts of it are left out, and a replay ends there.'
TOO_SLOW = f'The disk is too slow for the recording: {LEFT_OUT}'
NO_ROOM = f'The disk has no room for the recording: {LEFT_OUT}'
FULL = (
    'The recorded inputs of this run have reached {:g} MB and end; a replay ends there. Raise '
    'journal.max_inputs_mb to keep more.'
)


def ignore(_sentence: str) -> None:
    """Reads nothing."""


class TickInputs(NamedTuple):
    """Of one tick. `system_s`: time of day, s."""

    system_s: float
    lines: Sequence[InputLine]


class InputQueue:
    """Belongs to one run. All but `rows` is called with the store's lock.

    Args:
        max_mb: Of what is written of this run, in megabytes.
        capacity: Inputs that wait at most.
        tell: Takes a sentence when something is left out, once for each reason.
    """

    def __init__(self, max_mb: float, capacity: int, report: Callable[[str], None]) -> None:
        self._max_mb, self._capacity, self._report = max_mb, capacity, report
        self._waiting: list[TickInputs] = []
        self._count = 0  # that wait
        self._left_out = 0  # since the latest that waits
        self._reported: set[str] = set()
        self._bytes, self._ended = 0, False

    def __bool__(self) -> bool:
        """Return whether something waits."""
        return bool(self._waiting)

    def put(self, lines: Sequence[InputLine], system_s: float) -> None:
        """Takes what a tick was given, or leaves all of it out."""
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

    def take(self) -> list[TickInputs]:
        """Returns what waits, and forgets it."""
        taken, self._waiting, self._count = self._waiting, [], 0
        return taken

    def leave_out(self, taken: Sequence[TickInputs]) -> None:
        """Marks that what was taken could not be written."""
        lines = [line for tick in taken for line in tick.lines]
        if lines:
            gap = TickInputs(taken[0].system_s, (_gap(lines[0].now, sum(map(_size, lines))),))
            self._waiting.insert(0, gap)
            self._count += 1
            self._report_once(NO_ROOM)

    def rows(self, taken: Sequence[TickInputs], stamp: Callable[[Now, float], Stamp]) -> list[Row]:
        """Returns what writes them; `stamp` makes the next row's. In the writer's thread."""
        rows: list[Row] = []
        for tick in taken:
            if self._ended:
                break
            try:
                made = [input_row(stamp(line.now, tick.system_s), line) for line in tick.lines]
            except UNWRITABLE as error:
                self._report_once(f'A part of the recording cannot be written down: {error}.')
                made = [self._gap_row(tick, stamp)]
            self._bytes += sum(len(values[-2]) + ROW_BYTES for _, values in made)
            if self._bytes > self._max_mb * MEGABYTE:
                self._ended = True
                made = [self._gap_row(tick, stamp)]
                self._report_once(FULL.format(self._max_mb))
            rows += made
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
