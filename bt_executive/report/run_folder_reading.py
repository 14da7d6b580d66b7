"""Reads a run folder. The trace is required; other missing or damaged files are noted."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
import json
from pathlib import Path
from typing import Any, TypeVar

from pydantic import TypeAdapter

from bt_executive.report.recording_data import (
    Charge,
    RecordedPicture,
    RecordedPose,
    Recording,
    TreeOfProcess,
)
from bt_executive.store import run_folder_formats
from bt_executive.store.recorded_inputs import process_key, read_inputs
from bt_executive.store.run_configuration_and_metadata import FOLDER, RUN_FILE, read_run_metadata
from bt_executive.store.run_file_reading import Lines, find_trace, read_lines, read_run_file
from bt_executive.store.run_folder_formats import InboxEntry, PictureEntry, TreeHeader, TreeTick
from rover_common.config.load import load_config
from rover_common.config.settings import Config
from rover_common.errors import ConfigError, RecordingError
from rover_common.trace_event import TraceEvent, event_from_json

LOG_TAIL = 4000  # characters from the end of a node's log
Parsed = TypeVar('Parsed')
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
    processes = tuple(tuple(_parse(each.entries, _event, notes)) for each in trace.processes)
    if not any(processes):
        raise RecordingError(
            f'{trace_file} holds no event, so there is nothing to report: name another run.'
        )
    poses, charges = _readings(_inputs(folder, trace, notes), notes)
    return Recording(
        folder=folder,
        processes=processes,
        trees=_trees(
            _optional(folder / run_folder_formats.TREE_FILE, run_folder_formats.TREE, notes), notes
        ),
        poses=poses,
        charges=charges,
        pictures=_pictures(folder, notes),
        config=_configuration(folder / FOLDER, notes),
        metadata=_metadata(folder, notes),
        files={path.name: _text(path) for path in sorted((folder / FOLDER).rglob('*.yaml'))},
        logs={path.stem: _text(path)[-LOG_TAIL:] for path in sorted(folder.glob('logs/*.log'))},
        notes=tuple(notes),
    )


def _optional(path: Path, name: str, notes: list[str]) -> Lines:
    if not path.exists():
        notes.append(f'{path.name} is not there.')
        return Lines()
    try:
        lines = read_lines(path, name)
    except RecordingError as error:
        notes.append(f'{error} The page does without it.')
        return Lines()
    notes += lines.notes
    return lines


def _inputs(folder: Path, trace: Lines, notes: list[str]) -> Lines:
    try:
        inbox = read_inputs(folder, [process_key(process.header) for process in trace.processes])
    except RecordingError as error:
        notes.append(f'{error} The page does without it.')
        return Lines()
    notes += inbox.notes
    return inbox


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


def _event(entry: dict[str, Any]) -> TraceEvent:
    return event_from_json(json.dumps(entry))


def _trees(lines: Lines, notes: list[str]) -> tuple[TreeOfProcess, ...]:
    trees = []
    for process in lines.processes:
        for header in _parse([process.header], TreeHeader.model_validate, notes):
            nodes = range(len(header.nodes))
            ticks = _parse(process.entries, TreeTick.model_validate, notes)
            valid = tuple(tick for tick in ticks if {*tick.status, *tick.words} <= {*nodes})
            trees.append(TreeOfProcess(header.nodes, valid))
    return tuple(trees)


def _readings(
    lines: Lines, notes: list[str]
) -> tuple[tuple[RecordedPose, ...], tuple[Charge, ...]]:
    raw = (entry for process in lines.processes for entry in process.entries)
    entries = list(_parse(raw, InboxEntry.model_validate, notes))
    return (
        tuple(_parse(_fields(entries, 'PoseSeen'), POSE.validate_python, notes)),
        tuple(_parse(_fields(entries, 'BatterySeen'), CHARGE.validate_python, notes)),
    )


def _fields(entries: Iterable[InboxEntry], event: str) -> Iterator[dict[str, Any]]:
    return ({**each.fields, 'ts': each.ts} for each in entries if each.event == event)


def _pictures(folder: Path, notes: list[str]) -> tuple[RecordedPicture, ...]:
    path = folder / run_folder_formats.PICTURES_FILE
    if not path.exists():
        return ()  # no picture was scored
    lines = _optional(path, run_folder_formats.PICTURES, notes)
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
