"""`bt-executive report`, and the downloads of a page: report, film, and the run as a zip."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
import re
from tempfile import TemporaryDirectory
from typing import Literal, TypeAlias

from bt_executive.report.film import write_film
from bt_executive.report.report_html import write_report
from bt_executive.report.run_zip import unpacked, write_zip
from bt_executive.store.run_folder_formats import TRACE_FILE
from rover_common.errors import RecordingError

RUNS = Path('runs')


def latest_run(runs: Path = RUNS) -> Path:
    """Return the latest run folder below `runs`.

    Raises:
        RecordingError: There is none.
    """
    traces = [*runs.glob(f'*/{TRACE_FILE}')]
    if not traces:
        raise RecordingError(
            f'There is no run in {str(runs)!r}: name a run folder, or start one with '
            '`bt-executive demo`.'
        )
    return max(traces, key=lambda trace: trace.stat().st_mtime).parent


ReportKind: TypeAlias = Literal['report', 'film', 'run']
SUFFIX: dict[ReportKind, str] = {'report': '.html', 'film': '.gif', 'run': '.zip'}


def run_report(
    runs: Sequence[Path], kind: ReportKind, output: Path | None, in_progress: bool = False
) -> Path:
    """Writes a report, a film or a zip of runs, each a folder or a zip; returns its path.

    Without `output` it is in the last of the folders, or beside the last zip.
    `in_progress`: whether the run continues, so that its goal may be active.

    Raises:
        RecordingError: A run cannot be read, or the file cannot be written.
    """
    inputs = runs or [latest_run()]
    if output is None and (inputs[-1].is_file() or kind == 'run'):
        last = inputs[-1] if inputs[-1].name.strip('.') else inputs[-1].resolve()  # `.` or `..`
        output = last.parent / f'{last.name.removesuffix(".zip")}{SUFFIX[kind]}'
    with unpacked(inputs) as folders:
        if kind == 'run':
            return write_zip(folders[-1], output or folders[-1].with_suffix('.zip'))
        return (write_film if kind == 'film' else write_report)(folders, output, in_progress)


def make_download(run: Path, kind: ReportKind) -> tuple[str, bytes]:
    """Make a download of a run in progress; return file name and bytes.

    Raises:
        RecordingError: It cannot be read yet.
    """
    name = re.sub(r'[^A-Za-z0-9_.-]', '_', run.resolve().name) or 'run'
    with TemporaryDirectory(prefix='bt_executive_share_') as folder:
        path = run_report([run], kind, Path(folder) / f'{name}{SUFFIX[kind]}', in_progress=True)
        return path.name, path.read_bytes()
