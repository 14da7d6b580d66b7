"""Reads run folders into recordings, and joins several: a goal may continue in the next folder."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any, ClassVar, TypeVar

from pydantic import ConfigDict, TypeAdapter

from bt_executive.store import run_folder_formats
from bt_executive.store.inputs_from_journal_or_export import process_key, read_inputs
from bt_executive.store.run_configuration_and_metadata import FOLDER, RUN_FILE, read_run_metadata
from bt_executive.store.run_file_lines_and_damage import (
    Lines,
    find_trace,
    read_lines,
    read_run_file,
)
from bt_executive.store.run_folder_formats import (
    InboxEntry,
    PictureEntry,
    RecordedNode,
    TreeHeader,
    TreeTick,
)
from bt_executive.view.shown_state_fields import LEFT_OUT
from rover_common.config.load import load_config
from rover_common.config.settings import Config
from rover_common.errors import ConfigError, RecordingError
from rover_common.trace_event import TraceEvent, event_from_fields

# Fields of the state that are on no page, which are more than half of a long run.
NOT_ON_PAGE = LEFT_OUT - {'world.summary', 'world.places', 'world.remembered'}
LONGEST_START_S = 3600.0  # limit between the begin of a run and its first event


@dataclass(frozen=True)
class RecordedPose:
    """A pose of the robot in the world frame. `at`: steady time in s of its arrival."""

    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(allow_inf_nan=False)

    ts: float
    x: float
    y: float
    yaw: float
    at: float | None = None


@dataclass(frozen=True)
class Charge:
    """The battery's charge. `at`: steady time in s of its arrival; None: not recorded."""

    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(allow_inf_nan=False)

    ts: float
    percent: float
    at: float | None = None


@dataclass(frozen=True)
class TreeOfProcess:
    """The tree of one process of the executive. `ticks`: changes of each tick, oldest first."""

    nodes: tuple[RecordedNode, ...]
    ticks: tuple[TreeTick, ...]


@dataclass(frozen=True)
class RecordedPicture:
    """A scored picture, whose file is in `folder`."""

    folder: Path
    entry: PictureEntry


@dataclass(frozen=True)
class Recording:
    """The content of a run folder, or of several joined ones.

    Attributes:
        folder: The latest one.
        processes: The trace events of each process of the executive.
        run_ids: Of these processes.
        metadata: run.json.
        files: Title → text of the configuration files.
        logs: Name of a node → the end of its log.
        notes: Sentences about what could not be read.
    """

    folder: Path
    processes: tuple[tuple[TraceEvent, ...], ...]
    trees: tuple[TreeOfProcess, ...] = ()
    poses: tuple[RecordedPose, ...] = ()
    charges: tuple[Charge, ...] = ()
    pictures: tuple[RecordedPicture, ...] = ()
    config: Config | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)
    files: Mapping[str, str] = field(default_factory=dict)
    logs: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    run_ids: tuple[str, ...] = ()

    @property
    def events(self) -> tuple[TraceEvent, ...]:
        """The events of all processes."""
        return tuple(event for process in self.processes for event in process)

    @property
    def began(self) -> float:
        """Begin of the run in ROS s as shown live, or else the earliest time of an event."""
        first, began = min(event.ts for event in self.events), self.metadata.get('began')
        if isinstance(began, (int, float)) and 0.0 <= first - began <= LONGEST_START_S:
            return float(began)
        return first


def join(recordings: Sequence[Recording]) -> Recording:
    """Join recordings in the order of the starts of their runs.

    A run that went on after another one follows it, though the clock was set back in between.
    Configuration and metadata are those of the latest run.

    Raises:
        RecordingError: A folder is named twice.
    """
    _refuse_duplicates(recordings)
    runs = _in_order(recordings)
    latest = runs[-1]
    if len(runs) == 1:
        return replace(latest, notes=(*latest.notes, *_note_missing_runs(runs)))
    return replace(
        latest,
        processes=tuple(process for run in runs for process in run.processes),
        trees=tuple(tree for run in runs for tree in run.trees),
        poses=tuple(pose for run in runs for pose in run.poses),
        charges=tuple(charge for run in runs for charge in run.charges),
        pictures=tuple(picture for run in runs for picture in run.pictures),
        files=_by_run({_name(run): run.files for run in runs}),
        logs=_by_run({_name(run): run.logs for run in runs}),
        notes=tuple(_notes(runs)),
        run_ids=tuple(each for run in runs for each in run.run_ids),
    )


