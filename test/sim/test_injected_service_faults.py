"""Faults that are on from the start, as ROS arguments give them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from own_executor import own_executor as own_executor
import pytest
from rclpy.node import Node

from curiosity_sim.ros.injected_service_faults import PARAMETER, FaultSwitch
from rover_common.config.load import load_config
from rover_common.errors import ConfigError

pytestmark = pytest.mark.ros
KNOWN = ('camera_off', 'tf_off')


@pytest.fixture
def make(own_executor: Any) -> Callable[..., tuple[FaultSwitch, Node, list[Any]]]:
    def switch(given: str, *overrides: str) -> tuple[FaultSwitch, Node, list[Any]]:
        node = Node('subject', context=own_executor('-p', given).context)
        told: list[Any] = []
        rover = load_config(None, list(overrides)).curiosity.rover
        return FaultSwitch(node, KNOWN, rover, told.append), node, told

    return switch


@pytest.mark.parametrize(
    ('given', 'active'), [('faults:=[tf_off]', {'tf_off'}), ('faults:=[]', set())]
)
def test_ros_arguments_count_more_than_the_configuration(
    make: Any, given: str, active: Any
) -> None:
    switch, node, told = make(given, 'rover.faults=[camera_off]')
    assert switch.active == active
    assert told == [active]
    assert set(node.get_parameter(PARAMETER).value) == active


@pytest.mark.parametrize(
    ('given', 'words'),
    [
        ('faults:=[camera_lost]', "subject has no fault 'camera_lost'; the nearest: camera_off"),
        ('faults:=tf_off', "faults is 'tf_off': give a list of names"),
    ],
)
def test_what_cannot_be_a_fault_is_an_error_of_the_configuration(
    make: Any, given: str, words: str
) -> None:
    with pytest.raises(ConfigError, match=words):
        make(given)
