"""config/robots/nav2: the executive and the gate, with a stand-in for Nav2 and its base."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
import json
from pathlib import Path
from typing import Any

from bt_executive_interfaces.msg import ExecutiveState
from geometry_msgs.msg import Twist
from nav2_stand_in import Nav2StandIn
import pytest
import rclpy
from rclpy.task import Future
from robot_stage import RobotStage, end_of, initialised
from waiting import wait_until

from gates.ros.velocity_gate_on_ros import VelocityPort
from rover_common.ros.qos import LATCHED

FAR = {'x': 1000.0, 'y': 0.0}
STILL_MOVING = 'Move in progress'  # while the end of the last drive is on its way to the executive
pytestmark = pytest.mark.ros


class Stage(RobotStage):
    """A base with a gate, and an operator who asks for drives."""

    def __init__(self, folder: Path) -> None:
        self.nav2 = Nav2StandIn(rclpy.get_default_context())
        super().__init__('nav2', folder, 'operator', self.nav2)
        self.state: dict[str, Any] = {}
        self.node.create_subscription(ExecutiveState, 'executive/state', self._state_came, LATCHED)

    def begin_driving(self, **place: float) -> Future:
        """Asks for navigate_to until the base drives; returns the result that is to come."""
        while True:
            result = self.begin('navigate_to', **place)
            wait_until(partial(self._drives_or_ended, result), 'the base drives')
            if not result.done():
                return result
            assert end_of(result)[1] == STILL_MOVING

    def go(self, **place: float) -> tuple[str, str]:
        """Asks for navigate_to; returns how it ended, and the answer."""
        while (end := end_of(self.begin('navigate_to', **place)))[1] == STILL_MOVING:
            pass
        return end

    def _drives_or_ended(self, result: Future) -> bool:
        return self.nav2.speed > 0.0 or bool(result.done())

    def knows_that_it_stands(self) -> bool:
        """Whether the executive has heard of it: before that it lets nothing drive."""
        return bool(self.state) and self.state['robot']['moving'] is False

    def _state_came(self, message: ExecutiveState) -> None:
        self.state = json.loads(message.state_json)

    def stands(self) -> bool:
        return self.nav2.speed == 0.0


@pytest.fixture(scope='module')
def stage(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    with initialised():
        made = Stage(tmp_path_factory.mktemp('nav2'))
        with made.spun():
            wait_until(made.knows_that_it_stands, 'the executive knows of the base')
            yield made


def test_the_base_drives_to_a_place_of_the_map(stage: Stage) -> None:
    there = stage.nav2.x + 0.3
    outcome, answer = stage.go(x=there, y=0.0)
    assert (outcome, stage.nav2.frames[-1]) == ('claimed', 'map'), answer
    assert "the robot's place is not known" in answer, 'nobody tells a pose here'
    assert stage.nav2.x >= there
    wait_until(stage.stands, 'the base stands')


def test_a_stop_reaches_the_base_and_nav2(stage: Stage) -> None:
    result = stage.begin_driving(**FAR)
    stage.stop()
    assert end_of(result)[0] == 'interrupted'
    wait_until(stage.stands, 'the base stands')
    port = stage.gates.ports[0]
    assert isinstance(port, VelocityPort)
    wait_until(lambda: not port.gate.is_open, 'nothing passes any more')


def test_an_error_of_nav2_is_the_answer(stage: Stage) -> None:
    stage.nav2.fails = 9002
    try:
        outcome, answer = stage.go(x=1.0, y=0.0)
    finally:
        stage.nav2.fails = 0
    assert outcome == 'failed'
    assert '9002' in answer


def test_velocities_without_a_permit_do_not_reach_the_base(stage: Stage) -> None:
    stranger = stage.node.create_publisher(Twist, 'cmd_vel_nav', 10)
    wait_until(lambda: stranger.get_subscription_count() > 0, 'the gate listens')
    velocity = Twist()
    velocity.linear.x = 1.0
    stranger.publish(velocity)
    outcome, _ = stage.go(x=stage.nav2.x + 0.3, y=0.0)  # what was sent before has been heard
    assert outcome == 'claimed', 'nobody tells a pose here'
    assert stage.nav2.x < 900.0
    wait_until(stage.stands, 'the base stands')
