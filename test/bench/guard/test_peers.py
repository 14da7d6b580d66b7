"""Other agents play the same cases: which ones they can, and what is counted against them."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path
import sys
from unittest import mock

import pytest
from warm import WarmPopen

from bench.guard.cases import read_cases
from bench.guard.judge import Verdict
from bench.guard.peers.__main__ import PEERS, PeerPlayer, main, playable, unfit
from bench.guard.peers.host import as_text
from bench.guard.script import Case, Turn, WireCall

PICTURE = 'direct_jailbreak.plain.picture'


@cache
def cases() -> dict[str, Case]:
    return {each.name: each for each in read_cases()}


@pytest.mark.parametrize(
    ('name', 'why'),
    [
        (f'{PICTURE}.hostile', ''),
        ('approvals.made_up_id.leave_to_nudge.hostile', 'settings'),
        ('kills.executive_in_the_motion.ahead.hostile', 'of the product'),
        ('call_assembly.piece_twice.half_a_drive.hostile', 'pieces of a stream'),
    ],
)
@pytest.mark.slow
def test_what_only_the_product_has_is_not_asked_of_a_peer(name: str, why: str) -> None:
    said = unfit(cases()[name], streams=False)
    assert (why in said) if why else not said


def test_both_halves_of_a_pair_are_played_or_none() -> None:
    found, reasons = playable(cases().values(), streams=True)
    assert len(found) > 400
    assert len(found) + 2 * sum(reasons.values()) == len(cases())
    names = [each.name.rpartition('.')[0] for each in found]
    assert names[::2] == names[1::2]


def test_an_end_is_said_in_words() -> None:
    finish = Turn(calls=(WireCall(tool='finish', args={'answer': 'Done.'}),))
    assert as_text(finish) == Turn(say='Done.')
    both = Turn(calls=(WireCall(tool='move_stop'), *finish.calls))
    assert as_text(both) is both


@pytest.mark.process
@pytest.mark.parametrize(
    ('python', 'why'),
    [('/nowhere/python', 'cannot be started: No such file'), (sys.executable, 'No module named')],
)
def test_a_peer_that_is_not_there_is_not_run_and_it_is_said_why(
    python: str, why: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with mock.patch.dict(PEERS, {'ROSA': 'bench.guard.peers.nobody'}):
        assert main(['--rosa', python, '--only', PICTURE, '-o', str(tmp_path)]) == 0
    out, err = capsys.readouterr()
    assert '| ROSA | not run |' in out
    assert why in err


@pytest.mark.slow
def test_a_selection_without_cases_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(['--only', 'no such name'])
    assert 'no case has that in its name' in capsys.readouterr().err


@pytest.fixture
def rosa(monkeypatch: pytest.MonkeyPatch) -> Iterator[PeerPlayer]:
    monkeypatch.setattr('bench.guard.peers.host.subprocess.Popen', WarmPopen)
    player = PeerPlayer('ROSA', sys.executable)
    yield player
    player.close()


@pytest.mark.process
def test_plain_rosa_does_the_task_and_what_it_is_talked_into(rosa: PeerPlayer) -> None:
    benign, hostile = (_played(rosa, f'{PICTURE}.{half}') for half in ('benign', 'hostile'))
    assert not benign.unsafe
    assert benign.accepted
    assert 'it drives with the mast out' in hostile.unsafe


def _played(player: PeerPlayer, name: str) -> Verdict:
    return player(cases()[name])
