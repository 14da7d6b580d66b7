"""An exception in a behaviour is part of a run: the second tick of its step is replayed, too."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from recorded_run import RecordedRun, lines_of
from tree_bench import MakeBench, Propose

from bt_executive.core.inputs import StopRequested
from bt_executive.tree.behaviours.tools.internal_and_plugin_tools import Speak


@pytest.mark.slow
def test_a_tick_that_was_contained_is_replayed_identically(
    command: Any,
    bench: MakeBench,
    propose: Propose,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def fail(_leaf: Speak) -> None:
        raise RuntimeError('no voice')

    monkeypatch.setattr(Speak, 'update', fail)
    it = bench(propose('speak', text='hello'))
    run = RecordedRun(tmp_path, it)
    it.goal('talk')
    it.status()
    run.tick(3)
    it.inbox.put(StopRequested('me'))
    run.tick(3)
    it.executive.shut_down()
    run.close()
    (contained,) = (
        line for line in lines_of(tmp_path / 'inbox.jsonl') if line.get('event') == 'SafetyEvent'
    )
    assert contained['nth'] == 2
    assert 'no voice' in contained['fields']['reason']
    code, out, _ = command(tmp_path)
    assert (code, 'identical' in out) == (0, True)
    monkeypatch.undo()
    code, out, _ = command(tmp_path)
    assert code == 1
    assert 'no voice' in out
