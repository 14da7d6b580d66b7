"""The parameters of a tree host: what they start with, and that they act at once."""

from __future__ import annotations

from collections.abc import Callable
import math
import sys
from typing import Any

from py_trees.common import Status
import pytest
from rclpy.parameter import Parameter

pytestmark = pytest.mark.ros
TOPIC = '/executive/snapshots'
DEFAULTS = {
    'default_snapshot_stream': False,
    'default_snapshot_period': 2.0,
    'default_snapshot_blackboard_data': True,
    'default_snapshot_blackboard_activity': False,
}
NEVER = sys.float_info.max  # what py_trees calls infinite


def put(stage: Any, name: str, value: object) -> bool:
    (result,) = stage.node.set_parameters([Parameter(f'default_snapshot_{name}', value=value)])
    return bool(result.successful)


def test_what_parameters_start_with_and_refuse(stage: Any) -> None:
    assert {name: stage.node.get_parameter(name).value for name in DEFAULTS} == DEFAULTS
    assert stage.node.get_parameter('setup_timeout').value >= NEVER
    assert not stage.publishers(TOPIC)
    for period in (-1.0, math.nan):
        assert not put(stage, 'period', period)
    (result,) = stage.node.set_parameters([Parameter('setup_timeout', value=1.0)])
    assert not result.successful


def test_the_default_stream_follows_its_parameters_at_once(stage: Any) -> None:
    viewer = stage.viewer()
    assert put(stage, 'period', NEVER)
    assert put(stage, 'stream', True)
    messages = viewer.watch(TOPIC)
    stage.until(lambda: messages)
    stage.tick(10)
    stage.first.outcome = Status.SUCCESS
    stage.until(lambda: len(messages) > 1)
    assert len(messages) == 2
    assert put(stage, 'blackboard_data', False)
    assert put(stage, 'period', 0.0)
    stage.until(lambda: len(messages) > 5)
    assert messages[1].blackboard_on_visited_path
    assert not messages[-1].blackboard_on_visited_path
    assert put(stage, 'stream', False)
    stage.until(lambda: not stage.publishers(TOPIC))


def test_the_default_stream_can_be_on_from_the_start(set_stage: Callable[..., Any]) -> None:
    stage = set_stage(default_snapshot_stream=True, default_snapshot_period=0.0)
    messages = stage.viewer().watch(TOPIC)
    stage.until(lambda: len(messages) > 2)
