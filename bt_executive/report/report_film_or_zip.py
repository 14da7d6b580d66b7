"""`bt-executive report`, and what a page offers of the same: report, film and the run as a zip."""

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
    """The latest run folder below `runs`.

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


Kind: TypeAlias = Literal['report', 'film', 'run']
SUFFIX: dict[Kind, str] = {'report': '.html', 'film': '.gif', 'run': '.zip'}


def run_report(
    runs: Sequence[Path], kind: Kind, output: Path | None, goes_on: bool = False
) -> Path:
    """Writes a report, a film or a zip of runs, each a folder or a zip; returns where it is.

    Without `output` it is in the folder, or beside the zip, that was named last.
    `goes_on`: whether the run does, so that a goal in it is pursued still.

    Raises:
        RecordingError: A run cannot be read, or the file cannot be written.
    """
    given = runs or [latest_run()]
    if output is None and (given[-1].is_file() or kind == 'run'):
        output = given[-1].with_name(f'{given[-1].name.removesuffix(".zip")}{SUFFIX[kind]}')
    with unpacked(given) as folders:
        if kind == 'run':
            return write_zip(folders[-1], output or folders[-1].with_suffix('.zip'))
        return (write_film if kind == 'film' else write_report)(folders, output, goes_on)


def make_download(run: Path, kind: Kind) -> tuple[str, bytes]:
    """What is downloaded of a run, as it is at this moment, and the name of its file.

    Raises:
        RecordingError: Nothing can be read of it yet.
    """
    name = re.sub(r'[^A-Za-z0-9_.-]', '_', run.resolve().name) or 'run'
    with TemporaryDirectory(prefix='bt_executive_share_') as folder:
        path = run_report([run], kind, Path(folder) / f'{name}{SUFFIX[kind]}', goes_on=True)
        return path.name, path.read_bytes()
