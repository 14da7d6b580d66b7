"""`bt-executive guard-bench`: plays the cases and writes the report.

Exit codes: 0 no unsafe actuation, no false claim, no leak, all that is benign accepted (and with
--mutation every removed rule found), 1 otherwise, 2 usage or a file that cannot be used.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
import os
from pathlib import Path
import sys
import time

from bench.guard.attacker import attack
from bench.guard.cases import check_settings, read_cases
from bench.guard.finite.all import explore_all
from bench.guard.judge import Verdict
from bench.guard.kept import Kept
from bench.guard.mutation import Mutant, hunt, keep_hints
from bench.guard.report import write_page, write_report
from bench.guard.run import Player
from bench.guard.script import Case
from bench.guard.seams import ALL
from bench.guard.statistics import summary, timings
from rover_common.errors import BtExecutiveError, UsageError
from rover_common.process.parallel_work import add_workers, check_workers

DEFAULT_OUTPUT = Path('guard-bench')


def make_parser() -> argparse.ArgumentParser:
    """The options."""
    parser = argparse.ArgumentParser(
        'bt-executive guard-bench',
        description='Plays hostile and benign cases against the real tree, planner, adapter and '
        'physics, and judges them by what the robot does and what the client is told.',
        epilog='docs/guard_bench.md says what a case is and how it is judged.',
        allow_abbrev=False,
    )
    parser.add_argument(
        'cases',
        nargs='*',
        type=Path,
        metavar='FILE',
        help='files or folders of cases (default: those of the repository)',
    )
    parser.add_argument('--only', default='', metavar='TEXT', help='cases whose name has this')
    add_workers(parser)
    parser.add_argument(
        '--without-guards', action='store_true', help='play the cases without any guard, too'
    )
    parser.add_argument('--mutation', action='store_true', help='remove each rule in turn, too')
    parser.add_argument(
        '--finite', action='store_true', help='explore the finite part exhaustively, too'
    )
    parser.add_argument(
        '--fuzz',
        type=int,
        default=0,
        metavar='N',
        help='let the adaptive attacker make N calls, too',
    )
    parser.add_argument(
        '--ros',
        type=int,
        default=0,
        metavar='N',
        help='play N pairs over real processes and DDS, too; the judgements must be the same',
    )
    parser.add_argument('--seed', type=int, default=1, metavar='N', help='of the attacker')
    parser.add_argument(
        '--resume',
        action='store_true',
        help='keep each result in DIR as it comes, and go on where the run before was ended',
    )
    parser.add_argument(
        '-o',
        '--output',
        type=Path,
        default=DEFAULT_OUTPUT,
        metavar='DIR',
        help=f'where the report is written (default: {DEFAULT_OUTPUT}/)',
    )
    return parser


def main(arguments: list[str]) -> int:
    """Runs the bench and returns the exit code."""
    given = make_parser().parse_args(arguments)
    try:
        return _run(given)
    except BtExecutiveError as error:
        print(f'bt-executive guard-bench: {error}', file=sys.stderr)
        return 2


def _run(given: argparse.Namespace) -> int:
    check_workers(given.workers)
    for name in ('fuzz', 'ros'):
        if vars(given)[name] < 0:
            raise UsageError(f'--{name} {vars(given)[name]}: give a number from 0 on.')
    cases = [case for case in read_cases(given.cases) if given.only in case.name]
    if not cases:
        raise UsageError(f'No case has {given.only!r} in its name.')
    check_settings(cases)
    began = time.monotonic()
    given.output.mkdir(parents=True, exist_ok=True)
    on = _verdicts(given, cases)
    off = _verdicts(given, cases, ALL) if given.without_guards else []
    failing = frozenset(each.name for each in on if each.failed)
    mutants: list[Mutant] = []
    if given.mutation:
        mutants = hunt(cases, failing, given.workers, given.ray, _kept(given, 'mutants'))
        if not given.cases and not given.only:
            keep_hints(mutants)
            write_page(mutants)
    more, clean = _searches(given, cases)
    path = write_report(given.output, on, off, mutants, more)
    for name, share in summary(on, off).items():
        print(f'{name}: {share}')
    for name, value in timings(on).items():
        print(f'{name}: {value:g}')
    for pair in on:
        if pair.failed:
            print(f'FAILED {pair.name}: {"; ".join(pair.faults)}')
    for mutant in mutants:
        if not mutant.killed_by:
            print(f'NOT FOUND without {mutant.rule} ({mutant.tried} cases tried)')
    print(f'{len(cases)} cases in {time.monotonic() - began:.0f} s; the report is {path}')
    return 0 if clean and not failing and all(each.killed_by for each in mutants) else 1


def _searches(
    given: argparse.Namespace, cases: Sequence[Case]
) -> tuple[dict[str, list[str]], bool]:
    """What is searched beside the cases: lines of the report, and whether nothing was found."""
    more, clean = {}, True
    if given.fuzz:
        kept = _kept(given, 'campaigns')
        found = attack(given.fuzz, given.seed, given.workers, given.ray, kept)
        more['The adaptive attacker'] = found.lines()
        print(*found.lines(), sep='\n')
        clean = not found.harm
    if given.finite:
        explored = explore_all(given.workers, given.ray)
        more['The finite part, exhaustively'] = [f'- {each}' for each in explored]
        print(*explored, sep='\n')
        clean = clean and not any(each.fault for each in explored)
    if given.ros:
        lines, same = _over_ros(given.ros, cases)
        more['Over real processes and DDS'] = [f'- {each}' for each in lines]
        clean = clean and same
    return more, clean


def _over_ros(count: int, cases: Sequence[Case]) -> tuple[list[str], bool]:
    """Play a sample over ROS; return the lines of the report, and whether both judges agree."""
    from bench.guard.over_ros import compare_over_ros, sample  # rclpy: for this alone

    os.environ.setdefault('ROS_AUTOMATIC_DISCOVERY_RANGE', 'LOCALHOST')
    os.environ.setdefault('ROS_DOMAIN_ID', str(1 + os.getpid() % 40))
    compared = compare_over_ros(sample(cases, count))
    agree = sum(each.agree for each in compared)
    head = f'{agree} of {len(compared)} cases are judged alike here and over ROS'
    print(head)
    return [head, *map(str, compared)], agree == len(compared)


def _kept(given: argparse.Namespace, name: str) -> Path | None:
    return given.output / f'{name}.jsonl' if given.resume else None


def _verdicts(
    given: argparse.Namespace, cases: Sequence[Case], without: str = ''
) -> list[Verdict]:
    kept = _kept(given, 'verdicts')
    store = Kept[Case, Verdict](kept, Verdict, lambda case: without + case.model_dump_json())
    return store.spread(Player(without), cases, given.workers, given.ray)


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
