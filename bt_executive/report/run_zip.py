"""A run folder as one zip, to be sent, and such a zip from anybody as a run folder again.

A zip may come from a stranger: only the names of a run's files are written, inside a folder of
its own, and no more bytes than a run has.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path, PurePosixPath
import re
import stat
from tempfile import TemporaryDirectory
from typing import IO, Any
import zipfile

import yaml

from bt_executive.store.recorded_inputs import export_inputs
from bt_executive.store.run_configuration import FOLDER
from bt_executive.store.run_folder_formats import TRACE_FILE
from rover_common.config.yaml_text import read_yaml
from rover_common.errors import RecordingError

MOST_FILES = 3000
MOST_BYTES = 1_000_000_000  # unpacked, all files together
CHUNK = 1 << 20
_OF_A_RUN = re.compile(
    r'(?:[a-z_]{1,40}\.jsonl?|(?:first|last)\.jpg|pictures/[\w.-]{1,100}\.jpe?g'
    r'|logs/[\w.-]{1,100}\.log|config/(?:worlds/)?[\w-]{1,100}\.yaml)',
    re.ASCII,
)


def write_zip(run: Path, output: Path) -> Path:
    """Writes what a report reads of a run folder; returns where it is.

    Raises:
        RecordingError: It is no run folder, or the zip cannot be written.
    """
    if not (run / TRACE_FILE).is_file():
        raise RecordingError(f'{str(run)!r} is not a run folder: it has no {TRACE_FILE}.')
    with suppress(RecordingError, OSError):  # then it has what was exported before, if anything
        export_inputs(run)
    try:
        with zipfile.ZipFile(output, 'w', zipfile.ZIP_DEFLATED) as packed:
            for path in sorted(run.rglob('*')):
                name = path.relative_to(run).as_posix()
                if path.is_file() and not path.is_symlink() and _OF_A_RUN.fullmatch(name):
                    packed.write(path, f'{run.resolve().name}/{name}')
    except OSError as error:
        raise RecordingError(f'{output} cannot be written ({error.strerror}).') from None
    return output


@contextmanager
def unpacked(runs: Sequence[Path]) -> Iterator[list[Path]]:
    """The run folders; those of zips are there until the context ends.

    Raises:
        RecordingError: A zip is broken, too large, or has something that no run has.
    """
    with ExitStack() as kept:
        yield [_unpack(run, kept) if run.is_file() else run for run in runs]


def _unpack(path: Path, kept: ExitStack) -> Path:
    folder = Path(kept.enter_context(TemporaryDirectory(prefix='bt_executive_run_')))
    try:
        with zipfile.ZipFile(path) as packed:
            run = _write_all(packed, path, folder)
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError, OSError) as error:
        raise RecordingError(f'{str(path)!r} is not a zip of a run: {str(error)[:200]}') from None
    _refuse_extending(run / FOLDER / 'robot.yaml', path)
    return run


def _write_all(packed: zipfile.ZipFile, path: Path, folder: Path) -> Path:
    entries = [each for each in packed.infolist() if not each.is_dir()]
    if len(entries) > MOST_FILES:
        raise RecordingError(f'{str(path)!r} has {len(entries)} files, more than {MOST_FILES}.')
    top, left = _top_of(entries), MOST_BYTES
    run = folder / (re.sub(r'[^\w.-]', '_', top.strip('/'))[:100].lstrip('.') or 'run')
    for entry in entries:
        name = entry.filename.removeprefix(top)
        mode = entry.external_attr >> 16
        special = mode and not stat.S_ISREG(mode) and stat.S_IFMT(mode)
        if special or not _OF_A_RUN.fullmatch(name):
            raise RecordingError(f'{str(path)!r} has {entry.filename!r:.80}, which no run has.')
        target = run.joinpath(*PurePosixPath(name).parts)
        target.parent.mkdir(parents=True, exist_ok=True)
        with packed.open(entry) as source, target.open('xb') as sink:
            left -= _copy(source, sink, left, path)
    return run


def _top_of(entries: Sequence[zipfile.ZipInfo]) -> str:
    """The one folder that all of it is in, with its slash; empty: it is in none."""
    tops = {name.filename.partition('/')[0] for name in entries if '/' in name.filename}
    inside = all('/' in each.filename for each in entries)
    return f'{tops.pop()}/' if inside and len(tops) == 1 else ''


def _copy(source: IO[bytes], sink: IO[bytes], most: int, path: Path) -> int:
    """What is really in it counts, not what its header says."""
    count = 0
    while chunk := source.read(CHUNK):
        count += len(chunk)
        if count > most:
            raise RecordingError(
                f'{str(path)!r} is larger than {MOST_BYTES / 1e9:g} GB when it is unpacked.'
            )
        sink.write(chunk)
    return count


def _refuse_extending(robot: Path, path: Path) -> None:
    """A robot's file that extends another one would read files of this machine."""
    if not robot.is_file():
        return
    try:
        content: Any = read_yaml(robot.read_text(encoding='utf-8-sig'))
    except (yaml.YAMLError, ValueError, OSError, RecursionError):
        return  # then the report says what is wrong with it
    if isinstance(content, dict) and content.get('extends'):
        raise RecordingError(f'{str(path)!r}: its robot.yaml extends a file outside of it.')
