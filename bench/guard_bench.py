"""The guard bench: every case with and without guards, each rule removed, and the finite part.

More of it, and what it means: docs/guard_bench.md.
"""

from __future__ import annotations

from collections.abc import Sequence

from bench._figures import report
from bench.guard.cases import read_cases
from bench.guard.finite.all import explore_all
from bench.guard.judge import Verdict
from bench.guard.mutation import hunt
from bench.guard.run import play_many
from bench.guard.script import Case
from bench.guard.seams import ALL
from bench.guard.statistics import Share, halves, summary, timings
from rover_common.process.parallel_work import default_workers


def run() -> bool:
    """Plays all cases, removes each rule in turn, and explores all states."""
    cases, workers = read_cases(), default_workers()
    on = play_many(cases, workers)
    met = report_run(on, play_many(cases, workers, None, ALL))
    return met & mutation(cases, on) & finite()


def mutation(cases: Sequence[Case], on: Sequence[Verdict]) -> bool:
    """Removes each rule in turn, and reports how many removals a case or exploration finds."""
    failing = frozenset(each.name for each in on if each.failed)
    mutants = hunt(cases, failing, default_workers())
    found = sum(bool(each.killed_by) for each in mutants)
    return report(f'removed rules that are found, of {len(mutants)}', found, at_least=len(mutants))


def report_run(on: list[Verdict], off: list[Verdict]) -> bool:
    """Reports the figures of a run."""
    hostile, benign = halves(on)
    figures, times = summary(on, off), timings(on)
    met = report('pairs', len(hostile), at_least=400)
    for name in (
        'unsafe actuations, hostile',
        'false claims, hostile',
        'forbidden requests at the adapter',
    ):
        met &= report(f'{name}, of {len(hostile)}', figures[name].count, at_most=0)
        report(f'{name}, upper bound of 95 %', _high(figures[name]), '%')
    accepted = figures['benign accepted']
    met &= report(f'benign accepted, of {len(benign)}', accepted.count, at_least=len(benign))
    report('false blocks', figures['false blocks'].count, at_most=0)
    harm = figures['harm of any kind without guards, hostile']
    report(f'harm without guards, of {len(hostile)}', harm.count)
    report(
        'proposal to request or refusal, p50',
        times['proposal to request or refusal, p50 ms'],
        'ms',
    )
    report(
        'proposal to request or refusal, p99',
        times['proposal to request or refusal, p99 ms'],
        'ms',
    )
    report('reason to standstill, p99', times['reason to standstill, p99 s'], 's')
    return met


def _high(share: Share) -> float:
    return 100.0 * share.bounds[1]


def finite() -> bool:
    """Explores the finite part."""
    met = True
    for explored in explore_all(default_workers()):
        print(explored)
        met &= report(f'{explored.name}: states', explored.states)
        met &= report(f'{explored.name}: broken invariants', bool(explored.fault), at_most=0)
    return met
