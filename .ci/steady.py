"""Runs the suite again and again, every other time beside a process that keeps a core busy.

    make steady                          20 runs, 10 of them beside the busy process
    make steady ARGS='--runs 4 --first 9'     goes on after eight runs, with other examples
    make steady ARGS='--pauses'          in each run processes are suspended: .ci/pauses.py
    make steady ARGS='test/adapter'      what else is given goes to pytest

Hypothesis draws more examples than in `make test`, and other ones in each run. Output of each run:
build/steady/. Exit code 0 if all runs passed.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
import os
from pathlib import Path
import subprocess
import sys
import time
from xml.etree import ElementTree

FOLDER = Path('build', 'steady')
BUSY = 'one core busy'
MACHINES = (BUSY, 'as it is')
# It ends with whoever has started it, who may be killed.
KEEP_BUSY = 'import os, sys\nwhile os.getppid() == int(sys.argv[1]): pass'
WIDTHS = '{:>4}  {:14} {:>7} {:>7} {:>8} {:>8}'


@dataclass(frozen=True)
class Outcome:
    """One run."""

    code: int
    seconds: float
    passed: int
    skipped: int
    failed: tuple[str, ...]


def main() -> int:
    """Runs them all, prints a row for each and which tests failed; returns the exit code."""
    parser = argparse.ArgumentParser(description='Runs the suite again and again.')
    parser.add_argument('--runs', type=int, default=20, help='how many runs (default: 20)')
    parser.add_argument('--first', type=int, default=1, help='number of the first (default: 1)')
    parser.add_argument('--jobs', type=int, default=7, help='processes of pytest (default: 7)')
    parser.add_argument('--pauses', action='store_true', help='suspend processes of the suite')
    options, arguments = parser.parse_known_args()
    FOLDER.mkdir(parents=True, exist_ok=True)
    print(WIDTHS.format('run', 'machine', 'passed', 'failed', 'skipped', 'time'), flush=True)
    outcomes = []
    for number in range(options.first, options.first + options.runs):
        machine = 'pauses' if options.pauses else MACHINES[number % 2]
        with busy_core(machine == BUSY):
            outcomes.append(run(number, options.jobs, machine == 'pauses', arguments))
        print(row(number, machine, outcomes[-1]), flush=True)
    failures = Counter(name for each in outcomes for name in each.failed)
    for name, count in failures.most_common():
        print(f'failed in {count} of {options.runs}: {name}')
    good = sum(each.code == 0 for each in outcomes)
    print(f'{good} of {options.runs} runs passed.')
    return 0 if good == options.runs else 1


def run(number: int, jobs: int, pauses: bool, arguments: list[str]) -> Outcome:
    """Runs the suite once."""
    report, output = FOLDER / f'run-{number}.xml', FOLDER / f'run-{number}.txt'
    report.unlink(missing_ok=True)
    command = [
        *(sys.executable, '-m', 'pytest', '--quiet', '--forks', str(jobs)),
        *('--hypothesis-profile', 'thorough'),
        *('--hypothesis-seed', str(number), '--junit-xml', str(report), *arguments),
    ]
    began = time.monotonic()
    with output.open('wb') as file:
        process = subprocess.Popen(command, stdout=file, stderr=file)
        if pauses:
            shaking = (sys.executable, '.ci/pauses.py', str(process.pid), str(number))
            subprocess.run(shaking, stdout=file, stderr=file, check=False)
        code = process.wait()
    return read(report, code, time.monotonic() - began)


def read(report: Path, code: int, seconds: float) -> Outcome:
    """What pytest has reported; a run that ended without a report has none."""
    if not report.exists():
        return Outcome(code or 1, seconds, 0, 0, ('no report: see the output',))
    cases = list(ElementTree.parse(report).iter('testcase'))
    failed = [each for each in cases if ended(each, 'failure') or ended(each, 'error')]
    skipped = sum(ended(each, 'skipped') for each in cases)
    names = tuple(f'{each.get("classname")}::{each.get("name")}' for each in failed)
    return Outcome(code, seconds, len(cases) - len(failed) - skipped, skipped, names)


def ended(case: ElementTree.Element, how: str) -> bool:
    """Whether a test ended so."""
    return case.find(how) is not None


def row(number: int, machine: str, outcome: Outcome) -> str:
    """One line of the table."""
    minutes, seconds = divmod(round(outcome.seconds), 60)
    return WIDTHS.format(
        *(number, machine, outcome.passed),
        *(len(outcome.failed), outcome.skipped, f'{minutes}:{seconds:02}'),
    )


@contextmanager
def busy_core(wanted: bool) -> Iterator[None]:
    """Keeps one core busy until the end of the block."""
    if not wanted:
        yield
        return
    process = subprocess.Popen([sys.executable, '-c', KEEP_BUSY, str(os.getpid())])
    try:
        yield
    finally:
        process.kill()
        process.wait()


if __name__ == '__main__':
    sys.exit(main())
