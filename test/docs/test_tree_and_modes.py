"""The papers say what the code does."""

from __future__ import annotations

from dataclasses import replace
import os
from pathlib import Path
import re

import py_trees
import pytest
from tree_bench import make_bench

from bt_executive.core.goal_queue import Task
from bt_executive.core.modes import MODES, QUESTIONS, ModeRow, arbitrate
from bt_executive.core.state import BrainState, UserInterruptType
from bt_executive.tree.picture import BRANCHES
from bt_executive.tree.subtrees_on_demand import fully_planted

DOCS = Path(__file__).resolve().parents[2] / 'docs'
TABLE_OF_MODES = re.compile(r'(?<=\|---\|\n)(?:\| (?:yes|no|-) .*\n)+')


def test_the_drawn_tree_is_the_shipped_tree() -> None:
    with fully_planted(make_bench().executive.root) as root:
        drawn = py_trees.display.ascii_tree(root)
    if os.environ.get('UPDATE_DOCS'):
        (DOCS / 'tree.txt').write_text(drawn, encoding='utf-8')
    written = (DOCS / 'tree.txt').read_text(encoding='utf-8')
    assert drawn == written, 'docs/tree.txt is old: run UPDATE_DOCS=1 pytest test/docs'


def _rows() -> list[list[str]]:
    text = (DOCS / 'modes.md').read_text(encoding='utf-8')
    (table,) = TABLE_OF_MODES.findall(text)
    return [[cell.strip() for cell in line.strip('|').split('|')] for line in table.splitlines()]


def _cell(row: ModeRow, question: str) -> str:
    answer = row.answer.value if isinstance(row.answer, UserInterruptType) else row.answer
    return answer if row.question == question else '-'


def test_the_written_table_is_the_table_of_modes() -> None:
    branches = make_bench().executive.root.children[-1].children
    names = iter([branch.name for branch in branches])
    rows = [
        [
            *(_cell(row, question) for question in QUESTIONS),
            row.mode.value,
            'no' if row.preempt_reason is ModeRow.preempt_reason else 'yes',
            ', '.join(next(names) for _ in BRANCHES[row]),
        ]
        for row in MODES
    ]
    if os.environ.get('UPDATE_DOCS'):
        path, written = DOCS / 'modes.md', ''.join(f'| {" | ".join(row)} |\n' for row in rows)
        text = path.read_text(encoding='utf-8')
        path.write_text(TABLE_OF_MODES.sub(written, text), encoding='utf-8')
    assert rows == _rows(), 'docs/modes.md is old: run UPDATE_DOCS=1 pytest test/docs'
    assert not list(names), 'every branch belongs to a row'


@pytest.mark.parametrize('safe', ['yes', 'no'])
@pytest.mark.parametrize('battery', ['UNKNOWN', 'OK', 'LOW'])
@pytest.mark.parametrize('interrupt', [each.value for each in UserInterruptType])
@pytest.mark.parametrize('goals', ['some', 'none'])
def test_the_table_of_modes_is_the_function(
    safe: str, battery: str, interrupt: str, goals: str
) -> None:
    state = BrainState()
    queue = (Task('one', 'look'),) if goals == 'some' else ()
    state = replace(
        state,
        world=replace(state.world, safety_reason='cliff' if safe == 'yes' else ''),
        robot=replace(state.robot, battery_state=battery),
        hci=replace(state.hci, user_interrupt=UserInterruptType(interrupt)),
        tasks=replace(state.tasks, queue=queue),
    )
    facts = [safe, battery, interrupt, goals]
    row = next(
        row
        for row in _rows()
        if all(cell in ('-', fact) for cell, fact in zip(row, facts, strict=False))
    )
    found = arbitrate(state)
    assert [found.mode.value, 'yes' if found.preempt_reason else 'no'] == row[4:6]
