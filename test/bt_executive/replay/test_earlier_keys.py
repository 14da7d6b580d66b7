"""A run of a version that lacked a key of the configuration is replayed as it was."""

from __future__ import annotations

import json
from pathlib import Path
import shutil
from typing import Any

import pytest
from recorded_run import RecordedRun
from tree_bench import MakeBench, Propose

from bt_executive.core.executive_ports import Answer
from bt_executive.replay.recorded_run import EARLIER_KEYS
from bt_executive.store.journal_location import RUN_JOURNAL
from bt_executive.store.run_configuration_and_metadata import saved_digest

KEY = 'adapter_status_moving_max_age_s'


@pytest.fixture
def earlier(bench: MakeBench, propose: Propose, tmp_path: Path) -> Path:
    """A drive in which the adapter was silent for 1.2 s, by a version without the key."""
    overrides = [f'guards.{KEY}=1.5']
    it = bench(propose('move_forward', duration_s=3.0), Answer('Done.'), overrides=overrides)
    run = RecordedRun(tmp_path / 'run', it, overrides=overrides)
    it.status(mast_is_open=False, mast='closed')
    it.goal('drive')
    while not it.context.permits.given:
        it.status()
        run.tick()
    it.robot.answer('/adapter/move_forward', success=True, message='')
    run.tick(11)
    assert it.context.permits.given
    run.until_ended()
    run.close()
    left = shutil.ignore_patterns(f'{RUN_JOURNAL}*')
    folder = Path(shutil.copytree(tmp_path / 'run', tmp_path / 'earlier', ignore=left))
    settings, inputs = folder / 'config' / 'executive.yaml', folder / 'inbox.jsonl'
    rows = settings.read_text(encoding='utf-8').splitlines(keepends=True)
    settings.write_text(''.join(row for row in rows if KEY not in row), encoding='utf-8')
    header, *others = inputs.read_text(encoding='utf-8').splitlines(keepends=True)
    begun = json.loads(header) | {'configuration': saved_digest(folder)}
    inputs.write_text(''.join([json.dumps(begun) + '\n', *others]), encoding='utf-8')
    return folder


@pytest.mark.slow
def test_what_it_lacks_is_as_it_was(command: Any, earlier: Path) -> None:
    assert KEY in EARLIER_KEYS
    assert command(earlier)[0] == 0
    assert command(earlier, '--set', 'guards.pose_max_age_s=2.5')[0] == 0


@pytest.mark.slow
def test_what_is_set_is_what_counts(command: Any, earlier: Path) -> None:
    code, out, _ = command(earlier, '--set', f'guards.{KEY}=0.5')
    assert (code, 'First difference' in out) == (1, True)
