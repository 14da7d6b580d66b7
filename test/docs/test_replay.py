"""The examples of docs/replay.md, tried on a run with the demo's proposals."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
import re
import shlex

from demo_story import record_demo
from papers import Block, blocks
import pytest

from bt_executive.cli import main

PAGE = 'docs/replay.md:'
RUN = 'runs/20260101-120000'
MOMENT = re.compile(r'\d+(?:\.\d+)?')
MINE = [block for block in blocks() if block.place.startswith(PAGE)]
EXAMPLES = [
    (command, shown)
    for command, shown in pairwise(MINE)
    if command.kind == 'sh' and '--what-if' in command.text and shown.kind == 'text'
]


@pytest.fixture(scope='module')
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return record_demo(tmp_path_factory.mktemp('runs') / 'demo')


def test_there_are_three() -> None:
    assert len(EXAMPLES) == 3


@pytest.mark.slow
@pytest.mark.parametrize(('command', 'shown'), EXAMPLES, ids=lambda block: block.place)
def test_an_example_prints_what_the_page_shows(
    folder: Path, capsys: pytest.CaptureFixture[str], command: Block, shown: Block
) -> None:
    (_, replay, run, *options) = shlex.split(command.text)
    assert (replay, run) == ('replay', RUN)
    with pytest.raises(SystemExit) as ended:
        main(['replay', str(folder), *options])
    assert ended.value.code == 1
    printed = _rows(capsys.readouterr().out)
    wanted = _rows(shown.text)
    assert [row for row in printed if row in wanted] == wanted


@pytest.mark.slow
def test_a_run_with_the_demos_proposals_is_replayed_identically(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(['replay', str(folder)])
    assert ended.value.code == 0
    assert '13 decisions: identical' in capsys.readouterr().out


def _rows(text: str) -> list[str]:
    """Each line without ticks, times and lengths, which are those of one run."""
    return [' '.join(MOMENT.sub('#', line).split()) for line in text.splitlines() if line.strip()]
