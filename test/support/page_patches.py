"""What model.js does with the patches of a live page."""

from __future__ import annotations

import json
from typing import Any

from bt_executive.view.page_data_fields_and_json import to_json


def plain(value: Any) -> Any:
    """A value as a page receives it."""
    return json.loads(to_json(value))


def apply_patch(data: Any, patch: Any) -> None:
    """Enters what is new."""
    for name, columns in patch['series'].items():
        for column, values in columns.items():
            data[name][column] += values
    for name, values in patch['lists'].items():
        data[name] += values
    for goal in patch['goals']:
        _apply_goal(data['goals'], goal)
    for number, nodes in patch.get('nodes', {}).items():
        data['trees'][int(number)]['nodes'] += nodes
    for number, moments in patch.get('moments', {}).items():
        data['trees'][int(number)]['moments'] += moments
    data['trees'] += patch['trees']
    data['world'], data['ended'] = patch.get('world', data['world']), patch['ended']


def _apply_goal(goals: Any, goal: Any) -> None:
    known = goals[goal['number']]['story']['rows'] if goal['number'] < len(goals) else []
    rows = known[: goal['from']] + goal['story']['rows']
    whole = {**goal, 'left_out': 0, 'story': {**goal['story'], 'rows': rows}}
    del whole['from']
    goals[goal['number'] : goal['number'] + 1] = [whole]
