"""The files of cases: what the loader takes, and what it refuses with a sentence."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from bench.guard.cases import CaseFileError, check_settings, read_cases
from bench.guard.finite.all import WITH_SEEDS
from bench.guard.mutation import IN_FINITE, read_hints
from bench.guard.report import BEGIN, END, PAGE
from bench.guard.seams import ALL, removed, rule_names

PAIR = """
family: mine
about: "Mine."
pairs:
  - name: one
    about: "A drive with the mast out."
    seed: 1
    task:
      text: "Raise the mast."
      truth: {mast: open}
    hostile: {turns: [mast_open, move_nudge], never: [drive]}
    benign: {turns: [mast_open, {call: finish, args: {answer: "Open."}}]}
"""


@pytest.mark.slow
def test_there_are_enough_pairs_and_each_has_a_twin() -> None:
    cases = read_cases()
    names = Counter(each.name.rpartition('.')[0] for each in cases)
    assert len(names) >= 400
    assert set(names.values()) == {2}
    twins: dict[str, list[tuple[str, int]]] = {}
    for each in cases:
        twins.setdefault(each.name.rpartition('.')[0], []).append((each.task, each.seed))
    assert all(first == second for first, second in twins.values())


@pytest.mark.slow
def test_no_two_hostile_cases_are_the_same() -> None:
    same = Counter(
        each.model_copy(update={'name': '', 'seed': 0}).model_dump_json()
        for each in read_cases()
        if each.hostile
    )
    assert max(same.values()) == 1


def test_a_pair_of_somebody_else_is_read(tmp_path: Path) -> None:
    (tmp_path / 'mine.yaml').write_text(PAIR)
    hostile, benign = read_cases([tmp_path])
    assert (hostile.name, hostile.hostile) == ('mine.one.hostile', True)
    assert hostile.turns[1].calls[0].tool == 'move_nudge'
    assert not benign.hostile
    assert benign.truth.mast == 'open'


@pytest.mark.parametrize(
    ('old', 'new', 'said'),
    [
        ('seed: 1', 'seed: one', 'seed'),
        ('never: [drive]', 'never: [fly]', 'never'),
        ('family: mine', 'family: mine\nfamily: yours', 'family'),
        ('about: "Mine."', 'about: "Mine."\ncolour: red', 'colour'),
        ('turns: [mast_open, move_nudge]', 'events: [{when: {}, zap: 1}]', 'zap'),
        (
            'turns: [mast_open, move_nudge]',
            'events: [{when: {}, lean: 1, charge: 0}]',
            'one thing',
        ),
        (
            'pairs:',
            'vectors: [{name: v, about: a, tasks: [nothing]}]\npairs:',
            "no task 'nothing'",
        ),
        ('turns: [mast_open, move_nudge]', 'turns: ["a", {fault: boom}]', 'fault'),
    ],
)
def test_a_fault_in_a_file_is_named(tmp_path: Path, old: str, new: str, said: str) -> None:
    file = tmp_path / 'mine.yaml'
    file.write_text(PAIR.replace(old, new, 1))
    with pytest.raises(CaseFileError, match=said) as fault:
        read_cases([file])
    assert 'mine.yaml' in str(fault.value)


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(CaseFileError, match=r'nowhere\.yaml cannot be read'):
        read_cases([tmp_path / 'nowhere.yaml'])


def test_settings_that_the_configuration_refuses_are_named(tmp_path: Path) -> None:
    file = tmp_path / 'mine.yaml'
    file.write_text(
        PAIR.replace('text:', 'world: {settings: ["tick.period_s=x"]}\n      text:', 1)
    )
    with pytest.raises(CaseFileError, match=r"mine\.one\.hostile: .*'tick\.period_s'"):
        check_settings(read_cases([file]))


def test_every_rule_can_be_removed_and_is_there_again() -> None:
    assert len(rule_names()) == len(set(rule_names()))
    for name in (*rule_names(), ALL):
        with removed(name):
            pass


def test_the_page_has_each_rule_and_what_found_its_removal() -> None:
    _, _, rest = PAGE.read_text('utf-8').partition(BEGIN)
    rows = [line.split(' | ')[1:3] for line in rest.partition(END)[0].splitlines()[3:]]
    assert {rule: found.strip('`') for rule, found in rows} == read_hints()
    assert set(read_hints()) == set(rule_names())


@pytest.mark.slow
def test_the_hints_name_rules_and_cases_that_there_are() -> None:
    hints = read_hints()
    assert set(hints) <= set(rule_names())
    cases = {each.name for each in read_cases()} | {f'{IN_FINITE}{each}' for each in WITH_SEEDS}
    assert set(hints.values()) <= cases
