"""The state as JSON, and what the executive tells in it."""

from __future__ import annotations

import json
from typing import Any

import pytest
from tree_bench import MakeBench

from bt_executive.core.executive_ports import Proposal
from bt_executive.core.goal_queue import Task
from bt_executive.core.state import (
    BrainState,
    TasksState,
    known_part_from_json,
    state_from_json,
    state_to_json,
)


def test_the_parts_of_spec_3_stand_at_the_top() -> None:
    parts = ['messages', 'hci', 'world', 'robot', 'tasks', 'skills', 'react', 'trace']
    assert list(json.loads(state_to_json(BrainState()))) == parts


@pytest.mark.parametrize(
    ('text', 'part'),
    [
        ('{', 'JSON'),
        ('[]', 'BrainState'),
        ('{"mood": 1}', 'mood'),
        ('{"tasks": {"mode": "SLEEP"}}', 'tasks.mode'),
        ('{"robot": {"battery_pct": "full"}}', 'robot.battery_pct'),
    ],
)
def test_what_is_no_state_is_told_with_its_part(text: str, part: str) -> None:
    with pytest.raises(ValueError, match=part):
        state_from_json(text)


def test_fields_of_a_later_version_are_left_out() -> None:
    state = BrainState(tasks=TasksState(queue=(Task('1', 'go'), Task('2', 'look'))))
    later = json.loads(state_to_json(state))
    later['mood'] = {'now': 'calm'}
    later['world']['wind'] = None
    later['robot'] |= {'wheels': [1, 2], 'grip': {'left': 'open'}}
    for task in later['tasks']['queue']:
        task['rank'] = [1]
    assert known_part_from_json(json.dumps(later)) == state
    assert known_part_from_json(state_to_json(state)) == state


@pytest.mark.parametrize('text', ['{', '[]', '{"mood": 1, "tasks": {"mode": "SLEEP"}}'])
def test_what_is_no_state_of_any_version_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r'JSON|BrainState|tasks.mode'):
        known_part_from_json(text)


def test_the_state_tells_what_runs_and_what_is_busy(bench: MakeBench) -> None:
    it = bench(Proposal('1', 'mast_close', {}))
    it.status()
    it.goal()
    it.until(lambda: it.robot.sent)
    it.tick()
    state = it.context.state
    (running,) = state.skills.running
    assert running.skill_name == 'mast_close'
    assert running.resources_occupied == ('mast',)
    assert state.robot.resources == {'base_busy': False, 'mast_busy': True, 'camera_busy': False}
    assert set(state.skills.registry) == set(it.context.registry)
    assert state_from_json(state_to_json(state)) == state


@pytest.mark.parametrize(
    ('sender', 'title'),
    [
        ('operator', 'wait(seconds=2), asked for by the operator'),
        ('agent', 'wait(seconds=2), asked for by an agent'),
        ('tree', 'wait to charge'),
    ],
)
def test_a_call_is_told_with_who_asks_for_it(sender: Any, title: str) -> None:
    task = Task('1', 'wait', tool='wait', arguments={'seconds': 2}, sender=sender)
    assert task.title == title
