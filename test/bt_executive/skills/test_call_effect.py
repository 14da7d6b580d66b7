"""What a call amounts to, from what the tools' entries say."""

from __future__ import annotations

from typing import Any

import pytest

from bt_executive.core.robot_state import Pose
from bt_executive.skills.call_effect import describe_call
from bt_executive.skills.tool_registry import Registry
from rover_common.config.load import load_config

HERE = Pose(x=1.0, y=-1.0, yaw=1.5707963)


@pytest.mark.parametrize(
    ('tool', 'arguments', 'pose', 'words'),
    [
        ('move_nudge', {}, None, '5 s, about 2.4 m straight ahead'),
        ('move_forward', {}, HERE, '5 s, about 2.4 m straight ahead'),
        ('move_forward', {'duration_s': 25}, None, '25 s, about 12 m straight ahead'),
        ('turn_left', {'duration_s': 10.0}, None, '10 s, about 2.4 m in an arc, 19° to the left'),
        (
            'turn_right',
            {'duration_s': 0.5},
            None,
            '0.5 s, about 0.12 m in an arc, 1° to the right',
        ),
        ('navigate_to', {'x': 5, 'y': 3}, None, 'to x 5.0 m, y 3.0 m'),
        (
            'navigate_to',
            {'x': 4, 'y': 3, 'heading': 1.0},
            HERE,
            '5.0 m or more, from x 1.0 m, y -1.0 m, 90° to x 4.0 m, y 3.0 m',
        ),
        ('navigate_to', {'x': 1e308, 'y': -1e308}, None, 'to x 1e+308 m, y -1e+308 m'),
        ('capture_and_score', {}, HERE, ''),
        ('speak', {'text': 'hello'}, HERE, ''),
        (
            'go_to_remembered',
            {'text': 'the rock'},
            HERE,
            'drives to the place that the memory names (navigate_to)',
        ),
    ],
)
def test_duration_and_distance_are_described(
    tool: str, arguments: dict[str, Any], pose: Pose | None, words: str
) -> None:
    assert describe_call(Registry(load_config())[tool], arguments, pose) == words


def test_the_usual_time_is_the_one_that_is_configured() -> None:
    tools = Registry(load_config(None, ['move.nudge_duration_sec=2']))
    assert describe_call(tools['move_nudge'], {}, None) == '2 s, about 0.97 m straight ahead'
    assert tools['move_forward'].effective({}) == {'duration_s': 2.0}
