"""Joins several run folders into one recording: a goal may continue in the next folder."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

from bt_executive.report.recording_data import Recording
from rover_common.errors import RecordingError


def join(recordings: Sequence[Recording]) -> Recording:
    """Join recordings in the order of the starts of their runs.

    Configuration and metadata are those of the latest run.

    Raises:
        RecordingError: A folder is named twice.
    """
    _refuse_duplicates(recordings)
    runs = sorted(recordings, key=_started_at)
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
    )


def _refuse_duplicates(recordings: Sequence[Recording]) -> None:
    folders: set[Path] = set()
    for run in recordings:
        folder = run.folder.resolve()
        if folder in folders:
            raise RecordingError(f'{str(run.folder)!r} is named twice: name each run once.')
        folders.add(folder)


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
    for run in runs:
        for event in (event for process in run.processes for event in process):
            processes = (event.data or {}).get('lives')
            if not isinstance(processes, dict) or not (event.data or {}).get('goes_on'):
                continue
            previous_id = str(processes.get('before', ''))
            before = previous_id.rpartition('.')[0]  # without the process id
            if before and before not in names:
                yield (
                    f'A goal goes on here that began in the run {before}: '
                    f'`bt-executive report {before} {_name(run)}` shows both parts.'
                )
