"""Runs measurements by name: `python -m bench [--share S] [NAME ...]`; without a name all of them.

Each makes a part of its trials (`bench/_sizes.py`), so that all of them end within an hour on
two idle cores; with a share S (0 to 1) all make that share, with 1 all of their trials, and take
hours. Each figure says of how many trials it is. One that has not ended after --limit, or when
--within is over, is killed, with what it started, and has missed its targets, as one has that was
not begun by then. What its processes log is in a file, whose place is said. What was measured is
kept in bench/results/, one file for each commit, and the table of docs/numbers.md is made of the
newest of each measurement.
"""

from __future__ import annotations

import argparse
from contextlib import suppress
import datetime
import importlib
import json
import math
import multiprocessing
import os
from pathlib import Path
import pkgutil
import signal
import subprocess
import sys
import tempfile
import time
import traceback
from typing import Any

import bench
from bench import _figures, _sizes

RESULTS = Path(__file__).with_name('results')
PAGE = Path(__file__).parents[1] / 'docs' / 'numbers.md'
MET, MISSED, FAILED = 'met', 'missed', 3
MOST_MIN = 24 * 60.0
LAST_LINES = 20  # of the log of a measurement that failed
BEGIN, END = '<!-- figures: made by `make bench` -->', '<!-- end of figures -->'


def names() -> list[str]:
    """Every measurement: a module with a function `run() -> bool` (True: the target is met)."""
    found = pkgutil.iter_modules([str(Path(bench.__file__).parent)])
    return sorted(each.name for each in found if not each.ispkg and each.name[0] != '_')


def main(arguments: list[str]) -> int:
    """Run them and return the exit code: 0 if every target was met.

    A measurement that fails has missed its targets; the others are run all the same.
    """
    parser = argparse.ArgumentParser('bench', description=__doc__)
    parser.add_argument('--share', type=float, help='of the trials of each, 0 to 1')
    parser.add_argument(
        '--limit', type=float, default=60.0, metavar='MIN', help='of each, in minutes'
    )
    parser.add_argument(
        '--within',
        type=float,
        metavar='MIN',
        help=f'all of them, in minutes (default: {_sizes.WITHIN_MIN:g} if neither names nor a '
        'share are given)',
    )
    parser.add_argument('names', nargs='*', metavar='NAME')
    given = parser.parse_args(arguments)
    if given.share is not None and not 0.0 < given.share <= 1.0:
        parser.error(f'--share {given.share:g}: give more than 0 and at most 1')
    if not 0.0 < given.limit <= MOST_MIN:
        parser.error(f'--limit {given.limit:g}: give more than 0 and at most {MOST_MIN:g} minutes')
    if given.within is not None and not 0.0 < given.within <= MOST_MIN:
        parser.error(
            f'--within {given.within:g}: give more than 0 and at most {MOST_MIN:g} minutes'
        )
    wanted: list[str] = given.names
    unknown = [name for name in wanted if name not in names()]
    if unknown:
        print(f'No measurement {unknown[0]!r}; there are: {", ".join(names())}.', file=sys.stderr)
        return 2
    os.environ.setdefault('ROS_AUTOMATIC_DISCOVERY_RANGE', 'LOCALHOST')
    os.environ.setdefault('ROS_DOMAIN_ID', str(1 + os.getpid() % 40))
    missed = []
    began = time.monotonic()
    is_default = not wanted and given.share is None
    within = given.within or (_sizes.WITHIN_MIN if is_default else math.inf)
    ends_at = time.monotonic() + 60.0 * within
    logs = Path(tempfile.mkdtemp(prefix='bench-logs-'))
    print(f'What the processes log is in {logs}')
    for name in wanted or _sizes.in_order(names()):
        share = _sizes.SHARES.get(name, 1.0) if given.share is None else given.share
        os.environ[_figures.SHARE_VARIABLE] = str(share)
        print(f'== {name}', flush=True)
        limit_s = min(60.0 * given.limit, max(ends_at - time.monotonic(), 0.0))
        # A state folder of its own: no goal of the user's, no stop that another one left open.
        with tempfile.TemporaryDirectory() as state:
            os.environ['XDG_STATE_HOME'] = state
            result = _measure(name, Path(state) / 'figures', logs / f'{name}.log', limit_s)
        _keep(name, result)
        if not result['met']:
            missed.append(name)
    print(f'{(time.monotonic() - began) / 60.0:.1f} min')
    print('every target is met' if not missed else f'missed: {", ".join(missed)}')
    return 1 if missed else 0


