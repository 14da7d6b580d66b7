"""What a run folder holds of one process of the executive, tick by tick, read and checked.

What cannot be replayed is refused with the file, the line and the reason: half a recording would
give other decisions, and nobody could tell whose they are.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
import math
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from bt_executive.replay.recorded_lines_decoding import is_event
from bt_executive.store import run_folder_formats
from bt_executive.store.json_lines_reading import Lines, ProcessLines, read_lines
from bt_executive.store.recorded_inputs import INBOX_FILE, process_key, read_inputs
from bt_executive.store.run_folder_formats import (
    TRACE_FILE,
    TREE_FILE,
    InboxEntry,
    InboxHeader,
    TreeTick,
)
from bt_executive.store.state_changes import FlatState
from bt_executive.store.tick_recorder import RecordKind
from rover_common.clocks import Now, Standstill, append_standstill
from rover_common.errors import RecordingError
from rover_common.finite_number import finite_number

NOTES = frozenset(note.value for note in RecordKind)
SINCE = (1, 1)  # the first version of inbox.jsonl with all that a tick was told
DAMAGE = (RecordingError, KeyError, TypeError, ValueError)  # what a damaged line raises


@dataclass(frozen=True)
class RecordedTick:
    """One tick: when, what passed through the ports, and the events of the trace that it made.

    `number`: from 1, over all processes of the run. `place`: where its first line is. `events`: as
    JSON values.
    """

    number: int
    place: str
    now: Now
    entries: tuple[InboxEntry, ...]
    events: tuple[dict[str, Any], ...] = ()

    @property
    def ends_process(self) -> bool:
        """Whether this is no tick, but the executive's shutting down."""
        return any(entry.event == RecordKind.SHUT_DOWN.value for entry in self.entries)


