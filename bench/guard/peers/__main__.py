"""`python -m bench.guard.peers`: the same cases with other agents in the executive's place.

Each peer runs in an environment of its own, which the options name; one that is not named is not
run, and the table says so. A pair is played by a peer if both of its halves make sense without
what only the product has; the product's own figures are of the same pairs.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import groupby
from pathlib import Path
import sys

from bench.guard.cases import read_cases
from bench.guard.judge import Verdict, judge
from bench.guard.kept import Kept
from bench.guard.peers.host import CLAIM, GIVES_UP, Peer, PeerError, PeerHost, PeerStage
from bench.guard.peers.robot_tools import TOOLS
from bench.guard.run import Player, quiet
from bench.guard.script import Case
from bench.guard.statistics import summary

PEERS = {
    'ROSA': 'bench.guard.peers.rosa_peer',
    'RAI': 'bench.guard.peers.rai_peer',
    'ros-mcp': 'bench.guard.peers.ros_mcp_peer',
}
STREAMS = ('ROSA',)
EVENTS = frozenset(
    {
        *('service', 'cmd_vel', 'zones', 'lean', 'charge', 'jump', 'odometry', 'clock'),
        *('late', 'lost', 'absent', 'silent', 'heard'),
    }
)
SHOWN = (
    *('unsafe actuations, hostile', 'unsafe actuations, benign'),
    *('false claims, hostile', 'benign accepted'),
)


def unfit(case: Case, streams: bool) -> str:
    """Return why a peer cannot play a case; empty: it can."""
    happens = {name for event in case.events for name in event.model_fields_set - {'when'}}
    named = {call.tool for turn in case.turns for call in turn.calls}
    questions = (
        ('begins below the wire', case.level != 'wire'),
        ('a tool by hand, or an end that is measured', bool(case.tool or case.done_when)),
        ('navigation, memory or the graph', case.world.navigates or bool(case.world.graph)),
        ('settings of the product: approvals, budgets', bool(case.world.settings)),
        ('memory', bool(case.world.remembered or case.world.services)),
        ('what happens is of the product', not happens <= EVENTS),
        ('tools that only the product has', not (case.hostile or named <= ROBOT)),
        ('pieces of a stream', not streams and any(t.deltas or t.late for t in case.turns)),
    )
    return next((why for why, holds in questions if holds), '')


ROBOT = {*TOOLS, CLAIM, GIVES_UP}


def playable(cases: Iterable[Case], streams: bool) -> tuple[list[Case], Counter[str]]:
    """Return both halves of the pairs that can be played, and why the others cannot."""
    found: list[Case] = []
    reasons: Counter[str] = Counter()
    for _, halves in groupby(cases, lambda case: case.name.rpartition('.')[0]):
        pair = list(halves)
        why = next(filter(None, (unfit(each, streams) for each in pair)), '')
        reasons[why] += bool(why)
        found += [] if why else pair
    return found, +reasons


class PeerPlayer:
    """Plays cases with one peer, whose process is begun anew where a case leaves it at work."""

    def __init__(self, name: str, python: str) -> None:
        self._name, self._python = name, python
        self._peer: Peer | None = None

    def __call__(self, case: Case) -> Verdict:
        """Play and judge a case."""
        if self._peer is None:
            self._peer = Peer(self._python, PEERS[self._name])
        stage = PeerStage(case, self._peer)
        with quiet():
            verdict = judge(stage.play())
        assert isinstance(stage.host, PeerHost)
        if not stage.host.is_done:
            self.close()
        return verdict

    def close(self) -> None:
        """End the process."""
        if self._peer is not None:
            self._peer.close()
        self._peer = None


def main(arguments: Sequence[str]) -> int:
    """Plays, and prints a table in Markdown."""
    parser = argparse.ArgumentParser('bench.guard.peers', description=__doc__)
    for name in PEERS:
        parser.add_argument(f'--{name.lower()}', metavar='PYTHON', help=f'has {name} installed')
    parser.add_argument('--only', default='', metavar='TEXT', help='cases whose name has this')
    parser.add_argument('--every', type=int, default=1, metavar='N', help='each Nth pair')
    parser.add_argument('-o', '--output', type=Path, default=Path('guard-bench'), metavar='DIR')
    given = parser.parse_args(arguments)
    if given.every < 1:
        parser.error(f'--every {given.every}: a number from 1')
    given.output.mkdir(parents=True, exist_ok=True)
    cases = [case for case in read_cases() if given.only in case.name]
    if not cases:
        parser.error(f'--only {given.only}: no case has that in its name')
    cases = [case for at, case in enumerate(cases) if at // 2 % given.every == 0]
    lines = ['| | pairs | ' + ' | '.join(SHOWN) + ' |', '|---' * (len(SHOWN) + 2) + '|']
    for name in PEERS:
        python = vars(given)[name.lower().replace('-', '_')]
        if python is None:
            lines.append(_not_run(name))
            continue
        fit, reasons = playable(cases, name in STREAMS)
        player = PeerPlayer(name, python)
        file = given.output / 'peers.jsonl'
        try:
            kept = Kept[Case, Verdict](file, Verdict, lambda c, n=name: n + c.model_dump_json())  # type: ignore[misc]
            lines.append(_row(name, kept.spread(player, fit)))
        except PeerError as error:
            print(f'{name} is not run: {error}', file=sys.stderr)
            lines.append(_not_run(name))
            continue
        finally:
            player.close()
        kept = Kept[Case, Verdict](file, Verdict, lambda case: case.model_dump_json())
        lines.append(_row(f'bt_executive, the pairs of {name}', kept.spread(Player(), fit)))
        left_out = '; '.join(f'{count}: {why}' for why, count in reasons.most_common())
        print(f'{name} does not play {sum(reasons.values())} pairs: {left_out}')
    text = '\n'.join(lines)
    (given.output / 'peers.md').write_text(text + '\n', 'utf-8')
    print(text)
    return 0


def _not_run(name: str) -> str:
    return f'| {name} | not run |' + ' |' * len(SHOWN)


def _row(name: str, verdicts: Sequence[Verdict]) -> str:
    figures = summary(verdicts)
    return (
        f'| {name} | {len(verdicts) // 2} | ' + ' | '.join(str(figures[n]) for n in SHOWN) + ' |'
    )


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
