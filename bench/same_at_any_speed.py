"""Whether a goal goes the same way however fast simulated time passes, and how far a nudge goes.

The whole system with its camera, as a user starts it: for each speed the demo, whose tools and
their results must be those of real time, and a few nudges, whose ways are measured by the
pose before and after; so there no tool begins before a pose is known.
"""

from __future__ import annotations

from collections.abc import Iterator
import itertools
import json
import math
import os
from pathlib import Path
import statistics
import subprocess
import sys
import tempfile
from typing import Any

from bench._figures import report, trials
from bt_executive.store.run_file_lines_and_damage import read_lines
from bt_executive.store.run_folder_formats import INBOX, TRACE

SPEEDS = (1.0, 20.0, 4.0, 0.5, 10.0)[: trials(5)]  # the first is what the others are compared with
NUDGES = 4
NUDGE_M = 2.426  # 5 s at 2 rad/s of wheels of 0.2426 m radius
TOLERANCE = 0.15  # of a nudge, at 20 times real time: 0.75 s of its time, 37 ms of ours
SCORE_TOLERANCE = 0.15  # the light rises by 0.2 per m
LIMIT_S = 300.0
_domains = itertools.count(int(os.environ.get('ROS_DOMAIN_ID', '1')))


def run() -> bool:
    """Prints a row per speed."""
    print(f'speed  demo           score  nudges in m (closed form {NUDGE_M:.2f})')
    with tempfile.TemporaryDirectory() as folder:
        expected: list[Any] = []
        score = 0.0
        met = True
        for speed in SPEEDS:
            steps, summary = _demo(Path(folder, f'demo-{speed:g}'), speed)
            nudges = list(_nudges(Path(folder, f'nudges-{speed:g}'), speed))
            if not expected:
                expected, score = steps, summary['last_score']
            same = bool(steps) and steps == expected
            met &= report(f'{speed:g}×: the same tools and results', same, at_least=1)
            off = abs(summary['last_score'] - score)
            met &= report(f'{speed:g}×: score off by', off, at_most=SCORE_TOLERANCE)
            worst = max(abs(each / NUDGE_M - 1.0) for each in nudges)
            met &= report(
                f'{speed:g}×: nudge off by', worst * 100.0, '%', at_most=TOLERANCE * 100.0
            )
            _print(speed, same, len(steps), summary['last_score'], nudges)
            if not same:
                print(*_differences(expected, steps), sep='\n')
    print('Same tools and results at every speed:', *_described(expected), sep='\n  ')
    return met


def _print(speed: float, same: bool, steps: int, score: float, nudges: list[float]) -> None:
    verdict = f'{"same" if same else "OTHER"}, {steps} events'
    mean, spread = statistics.mean(nudges), max(nudges) - min(nudges)
    ways = ' '.join(f'{each:.3f}' for each in nudges)
    print(f'{speed:4g}x  {verdict:15}{score:.2f}  {ways}  mean {mean:.3f} spread {spread:.3f}')


def _demo(folder: Path, speed: float) -> tuple[list[Any], dict[str, Any]]:
    """What was decided and how it ended, in order; and the goal's summary."""
    _start('demo', folder, speed)
    steps = [
        (event['kind'], event['tool_name'], event.get('ok'), event.get('error_reason'))
        for event in _entries(folder, TRACE)
        if event['kind'] in ('DECIDE', 'RESULT', 'ERROR') and event.get('tool_name')
    ]
    return steps, json.loads((folder / 'summary.json').read_text(encoding='utf-8'))


def _nudges(folder: Path, speed: float) -> Iterator[float]:
    """How far each nudge went, by the poses at rest that the executive has seen.

    Raises:
        RuntimeError: Not all of them began.
    """
    lines = '\n'.join([':mast_close', ':nudge'] * NUDGES + [':mast_close'])
    _start('up', folder, speed, lines, 'safety.required=[tf]')
    events = _entries(folder, TRACE)
    begun = [
        event['ts']
        for event in events
        if event['kind'] == 'ACT' and event.get('tool_name') == 'move_nudge'
    ]
    if len(begun) != NUDGES:
        reasons = {event['error_reason'] for event in events if event.get('error_reason')}
        raise RuntimeError(
            f'{len(begun)} of {NUDGES} nudges began at {speed:g}x: {"; ".join(sorted(reasons))}'
        )
    poses = [each for each in _entries(folder, INBOX) if each['event'] == 'PoseSeen']
    rests = [
        [pose['fields']['x'] for pose in poses if pose['ts'] <= until][-1]
        for until in (*begun, math.inf)
    ]
    return (after - before for before, after in itertools.pairwise(rests))


def _start(command: str, folder: Path, speed: float, lines: str = '', *more: str) -> None:
    settings = ('use_sim_time=true', f'rover.speed_factor={speed:g}', *more)
    options = [verdict for each in settings for verdict in ('--set', each)]
    subprocess.run(
        [sys.executable, '-m', 'bt_executive', command, '--run-dir', str(folder), *options],
        input=lines.encode(),
        stdout=subprocess.DEVNULL,
        env={**os.environ, 'ROS_DOMAIN_ID': str(next(_domains))},
        timeout=LIMIT_S,
        check=False,
    )


def _entries(folder: Path, name: str) -> list[dict[str, Any]]:
    path = folder / f'{name.rpartition(".")[2]}.jsonl'
    return [entry for process in read_lines(path, name).processes for entry in process.entries]


def _described(steps: list[Any]) -> list[str]:
    return [f'{kind} {tool}: {"ok" if ok else reason}' for kind, tool, ok, reason in steps]


def _differences(expected: list[Any], found: list[Any]) -> Iterator[str]:
    for wanted, got in itertools.zip_longest(_described(expected), _described(found)):
        if wanted != got:
            yield f'       at 1x {wanted}; here {got}'


if __name__ == '__main__':
    sys.exit(not run())
