"""Packs a run folder into a zip, and unpacks a zip into a run folder.

A zip may be untrusted: only files with the names of a run are written, inside a separate folder,
up to a limit of bytes.
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

from bt_executive.store.inputs_from_journal_or_export import export_inputs
from bt_executive.store.run_configuration_and_metadata import FOLDER
from bt_executive.store.run_file_lines_and_damage import find_trace
from rover_common.config.yaml_text import read_yaml
from rover_common.errors import RecordingError

MAX_FILES = 3000
MAX_BYTES = 1_000_000_000  # unpacked, over all files
CHUNK = 1 << 20
_RUN_FILE = re.compile(
    r'(?:[a-z_]{1,40}\.jsonl?|(?:first|last)\.jpg|pictures/[\w.-]{1,100}\.jpe?g'
    r'|logs/[\w.-]{1,100}\.log|config/(?:worlds/)?[\w-]{1,100}\.yaml)',
    re.ASCII,
)


def write_zip(run: Path, output: Path) -> Path:
    """Packs the files that a report reads; returns the path of the zip, which is new or intact.

    Raises:
        RecordingError: It is not a run folder, or the zip cannot be written.
    """
    find_trace(run)
    with suppress(RecordingError, OSError):  # an earlier export, if there is one, is packed then
        export_inputs(run)
    new = output.with_name(f'{output.name}.new')
    try:
        with zipfile.ZipFile(
            new, 'w', zipfile.ZIP_DEFLATED, strict_timestamps=False
        ) as packed:  # a robot whose clock was not set writes files of 1970
            for path in sorted(run.rglob('*')):
                name = path.relative_to(run).as_posix()
                if path.is_file() and not path.is_symlink() and _RUN_FILE.fullmatch(name):
                    packed.write(path, f'{run.resolve().name}/{name}')
        new.replace(output)
    except OSError as error:
        with suppress(OSError):
            new.unlink()
        raise RecordingError(f'{output} cannot be written ({error.strerror}).') from None
    return output


@contextmanager
def unpacked(runs: Sequence[Path]) -> Iterator[list[Path]]:
    """Yield the run folders; those of zips exist until the context ends.

    Raises:
        RecordingError: A zip is damaged, too large, or has a file that is not of a run.
    """
    with ExitStack() as kept:
        yield [_unpack(run, kept) if run.is_file() else run for run in runs]


def _unpack(path: Path, kept: ExitStack) -> Path:
    folder = Path(kept.enter_context(TemporaryDirectory(prefix='bt_executive_run_')))
    try:
        with zipfile.ZipFile(path) as packed:
            run = _write_all(packed, path, folder)
    except RecordingError:
        raise
    except Exception as error:  # `zipfile` and its decoders raise many kinds for damaged bytes
        raise RecordingError(
            f'{str(path)!r} is not a zip of a run ({str(error)[:200]}): name a run folder, or a '
            'file that `bt-executive report RUN --zip` has written.'
        ) from None
    _refuse_extending(run / FOLDER / 'robot.yaml', path)
    return run


def _write_all(packed: zipfile.ZipFile, path: Path, folder: Path) -> Path:
    entries = [each for each in packed.infolist() if not each.is_dir()]
    if len(entries) > MAX_FILES:
        raise RecordingError(f'{str(path)!r} has {len(entries)} files, more than {MAX_FILES}.')
    top, left = _top_of(entries), MAX_BYTES
    run = folder / (re.sub(r'[^\w.-]', '_', top.strip('/'))[:100].lstrip('.') or 'run')
    for entry in entries:
        name = entry.filename.removeprefix(top)
        mode = entry.external_attr >> 16
        special = mode and not stat.S_ISREG(mode) and stat.S_IFMT(mode)
        if special or not _RUN_FILE.fullmatch(name):
            raise RecordingError(f'{str(path)!r} has {entry.filename!r:.80}, which no run has.')
        target = run.joinpath(*PurePosixPath(name).parts)
        target.parent.mkdir(parents=True, exist_ok=True)
        with packed.open(entry) as source, target.open('xb') as sink:
            left -= _copy(source, sink, left, path)
    return run


def _top_of(entries: Sequence[zipfile.ZipInfo]) -> str:
    """Return the common folder of all entries with its slash; empty: there is none."""
    tops = {name.filename.partition('/')[0] for name in entries if '/' in name.filename}
    inside = all('/' in each.filename for each in entries)
    return f'{tops.pop()}/' if inside and len(tops) == 1 else ''


def _copy(source: IO[bytes], sink: IO[bytes], most: int, path: Path) -> int:
    """Copy, and count the bytes: the size in the header is not trusted."""
    count = 0
    while chunk := source.read(CHUNK):
        count += len(chunk)
        if count > most:
            raise RecordingError(
                f'{str(path)!r} is larger than {MAX_BYTES / 1e9:g} GB when it is unpacked.'
            )
        sink.write(chunk)
    return count


def _refuse_extending(robot: Path, path: Path) -> None:
    """Refuse a robot file that extends another one: it would read files of this machine."""
    if not robot.is_file():
        return
    try:
        content: Any = read_yaml(robot.read_text(encoding='utf-8-sig'))
    except (yaml.YAMLError, ValueError, OSError, RecursionError):
        return  # then the report says what is wrong with it
    if isinstance(content, dict) and content.get('extends'):
        raise RecordingError(f'{str(path)!r}: its robot.yaml extends a file outside of it.')
