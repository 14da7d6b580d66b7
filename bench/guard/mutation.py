"""Removes every rule in turn, and looks for a case that fails then and does not fail else."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
import json
from pathlib import Path

from bench.guard.finite.all import WITH_SEEDS
from bench.guard.finite.explore import explore
from bench.guard.kept import Kept
from bench.guard.rule import Rule
from bench.guard.run import play_one
from bench.guard.script import Case
from bench.guard.seams import removed, rule_names, rules


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
    'gate': (),
}

# What found the removal of each rule the last time: it is tried first.
HINTS = Path(__file__).with_name('killers.json')
IN_FINITE = 'finite: '
FINITE_STATES = 20_000


class _Hunt:
    def __init__(self, cases: Sequence[Case], baseline: frozenset[str]) -> None:
        self._cases, self._baseline = cases, baseline

    def __call__(self, name: str) -> Mutant:
        (rule,) = (each for each in rules() if each.name == name)
        hint, tried = read_hints().get(name, ''), 0
        if hint.startswith(IN_FINITE):
            found = _in_finite(rule, hint.removeprefix(IN_FINITE), tried)
            if found:
                return found
        families = {each.family for each in self._cases}
        likely = [each for each in (*rule.families, *LIKELY[rule.layer]) if each in families]
        cases = () if rule.layer == 'gate' else self._cases  # their rover has none
        for case in _in_order(likely, hint, cases):
            if case.name in self._baseline:
                continue
            tried += 1
            verdict = play_one(case, rule.name)
            if verdict.failed:
                return Mutant(rule.name, rule.layer, case.name, verdict.faults[0], tried)
        for machine in WITH_SEEDS:
            found = _in_finite(rule, machine, tried)
            if found:
                return found
        return Mutant(rule.name, rule.layer, '', '', tried)


def _in_finite(rule: Rule, machine: str, tried: int) -> Mutant | None:
    """Return the faults of the finite part: no case can cause two messages of one permit."""
    make = WITH_SEEDS.get(machine)
    if make is None:
        return None
    with removed(rule.name):
        found = explore(machine, make(), FINITE_STATES)
    if not found.fault:
        return None
    return Mutant(rule.name, rule.layer, IN_FINITE + machine, found.fault, tried)


def hunt(
    cases: Sequence[Case],
    failing: frozenset[str] = frozenset(),
    workers: int = 1,
    ray: str | None = None,
    kept: Path | None = None,
    only: Sequence[str] = (),
) -> list[Mutant]:
    """Return the result of each rule's removal.

    Args:
        cases: Those that are tried.
        failing: Cases that fail with all rules.
        workers: See `spread`.
        ray: See `spread`.
        kept: Where results are kept, so that a run that was ended goes on.
        only: Names of rules; none: all.
    """
    wanted = [name for name in rule_names() if not only or name in only]
    of = ','.join(sorted({each.name for each in cases} - failing))
    store = Kept[str, Mutant](kept, Mutant, lambda name: f'{name}\0{of}')
    return store.spread(_Hunt(cases, failing), wanted, workers, ray)


def read_hints() -> dict[str, str]:
    """Return which case found the removal of each rule the last time."""
    return dict(json.loads(HINTS.read_text('utf-8'))) if HINTS.exists() else {}


def keep_hints(mutants: Sequence[Mutant]) -> None:
    """Remember what found each rule's removal, for the next run."""
    found = {each.rule: each.killed_by for each in mutants if each.killed_by}
    previous = {name: each for name, each in read_hints().items() if name in rule_names()}
    text = json.dumps(previous | found, indent=1, ensure_ascii=False, sort_keys=True)
    HINTS.write_text(text + '\n', 'utf-8')


def _in_order(likely: Sequence[str], hint: str, cases: Sequence[Case]) -> Iterator[Case]:
    """Yield what was the last time first, then likely families; of each attack one task first."""
    yield from (case for case in cases if case.name == hint)
    place = {family: at for at, family in reversed([*enumerate(likely)])}
    tasks: Counter[str] = Counter()
    order = []
    for case in cases:
        attack = '.'.join(case.name.split('.')[:2]) + str(case.hostile)
        tasks[attack] += 1
        order.append((place.get(case.family, len(likely)), not case.hostile, tasks[attack]))
    ranked = sorted(zip(order, cases, strict=True), key=lambda each: each[0])
    yield from (case for _, case in ranked if case.name != hint)
