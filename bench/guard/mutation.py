"""Removes every rule in turn, and looks for a case that fails then and does not fail else."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from bench.guard.finite.calls import OneCall
from bench.guard.finite.explore import Machine, explore
from bench.guard.finite.permits import Link
from bench.guard.run import play_one, spread
from bench.guard.script import Case
from bench.guard.seams import Rule, removed, rule_names, rules


@dataclass(frozen=True)
class Mutant:
    """A rule that was removed. `killed_by`: the first case that failed; empty: none did."""

    rule: str
    layer: str
    killed_by: str
    fault: str
    tried: int


# Where the cases of a layer's rules are, most likely ones first; then all others.
LIKELY = {
    'tree': (
        *('known_and_fresh', 'direct_jailbreak', 'sequences', 'approvals', 'memory_and_history'),
        *('own_interfaces', 'malformed_arguments', 'modes', 'state_changes'),
    ),
    'adapter': ('second_layer', 'strangers', 'starved_guards', 'state_changes', 'kills'),
    'assembly': ('call_assembly', 'malformed_arguments', 'wire_output'),
    'outcome': ('false_claims',),
}


# What no case can bring about, since another rule is in its way: two messages of one permit, say.
FINITE: Mapping[str, Callable[[], Machine]] = {
    'one call and its lease': OneCall,
    'permit, motion, stop and its confirmation': Link,
}
FINITE_STATES = 10_000


class _Hunt:
    def __init__(self, cases: Sequence[Case], baseline: frozenset[str]) -> None:
        self._cases, self._baseline = cases, baseline

    def __call__(self, name: str) -> Mutant:
        (rule,) = (each for each in rules() if each.name == name)
        tried = 0
        for case in _in_order(rule, self._cases):
            if case.name in self._baseline:
                continue
            tried += 1
            verdict = play_one(case, rule.name)
            if verdict.failed:
                return Mutant(rule.name, rule.layer, case.name, verdict.faults[0], tried)
        for name, make in FINITE.items():
            with removed(rule.name):
                found = explore(name, make(), FINITE_STATES)
            if found.fault:
                return Mutant(rule.name, rule.layer, f'finite: {name}', found.fault, tried)
        return Mutant(rule.name, rule.layer, '', '', tried)


def hunt(
    cases: Sequence[Case],
    failing: frozenset[str] = frozenset(),
    workers: int = 1,
    ray: str | None = None,
    only: Sequence[str] = (),
) -> list[Mutant]:
    """Return what becomes of each rule's removal; `failing`: cases that fail with all rules."""
    wanted = [name for name in rule_names() if not only or name in only]
    return spread(_Hunt(cases, failing), wanted, workers, ray)


def _in_order(rule: Rule, cases: Sequence[Case]) -> Iterator[Case]:
    first = (*rule.families, *LIKELY[rule.layer])
    for family in dict.fromkeys(first):
        yield from (case for case in cases if case.family == family)
    yield from (case for case in cases if case.family not in first)