def _measure(name: str, file: Path, log: Path, limit_s: float) -> dict[str, Any]:
    os.environ[_figures.FILE_VARIABLE] = str(file)
    began = time.monotonic()
    fault = _run(name, log, limit_s)
    if fault not in (MET, MISSED):
        _print_end(log)
        _figures.report(f'ran to its end ({fault})', math.nan, at_least=1)
    figures = _figures.kept(file)
    return {
        'met': fault == MET and all(each.met for each in figures),
        'commit': _commit(),
        'at': datetime.datetime.now(datetime.timezone.utc).isoformat(timespec='seconds'),
        'seconds': round(time.monotonic() - began, 1),
        'figures': [_figures.to_json(each) for each in figures],
    }


def _print_end(log: Path) -> None:
    with suppress(OSError):
        lines = log.read_text('utf-8', 'replace').splitlines()
        print(*lines[-LAST_LINES:], sep='\n', file=sys.stderr)


def _run(name: str, log: Path, limit_s: float) -> str:
    """Run a measurement in a process of its own; MET, MISSED, or why it was ended."""
    if limit_s <= 0.0:
        return 'not begun: no time was left'
    process = multiprocessing.get_context('fork').Process(target=_run_alone, args=(name, log))
    process.start()
    try:
        process.join(limit_s)
    finally:  # an interrupt, too
        late = process.is_alive()
        if late and process.pid is not None:
            with suppress(ProcessLookupError):  # it has no group of its own yet
                os.killpg(process.pid, signal.SIGKILL)
            process.kill()
        process.join()
    if late:
        return f'killed after {limit_s / 60.0:.3g} min'
    code = process.exitcode or 0
    return {0: MET, 1: MISSED, FAILED: 'it failed'}.get(code, f'exit code {code}')


def _run_alone(name: str, log: Path) -> None:
    """Run a measurement as the leader of its own group of processes; does not return.

    What it and its processes write to standard error goes into `log`.
    """
    os.setsid()
    with log.open('wb') as file:
        os.dup2(file.fileno(), sys.stderr.fileno())
    try:
        met = bool(importlib.import_module(f'bench.{name}').run())
    except Exception:  # it ignores this one; the next measurement is another one
        traceback.print_exc()
        sys.exit(FAILED)
    sys.exit(0 if met else 1)


def newest(folder: Path) -> dict[str, Any]:
    """Return the newest result of each measurement, of whichever commit."""
    found: dict[str, Any] = {}
    for path in sorted(folder.glob('*.json')):
        for name, result in json.loads(path.read_text('utf-8')).items():
            if name not in found or result['at'] > found[name]['at']:
                found[name] = result
    return found


def _keep(name: str, result: dict[str, Any]) -> None:
    """Writes it into the file of its commit, and the newest of all into the table."""
    path = RESULTS / f'{result["commit"].rstrip("+")}.json'
    of_commit = json.loads(path.read_text('utf-8')) if path.exists() else {}
    of_commit[name] = result
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps(of_commit, ensure_ascii=False, sort_keys=True, indent=1), 'utf-8')
    write_page()


def write_page() -> None:
    """Make the table of docs/numbers.md of the newest results."""
    before, _, rest = PAGE.read_text('utf-8').partition(BEGIN)
    _, _, after = rest.partition(END)
    rows = '\n'.join(_figures.table(newest(RESULTS)))
    PAGE.write_text(f'{before}{BEGIN}\n{rows}\n{END}{after}', 'utf-8')


def _commit() -> str:
    """The short name of the commit that is measured, with a + if the tree differs from it."""
    output = subprocess.run(
        ['git', 'describe', '--always', '--dirty=+', '--abbrev=8'],
        cwd=PAGE.parent,
        capture_output=True,
        text=True,
        check=False,
    )
    return output.stdout.strip() or 'unknown'


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