def _refuse_duplicates(recordings: Sequence[Recording]) -> None:
    folders: set[Path] = set()
    for run in recordings:
        folder = run.folder.resolve()
        if folder in folders:
            raise RecordingError(f'{str(run.folder)!r} is named twice: name each run once.')
        folders.add(folder)


def _in_order(recordings: Sequence[Recording]) -> list[Recording]:
    left, ordered = sorted(recordings, key=_started_at), list[Recording]()
    resumed = {run.folder: {previous_id for previous_id, _ in _resumptions(run)} for run in left}
    while left:
        ids = {run.folder: set(run.run_ids) for run in left}
        earlier = (
            any(resumed[run.folder] & own for folder, own in ids.items() if folder != run.folder)
            for run in left
        )
        ordered.append(left.pop(next((n for n, waits in enumerate(earlier) if not waits), 0)))
    return ordered


def _resumptions(run: Recording) -> Iterator[tuple[str, bool]]:
    """Yield the id of each run that was resumed from, and whether a goal of it went on."""
    for event in run.events:
        processes = (event.data or {}).get('lives')
        if isinstance(processes, dict):
            yield str(processes.get('before', '')), bool((event.data or {}).get('goes_on'))


def _started_at(run: Recording) -> tuple[str, float]:
    """Return the sort key: the time of day, as ROS time may restart. Without run.json: first."""
    return str(run.metadata.get('started_at', '')), run.events[0].ts


def _name(run: Recording) -> str:
    return run.folder.resolve().name


def _by_run(texts: Mapping[str, Mapping[str, str]]) -> dict[str, str]:
    return {f'{run}/{name}': text for run, own in texts.items() for name, text in own.items()}


def _notes(runs: Sequence[Recording]) -> Iterator[str]:
    names = ', '.join(_name(run) for run in runs)
    yield f'Joined from {names}; versions, overrides and world are those of {_name(runs[-1])}.'
    for run in runs:
        yield from (f'{_name(run)}: {note}' for note in run.notes)
    for before, after in pairwise(runs):
        if after.events[0].ts < before.events[-1].ts:
            yield (
                f'The ROS clock of {_name(after)} began before that of {_name(before)} ended: '
                'what happened in one stands among what happened in the other.'
            )
    yield from _note_missing_runs(runs)


def _note_missing_runs(runs: Sequence[Recording]) -> Iterator[str]:
    """Yield a note for each missing run whose goal continues in these."""
    names = {_name(run) for run in runs}
    run_ids = {each for run in runs for each in run.run_ids}
    for run in runs:
        for previous_id, goal_went_on in _resumptions(run):
            before = previous_id.rpartition('.')[0]  # without what is unique of the process
            if goal_went_on and before and before not in names and previous_id not in run_ids:
                yield (
                    f'A goal goes on here that began in the run {before}: '
                    f'`bt-executive report {before} {_name(run)}` shows both parts.'
                )


SET_BACK_S = 1.0  # a smaller step of the clock is not noted
LOG_TAIL = 4000  # characters from the end of a node's log
Parsed = TypeVar('Parsed')
POSE_INPUT, CHARGE_INPUT = 'PoseSeen', 'BatterySeen'  # events of inputs
POSE, CHARGE = TypeAdapter(RecordedPose), TypeAdapter(Charge)


def read_recording(folder: Path) -> Recording:
    """Reads a run folder.

    Raises:
        RecordingError: It is not a run folder, or its trace is empty or of another major version.
    """
    trace_file = find_trace(folder)
    notes: list[str] = []
    trace = read_lines(trace_file, run_folder_formats.TRACE)
    notes += trace.notes
    processes = tuple(
        tuple(_parse(each.entries, event_from_fields, notes)) for each in trace.processes
    )
    if not any(processes):
        raise RecordingError(
            f'{trace_file} holds no event, so there is nothing to report: name another run.'
        )
    notes += _note_set_back([event for process in processes for event in process])
    runs = [process_key(process.header) for process in trace.processes]
    poses, charges = _readings(
        _lines(partial(read_inputs, folder, runs, _trim_input), notes), notes
    )
    return Recording(
        folder=folder,
        processes=processes,
        trees=_trees(_tree_lines(folder / run_folder_formats.TREE_FILE, notes), notes),
        poses=poses,
        charges=charges,
        pictures=_pictures(folder, notes),
        config=_configuration(folder / FOLDER, notes),
        metadata=_metadata(folder, notes),
        files={path.name: _text(path) for path in sorted((folder / FOLDER).rglob('*.yaml'))},
        logs={path.stem: _text(path)[-LOG_TAIL:] for path in sorted(folder.glob('logs/*.log'))},
        notes=tuple(notes),
        run_ids=tuple(run_id for run_id, _ in runs),
    )


