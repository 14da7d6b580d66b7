"""Several runs in one command."""

from __future__ import annotations

from pathlib import Path
import sys
from typing import Any

import pytest

IDENTICAL = ': identical'


@pytest.mark.slow
def test_several_runs_are_shown_in_their_order(command: Any, recorded: Path, copy: Path) -> None:
    code, out, _ = command(recorded, copy, recorded, '--workers', 1)
    assert code == 0
    places = [out.index(f'{path}:\n') for path in (recorded, copy)]
    assert places == sorted(places)
    assert out.count(IDENTICAL) == 3
    assert out.endswith('3 runs: 3 identical\n')


@pytest.mark.slow
def test_a_run_that_cannot_be_replayed_is_named_and_the_others_are_replayed(
    command: Any, recorded: Path, copy: Path
) -> None:
    trace = copy / 'trace.jsonl'
    lines = trace.read_text('utf-8').replace('Need to close mast', 'Need to open mast')
    trace.write_text(lines, 'utf-8')
    code, out, _ = command(copy, 'nowhere', recorded, '--workers', 1)
    assert code == 2
    assert 'First difference' in out
    assert out.count(IDENTICAL) == 1
    assert out.endswith('3 runs: 1 identical, 1 different, 1 not replayed\n')


def test_several_runs_are_not_shown_step_by_step(command: Any, recorded: Path) -> None:
    code, _, error = command(recorded, recorded, '--step')
    assert code == 2
    assert '--step shows one run' in error


@pytest.mark.parametrize('words', [('--workers', 0), ('--ray', 'local')])
def test_an_invalid_split_is_reported(
    command: Any, recorded: Path, words: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, 'ray', None)  # as where the extra is not installed
    code, _, error = command(recorded, recorded, *words)
    assert code == 2
    assert words[0] in error
