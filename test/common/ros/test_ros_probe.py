"""Whether a stack of the same names runs elsewhere in the network."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import rclpy
from rclpy.node import Node

from rover_common.errors import UsageError
from rover_common.ros import ros_probe
from rover_common.ros.ros_probe import check_network

pytestmark = pytest.mark.ros
NETWORK = {'ROS_AUTOMATIC_DISCOVERY_RANGE': 'SUBNET'}  # what is asked; tests stay on this machine
IN_SPACE = ['--ros-args', '-r', '__ns:=/rover_9']


@pytest.fixture
def stranger() -> Iterator[Node]:
    context = rclpy.Context()
    rclpy.init(context=context)
    yield Node('executive', namespace='/rover_9', context=context)
    context.try_shutdown()


@pytest.mark.usefixtures('stranger')
def test_a_stack_in_the_network_is_told_with_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ros_probe, 'DISCOVERY_S', 20.0)  # however long discovery takes
    with pytest.raises(UsageError) as refusal:
        check_network(['rover', 'executive'], IN_SPACE, NETWORK)
    assert '/rover_9/executive run already in this network' in str(refusal.value)
    assert 'choose a namespace (with ros2 launch namespace:=' in str(refusal.value)


@pytest.mark.usefixtures('stranger')
def test_on_this_machine_alone_nobody_is_looked_for() -> None:
    check_network(['executive'], IN_SPACE, {'ROS_AUTOMATIC_DISCOVERY_RANGE': 'LOCALHOST'})