def _note_set_back(events: Sequence[TraceEvent]) -> Iterator[str]:
    back_s = max((before.ts - after.ts for before, after in pairwise(events)), default=0.0)
    if back_s > SET_BACK_S:
        yield (
            f'The ROS clock was set back, by up to {back_s:.0f} s: what happened afterwards '
            'stands among what happened before.'
        )


def _tree_lines(path: Path, notes: list[str]) -> Lines:
    if not path.exists():
        notes.append(f'{path.name} is not there.')
        return Lines()
    return _lines(partial(read_lines, path, run_folder_formats.TREE, _trim), notes)


def _taken_out(entries: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Yield the entries in order and keep none of them: those of a long run are large."""
    entries.reverse()
    while entries:
        yield entries.pop()


def _trim(entry: dict[str, Any]) -> None:
    state = entry.get('state')
    if isinstance(state, dict):
        for path in NOT_ON_PAGE & state.keys():
            del state[path]


def _trim_input(entry: dict[str, Any]) -> None:
    """Drop the inputs that are no readings, which are nearly all of a run."""
    event = entry.get('event')
    if isinstance(event, str) and event not in (POSE_INPUT, CHARGE_INPUT):
        entry.clear()


def _lines(read: Callable[[], Lines], notes: list[str]) -> Lines:
    try:
        lines = read()
    except RecordingError as error:
        notes.append(f'{error} The page does without it.')
        return Lines()
    notes += lines.notes
    return lines


def _parse(
    entries: Iterable[dict[str, Any]], make: Callable[[dict[str, Any]], Parsed], notes: list[str]
) -> Iterator[Parsed]:
    broken = 0
    for entry in entries:
        try:
            yield make(entry)
        except ValueError:  # pydantic's ValidationError is one
            broken += 1
    if broken:
        notes.append(f'{broken} lines do not have the fields that they should; they are left out.')


def _trees(lines: Lines, notes: list[str]) -> tuple[TreeOfProcess, ...]:
    trees = []
    for process in lines.processes:
        for header in _parse([process.header], TreeHeader.model_validate, notes):
            nodes = range(len(header.nodes))
            ticks = _parse(_taken_out(process.entries), TreeTick.model_validate, notes)
            valid = tuple(tick for tick in ticks if {*tick.status, *tick.words} <= {*nodes})
            trees.append(TreeOfProcess(header.nodes, valid))
    return tuple(trees)


def _readings(
    lines: Lines, notes: list[str]
) -> tuple[tuple[RecordedPose, ...], tuple[Charge, ...]]:
    raw = (entry for process in lines.processes for entry in _taken_out(process.entries))
    entries = list(_parse(raw, InboxEntry.model_validate, notes))
    return (
        tuple(_parse(_fields(entries, POSE_INPUT), POSE.validate_python, notes)),
        tuple(_parse(_fields(entries, CHARGE_INPUT), CHARGE.validate_python, notes)),
    )


def _fields(entries: Iterable[InboxEntry], event: str) -> Iterator[dict[str, Any]]:
    return ({**each.fields, 'ts': each.ts} for each in entries if each.event == event)


def _pictures(folder: Path, notes: list[str]) -> tuple[RecordedPicture, ...]:
    path = folder / run_folder_formats.PICTURES_FILE
    if not path.exists():
        return ()  # no picture was scored
    lines = _lines(partial(read_lines, path, run_folder_formats.PICTURES), notes)
    entries = (entry for process in lines.processes for entry in process.entries)
    scored = _parse(entries, PictureEntry.model_validate, notes)
    return tuple(RecordedPicture(folder, entry) for entry in scored)


def _configuration(folder: Path, notes: list[str]) -> Config | None:
    try:
        return load_config(folder)
    except ConfigError as error:
        notes.append(f'The configuration of the run cannot be used: {error}')
        return None


def _metadata(folder: Path, notes: list[str]) -> dict[str, Any]:
    metadata = read_run_metadata(folder)
    if metadata is None:
        notes.append(f'{RUN_FILE} is missing or broken.')
    return metadata or {}


def _text(path: Path) -> str:
    try:
        return read_run_file(path).decode('utf-8-sig', 'replace')
    except OSError:
        return ''
