"""Several run folders as one recording: a goal may go on in the folder of the next start."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

from bt_executive.report.recording_data import Recording
from rover_common.errors import RecordingError


def join(recordings: Sequence[Recording]) -> Recording:
    """The recordings one behind the other, in the order in which their runs were started.

    Configuration and facts are those of the latest one.

    Raises:
        RecordingError: A folder is named twice.
    """
    _refuse_twins(recordings)
    runs = sorted(recordings, key=_started_at)
    latest = runs[-1]
    if len(runs) == 1:
        return replace(latest, notes=(*latest.notes, *_missing(runs)))
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


def _refuse_twins(recordings: Sequence[Recording]) -> None:
    folders: set[Path] = set()
    for run in recordings:
        folder = run.folder.resolve()
        if folder in folders:
            raise RecordingError(f'{str(run.folder)!r} is named twice: name each run once.')
        folders.add(folder)


def _started_at(run: Recording) -> tuple[str, float]:
    """By the time of day, as ROS time may begin anew. Without run.json: at first."""
    return str(run.facts.get('started_at', '')), run.events[0].ts


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
    yield from _missing(runs)


def _missing(runs: Sequence[Recording]) -> Iterator[str]:
    """Runs whose goals go on in these, and which are not among them."""
    names = {_name(run) for run in runs}
    for run in runs:
        for event in (event for process in run.processes for event in process):
            processes = (event.data or {}).get('lives')
            if not isinstance(processes, dict) or not (event.data or {}).get('goes_on'):
                continue
            before = str(processes.get('before', '')).rpartition('.')[
                0
            ]  # a run's id ends with .pid
            if before and before not in names:
                yield (
                    f'A goal goes on here that began in the run {before}: '
                    f'`bt-executive report {before} {_name(run)}` shows both parts.'
                )
