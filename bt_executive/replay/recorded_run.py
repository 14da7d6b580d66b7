"""A run folder to replay: its processes, its configuration, and notes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from bt_executive.replay.recorded_ticks import (
    RecordedProcess,
    RecordedTick,
    read_processes,
)
from bt_executive.store.run_configuration_and_metadata import (
    FOLDER,
    RUN_FILE,
    read_run_metadata,
    saved_digest,
)
from bt_executive.store.run_file_lines_and_damage import SEE_REPORT
from rover_common.config.load import load_config
from rover_common.config.robot_file import read_file
from rover_common.config.settings import Config, ExecutiveSettings
from rover_common.errors import ConfigError, RecordingError, UsageError

PACKAGE = 'bt_executive'
EXECUTIVE_FILE = 'executive.yaml'
# Of `guards`: a key that runs of earlier versions lack → the key that had its value.
EARLIER_KEYS = {'adapter_status_moving_max_age_s': 'adapter_status_max_age_s'}


@dataclass(frozen=True)
class RecordedRun:
    """The content of a run folder. `notes`: sentences about gaps and versions."""

    folder: Path
    processes: Sequence[RecordedProcess]
    config: Config
    notes: Sequence[str]

    @property
    def ticks(self) -> Iterator[RecordedTick]:
        """The ticks of all processes."""
        return (tick for process in self.processes for tick in process.ticks)

    def configuration(self, overrides: Sequence[str]) -> Config:
        """Return the configuration of the run with overrides applied.

        Raises:
            ConfigError: An override is wrong.
        """
        return _configuration_of(self.folder, overrides)


def open_run(folder: Path, process: int | None = None) -> RecordedRun:
    """Reads a run folder. `process`: the number of the only process to read, from 1.

    Raises:
        RecordingError: It cannot be replayed; the message names the file and the reason.
        UsageError: There is no such process.
    """
    processes, notes = read_processes(folder)
    config = _configuration(folder)
    first = 1
    if process is not None:
        if not 1 <= process <= len(processes):
            raise UsageError(f'--process {process}: the run has {len(processes)}, counted from 1.')
        processes, first = [processes[process - 1]], process
    for number, each in enumerate(processes, first):
        _check(folder, number, each)
    notes += _describe_ends(folder, processes)
    return RecordedRun(folder, processes, config, [*_other_version(folder), *notes])


def _configuration_of(run: Path, overrides: Sequence[str] = ()) -> Config:
    """Load the configuration of a run; keys that its version lacked keep their old meaning."""
    return load_config(
        run / FOLDER, [*_earlier_defaults(run / FOLDER / EXECUTIVE_FILE), *overrides]
    )


def _earlier_defaults(file: Path) -> Iterator[str]:
    if file.exists():
        guards = read_file(file, ExecutiveSettings).get('guards')
        for key, before in EARLIER_KEYS.items():
            if isinstance(guards, dict) and key not in guards and before in guards:
                yield f'guards.{key}={guards[before]}'


def _configuration(folder: Path) -> Config:
    try:
        return _configuration_of(folder)
    except ConfigError as error:
        raise RecordingError(
            f'The configuration of the run cannot be used, so it cannot be replayed: {error} '
            f'{SEE_REPORT}'
        ) from None


def _check(folder: Path, number: int, process: RecordedProcess) -> None:
    try:
        digest = saved_digest(folder)
    except OSError as error:
        raise RecordingError(
            f'{error.filename} cannot be read ({error.strerror}), so the run cannot be replayed: '
            'put the file of the run there, or remove it if it is none.'
        ) from None
    if process.configuration != digest:
        raise RecordingError(
            f'Process {number} of the run cannot be replayed: {folder / FOLDER} is not what it '
            'ran with. A later process has written its own there, or somebody has changed it. '
            '--process N replays another process.'
        )


def _describe_ends(folder: Path, processes: Sequence[RecordedProcess]) -> Iterator[str]:
    """Yield at most two sentences, however often the executive was killed in the run."""
    cut = [process for process in processes if process.cut and process.left_out is None]
    if cut:
        which = cut[0].run_id if len(cut) == 1 else f'{len(cut)} of {len(processes)} processes'
        ends = [
            f'tick {process.ticks[-1].number}' if process.ticks else 'its start' for process in cut
        ]
        yield (
            f'The recording of {which} ends at {", ".join(ends)} without an end of its own: the '
            'executive was killed, still runs, or a file was full. Such a tick may not be whole; '
            'it is replayed, not compared.'
        )
    for process in processes:
        if process.left_out is not None:
            end = f'tick {process.ticks[-1].number}' if process.ticks else 'its start'
            yield (
                f'The recording of {process.run_id} is not complete from {end} on: '
                f'{process.left_out} '
                'inputs are left out, because the disk did not take them. It is replayed up to '
                'there.'
            )
    left_over = sum(len(process.left_over) for process in processes)
    if left_over:
        yield (
            f'{left_over} events of {folder / "trace.jsonl"} belong to no recorded tick and are '
            'not compared.'
        )


def _other_version(folder: Path) -> Iterator[str]:
    try:
        recorded = str((read_run_metadata(folder) or {})['versions'][PACKAGE])
    except (KeyError, TypeError):
        yield f'{RUN_FILE} does not say which version of {PACKAGE} made the run.'
        return
    try:
        own = version(PACKAGE)
    except PackageNotFoundError:
        return
    if recorded != own:
        yield (
            f'The run was made with {PACKAGE} {recorded}, this is {own}: a difference may be '
            'one of the versions.'
        )
