"""Reads and checks the recorded ticks of each process in a run folder.

A recording that cannot be replayed is refused with the file, the line and the reason: an
incomplete one would lead to other decisions.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
import math
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from bt_executive.core.stored_names import INPUTS
from bt_executive.store import run_folder_formats
from bt_executive.store.inputs_from_journal_or_export import INBOX_FILE, process_key, read_inputs
from bt_executive.store.run_file_lines_and_damage import (
    SEE_REPORT,
    Lines,
    ProcessLines,
    check_whole,
    find_trace,
    read_lines,
)
from bt_executive.store.run_folder_formats import (
    TRACE_FILE,
    TREE_FILE,
    InboxEntry,
    InboxHeader,
    TreeTick,
)
from bt_executive.store.tick_recorder import RecordKind
from bt_executive.store.tree_and_state_changes import FlatState
from rover_common.clocks import Now, Standstill, append_standstill
from rover_common.errors import RecordingError
from rover_common.json_values import finite_number
from rover_common.trace_event import event_from_fields

NOTES = frozenset(note.value for note in RecordKind)
OLDEST_VERSION = (1, 1)  # the first version of inbox.jsonl with all inputs of a tick
DAMAGE = (RecordingError, KeyError, TypeError, ValueError)  # raised by a damaged line


@dataclass(frozen=True)
class RecordedTick:
    """One tick.

    Attributes:
        number: From 1, over all processes of the run.
        place: File and number of its first line.
        entries: Inputs and calls of ports.
        events: Its trace events as JSON values.
    """

    number: int
    place: str
    now: Now
    entries: tuple[InboxEntry, ...]
    events: tuple[dict[str, Any], ...] = ()

    @property
    def ends_process(self) -> bool:
        """Whether this is the shutdown of the executive instead of a tick."""
        return any(entry.event == RecordKind.SHUT_DOWN.value for entry in self.entries)


@dataclass(frozen=True)
class RecordedProcess:
    """One process of the executive.

    Attributes:
        run_id: Of this process.
        approvals: The token in the ids of its approval requests.
        configuration: The digest of its configuration.
        ticks: All ticks with lines.
        left_over: Trace events that belong to no recorded tick.
        states: Number of a tick → changes of the state in it.
        left_out: Number of lines after the last tick that the disk did not take; None: none.
    """

    run_id: str
    approvals: str
    configuration: str
    ticks: tuple[RecordedTick, ...]
    left_over: tuple[dict[str, Any], ...]
    states: dict[int, FlatState]
    left_out: int | None = None

    @property
    def cut(self) -> bool:
        """Whether its end is missing: it was killed, or a file was full."""
        return not self.ticks or not self.ticks[-1].ends_process

    def state_after(self, number: int) -> FlatState:
        """Return the recorded state after a tick."""
        state: FlatState = {}
        for tick, changes in self.states.items():
            if tick <= number:
                state |= changes
        return state


def read_processes(folder: Path) -> tuple[list[RecordedProcess], list[str]]:
    """Return the processes of a run, oldest first, and sentences about missing ends.

    Raises:
        RecordingError: It is not a run folder, or it cannot be replayed.
    """
    trace = {process_key(process.header): process for process in _trace(folder)}
    try:
        inbox = read_inputs(folder, list(trace))
    except RecordingError as error:
        raise RecordingError(f'{error} {SEE_REPORT}') from None
    tree = _tree(folder)
    processes: list[RecordedProcess] = []
    number = 0
    for process in inbox.processes:
        check_whole(process)
        header, key = _header(process), process_key(process.header)
        complete, left_out = _before_gap(process)
        events = trace.get(key, ProcessLines({}))
        ticks, left_over = _with_events(list(_ticks(complete, number)), events)
        processes.append(
            RecordedProcess(
                header.run_id,
                header.approvals,
                header.configuration,
                tuple(ticks),
                tuple(left_over),
                _states(tree.get(key), number),
                left_out,
            )
        )
        number = ticks[-1].number if ticks else number
    if not any(process.ticks for process in processes):
        what = (
            f'{TRACE_FILE} has no event of its first tick'
            if any(process.entries for process in inbox.processes)
            else 'it holds no tick'
        )
        raise RecordingError(f'{str(folder)!r} cannot be replayed: {what}. Name another run.')
    return processes, _torn_ends(folder, inbox)


def _trace(folder: Path) -> list[ProcessLines]:
    path = find_trace(folder)
    processes = read_lines(path, run_folder_formats.TRACE).processes
    for process in processes:
        check_whole(process)
        _check_events(process)
    return processes


def _check_events(trace: ProcessLines) -> None:
    for index, entry in enumerate(trace.entries):
        try:
            event_from_fields(entry)
        except ValidationError as error:
            raise _damaged_field(_place(trace, index), error) from None


def _before_gap(process: ProcessLines) -> tuple[ProcessLines, int | None]:
    """Return the process up to the first gap, and the number of lines left out there."""
    for index, entry in enumerate(process.entries):
        if entry.get('event') == RecordKind.GAP.value:
            before = replace(
                process, entries=process.entries[:index], numbers=process.numbers[:index]
            )
            fields = _entry(process, index, entry).fields
            return before, int(_number(process, index, fields.get('count')))
    return process, None


def _torn_ends(folder: Path, inbox: Lines) -> list[str]:
    return [
        f'{folder / INBOX_FILE}: {note.partition(": ")[2]}' if INBOX_FILE in note else note
        for note in inbox.notes
    ]


def _header(process: ProcessLines) -> InboxHeader:
    try:
        header = InboxHeader.model_validate(process.header)
    except ValidationError as error:
        place = f'{process.source.partition(",")[0]}, a header line'
        raise _damaged_field(place, error) from None
    if tuple(map(int, header.version.split('.'))) < OLDEST_VERSION:
        raise RecordingError(
            f'{process.source.partition(",")[0]} has version {header.version}: the bt_executive '
            "that wrote it recorded the events, but not the planner's answers, the heartbeats and "
            'the times of quiet ticks, '
            'so its run cannot be replayed. Runs from version 1.1 on can.'
        )
    return header


def _ticks(process: ProcessLines, number: int) -> Iterator[RecordedTick]:
    """Group the lines of a process into ticks, numbered from `number` + 1."""
    standstills: tuple[Standstill, ...] = ()
    tick = None
    for index, raw in enumerate(process.entries):
        entry = _entry(process, index, raw)
        if entry.event == RecordKind.AWAKE.value:
            standstills = _with_standstill(standstills, process, index, entry.fields)
        now = Now(entry.ts, entry.robot, entry.steady, standstills)
        if tick is None or entry.again or not _same_time(tick.now, now):
            if tick is not None:
                yield tick
            number += 1
            tick = RecordedTick(number, _place(process, index), now, ())
        tick = replace(tick, now=now, entries=(*tick.entries, entry))
    if tick is not None:
        yield tick


def _place(process: ProcessLines, index: int) -> str:
    return f'{process.source} {process.numbers[index]}'


def _same_time(one: Now, other: Now) -> bool:
    return replace(one, standstills=other.standstills) == other


def _with_standstill(
    standstills: tuple[Standstill, ...],
    process: ProcessLines,
    index: int,
    fields: Mapping[str, Any],
) -> tuple[Standstill, ...]:
    end = _number(process, index, fields.get('since'))
    if 'length_s' not in fields:  # up to version 1.1 the latest one covered all silence before it
        return (Standstill(end, math.inf),)
    return append_standstill(
        standstills, Standstill(end, _number(process, index, fields['length_s']))
    )


def _entry(process: ProcessLines, index: int, raw: dict[str, Any]) -> InboxEntry:
    try:
        entry = InboxEntry.model_validate(raw)
    except ValidationError as error:
        raise _damaged_field(_place(process, index), error) from None
    fields = (f'field {name!r:.80}' for name in raw if name not in InboxEntry.model_fields)
    event = () if entry.event in INPUTS or entry.event in NOTES else (f'{entry.event!r:.80}',)
    for unknown in (*event, *fields):
        raise RecordingError(
            f'{_place(process, index)}: this version of bt_executive knows no {unknown}, so it '
            'cannot replay the run: replay it with the version that run.json names.'
        )
    return entry


def _damaged_field(place: str, error: ValidationError) -> RecordingError:
    fault = error.errors(include_url=False)[0]
    field = '.'.join(str(part) for part in fault['loc'])
    return RecordingError(f'{place}: {field!r}: {fault["msg"]}; the file is damaged. {SEE_REPORT}')


def _number(process: ProcessLines, index: int, value: Any) -> float:
    number = finite_number(value)
    if number is None:
        raise RecordingError(
            f'{_place(process, index)}: {value!r:.80} is no time; the file is damaged. '
            f'{SEE_REPORT}'
        )
    return number


def _with_events(
    ticks: Sequence[RecordedTick], trace: ProcessLines
) -> tuple[list[RecordedTick], list[dict[str, Any]]]:
    """Assign the trace events to their ticks; return the ticks and the remaining events."""
    events = trace.entries
    numbers = {event.get('event_id'): number for number, event in enumerate(events)}
    begin, complete = 0, []
    for tick in ticks:
        latest = _latest(tick)
        if latest is not None and latest not in numbers:
            break  # the trace ends here
        end = begin if latest is None else numbers[latest] + 1
        if end < begin:
            raise RecordingError(
                f'{tick.place}: event {latest!r} is older than that of '
                'the tick before; the file is damaged, or does not belong to this trace.jsonl.'
            )
        complete.append(replace(tick, events=tuple(events[begin:end])))
        begin = end
    return complete, list(events[begin:])


def _latest(tick: RecordedTick) -> str | None:
    traced = (entry for entry in tick.entries if entry.event == RecordKind.TRACE.value)
    ids = [entry.fields.get('latest') for entry in traced]
    return str(ids[-1]) if ids else None


def _tree(folder: Path) -> dict[tuple[str, str], ProcessLines]:
    """Return the processes of tree.jsonl; none if it cannot be read."""
    try:
        return {
            process_key(process.header): process
            for process in read_lines(folder / TREE_FILE, run_folder_formats.TREE).processes
        }
    except RecordingError:
        return {}


def _states(process: ProcessLines | None, offset: int) -> dict[int, FlatState]:
    """Return the changes of the state by number of the tick."""
    states: dict[int, FlatState] = {}
    for raw in process.entries if process else ():
        try:
            tick = TreeTick.model_validate(raw)
        except ValidationError:
            continue
        if tick.state:
            states.setdefault(tick.tick + offset, {}).update(tick.state)
    return states


def damaged(tick: RecordedTick, error: Exception) -> RecordingError:
    """Return the error for a tick that cannot be replayed."""
    return RecordingError(
        f'{tick.place} and those of the same tick: {error}; the file is '
        f'damaged, or of another version, so the run cannot be replayed. {SEE_REPORT}'
    )
