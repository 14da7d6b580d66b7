"""A recorded run of the real tree: a refusal, the mast, a drive, a request for approval."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
import shutil
from typing import Any

import pytest
from recorded_run import RecordedRun
from tree_bench import MakeBench, Propose

from bt_executive.cli import main
from bt_executive.core.executive_ports import Answer
from bt_executive.store.journal_location import RUN_JOURNAL

Command = Callable[..., tuple[int, str, str]]


class MastRun(RecordedRun):
    """The mast is closed by the request."""

    def _reply(self, name: str, left: Iterator[float]) -> dict[str, Any]:
        if name == '/adapter/mast_close':
            self.bench.facts |= {'mast_is_open': False, 'mast': 'closed'}
        return super()._reply(name, left)


@pytest.fixture(scope='session')
def recorded(bench: MakeBench, propose: Propose, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """As the executive's node leaves it behind."""
    folder = tmp_path_factory.mktemp('runs') / 'run'
    it = bench(
        propose('capture_and_score'),
        propose('move_nudge'),
        propose('mast_close'),
        propose('move_forward', duration_s=2.0),
        propose('capture_and_score'),
        Answer('Bright sand.'),
    )
    run = MastRun(folder, it, versions={'bt_executive': '0.0.1'})
    it.goal('look')
    run.until_ended([0.2, 0.9])
    it.executive.shut_down()
    run.close()
    return folder


@pytest.fixture
def copy(recorded: Path, tmp_path: Path) -> Path:
    """The same run without its journal, as somebody else gets it; to be damaged."""
    left = shutil.ignore_patterns(f'{RUN_JOURNAL}*')
    return Path(shutil.copytree(recorded, tmp_path / 'run', ignore=left))


@pytest.fixture
def command(capsys: pytest.CaptureFixture[str]) -> Command:
    """Types `bt-executive replay …`; returns the exit code, what was printed, and the errors."""

    def run(*arguments: Any) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as ended:
            main(['replay', *map(str, arguments)])
        printed = capsys.readouterr()
        assert 'Traceback' not in printed.err
        return int(ended.value.code or 0), printed.out, printed.err

    return run