@dataclass(frozen=True)
class RecordedProcess:
    """One process of the executive.

    Attributes:
        run_id: Of this process.
        approvals: What the ids of its requests for approval have in common.
        configuration: The digest of what it ran with.
        ticks: All ticks with something in them.
        left_over: Events of the trace that belong to no recorded tick.
        states: Number of a tick → what was new in the state after it.
        left_out: How many lines are left out behind the last tick, because the disk did not take
            them; None: none.
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
        """Whether it has no end of its own: it was killed, or a file was full."""
        return not self.ticks or not self.ticks[-1].ends_process

    def state_after(self, number: int) -> FlatState:
        """The recorded state after a tick, as far as it was written down by then."""
        state: FlatState = {}
        for tick, changes in self.states.items():
            if tick <= number:
                state |= changes
        return state


def read_processes(folder: Path) -> tuple[list[RecordedProcess], list[str]]:
    """The processes of a run, oldest first, and sentences about what is missing at their ends.

    Raises:
        RecordingError: It is no run folder, or one that cannot be replayed.
    """
    trace = {process_key(process.header): process for process in _trace(folder)}
    inbox = read_inputs(folder, list(trace))
    tree = _tree(folder)
    processes: list[RecordedProcess] = []
    number = 0
    for process in inbox.processes:
        _check_whole(process)
        header, key = _header(process), process_key(process.header)
        whole, left_out = _before_gap(process)
        events = trace.get(key, ProcessLines({}))
        ticks, left = _with_events(list(_ticks(whole, number)), events)
        processes.append(
            RecordedProcess(
                header.run_id,
                header.approvals,
                header.configuration,
                tuple(ticks),
                tuple(left),
                _states(tree.get(key), number),
                left_out,
            )
        )
        number = ticks[-1].number if ticks else number
    if not any(process.ticks for process in processes):
        raise RecordingError(f'{str(folder)!r} holds no tick: there is nothing to replay.')
    return processes, _torn_ends(folder, inbox)


def _trace(folder: Path) -> list[ProcessLines]:
    path = folder / TRACE_FILE
    if not folder.is_dir():
        raise RecordingError(
            f'{str(folder)!r} is not a folder: name one such as runs/20260101-120000.'
        )
    if not path.is_file():
        raise RecordingError(
            f'{str(folder)!r} cannot be replayed: it has no {TRACE_FILE}. A run folder of '
            'bt_executive has trace.jsonl, run.json and config/.'
        )
    processes = read_lines(path, run_folder_formats.TRACE).processes
    for process in processes:
        _check_whole(process)
    return processes


def _check_whole(process: ProcessLines) -> None:
    if process.damaged is not None:
        raise RecordingError(
            f'{process.source} {process.damaged}: no whole JSON object, and lines follow it: the '
            'file is damaged, so the run cannot be replayed.'
        )


def _before_gap(process: ProcessLines) -> tuple[ProcessLines, int | None]:
    """The process up to where lines are left out, and how many are left out there."""
    for index, entry in enumerate(process.entries):
        if entry.get('event') == RecordKind.GAP.value:
            before = replace(
                process, entries=process.entries[:index], numbers=process.numbers[:index]
            )
            return before, int(_number(process, index, (entry.get('fields') or {}).get('count')))
    return process, None


def _torn_ends(folder: Path, inbox: Lines) -> list[str]:
    return [
        f'{folder / INBOX_FILE}: {note.partition(": ")[2]}' if INBOX_FILE in note else note
        for note in inbox.notes
    ]


def _header(process: ProcessLines) -> InboxHeader:
    header = InboxHeader.model_validate(process.header)
    if tuple(map(int, header.version.split('.'))) < SINCE:
        raise RecordingError(
            f'{process.source.partition(",")[0]} has version {header.version}: the bt_executive '
            "that wrote it recorded the events, but not the planner's answers, the heartbeats and "
            'the times of quiet ticks, '
            'so its run cannot be replayed. Runs from version 1.1 on can.'
        )
    return header


def _ticks(process: ProcessLines, number: int) -> Iterator[RecordedTick]:
    """The lines of a process as ticks, numbered from `number` + 1."""
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
    if 'length_s' not in fields:  # up to version 1.1 the latest one excused all silence before it
        return (Standstill(end, math.inf),)
    return append_standstill(
        standstills, Standstill(end, _number(process, index, fields['length_s']))
    )


def _entry(process: ProcessLines, index: int, raw: dict[str, Any]) -> InboxEntry:
    try:
        entry = InboxEntry.model_validate(raw)
    except ValidationError as error:
        fault = error.errors(include_url=False)[0]
        where = '.'.join(str(part) for part in fault['loc'])
        raise RecordingError(
            f'{_place(process, index)}: {where!r}: {fault["msg"]}; the file is damaged.'
        ) from None
    fields = (f'field {each!r:.80}' for each in raw if each not in InboxEntry.model_fields)
    event = () if is_event(entry) or entry.event in NOTES else (f'{entry.event!r:.80}',)
    for unknown in (*event, *fields):
        raise RecordingError(
            f'{_place(process, index)}: this version of bt_executive knows no {unknown}, so it '
            'cannot replay the run: replay it with the version that run.json names.'
        )
    return entry


def _number(process: ProcessLines, index: int, value: Any) -> float:
    number = finite_number(value)
    if number is None:
        raise RecordingError(
            f'{_place(process, index)}: {value!r:.80} is no time; the file is damaged.'
        )
    return number


def _with_events(
    ticks: Sequence[RecordedTick], trace: ProcessLines
) -> tuple[list[RecordedTick], list[dict[str, Any]]]:
    """Gives each tick the events of the trace that it made; returns those that are left, too."""
    events = trace.entries
    numbers = {event.get('event_id'): number for number, event in enumerate(events)}
    told, found = 0, []
    for tick in ticks:
        latest = _latest(tick)
        if latest is not None and latest not in numbers:
            break  # the trace ends here
        end = told if latest is None else numbers[latest] + 1
        if end < told:
            raise RecordingError(
                f'{tick.place}: event {latest!r} is older than that of '
                'the tick before; the file is damaged, or does not belong to this trace.jsonl.'
            )
        found.append(replace(tick, events=tuple(events[told:end])))
        told = end
    return found, list(events[told:])


def _latest(tick: RecordedTick) -> str | None:
    found = [
        each.fields.get('latest') for each in tick.entries if each.event == RecordKind.TRACE.value
    ]
    return str(found[-1]) if found else None


def _tree(folder: Path) -> dict[tuple[str, str], ProcessLines]:
    """The processes of tree.jsonl; states are shown where they are known."""
    try:
        return {
            process_key(process.header): process
            for process in read_lines(folder / TREE_FILE, run_folder_formats.TREE).processes
        }
    except RecordingError:
        return {}


def _states(process: ProcessLines | None, offset: int) -> dict[int, FlatState]:
    """Number of a tick → what was new in the state after it."""
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
    """Return the error that says that a tick cannot be replayed."""
    return RecordingError(
        f'{tick.place} and those of the same tick: {error}; the file is '
        'damaged, or of another version, so the run cannot be replayed.'
    )
