"""config/robots/nav2: the executive and the gate, with a stand-in for Nav2 and its base."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
import json
from pathlib import Path
from typing import Any

from action_servers import ask_for_result, send_goal, wait_for_action
from bt_executive_interfaces.action import ExecuteGoal
from bt_executive_interfaces.msg import ExecutiveState
from geometry_msgs.msg import Twist
from nav2_stand_in import Nav2StandIn
from papers import ROOT
from patient_gates import patient
import pytest
import rclpy
from rclpy.action import ActionClient
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from rclpy.task import Future
from spinning import spinning
from std_srvs.srv import Trigger
from waiting import wait_until

from bt_executive.ros.executive_node import ExecutiveNode
from gates.gates_node import GatesNode
from gates.ros.velocity_port import VelocityPort
from rover_common.config.load import load_config
from rover_common.ros.latched import LATCHED
from rover_common.ros.run_node import NodeOptions

FOLDER = ROOT / 'config' / 'robots' / 'nav2'
LIMIT_S = 60.0  # a busy machine may be late; the gate's own limits have tests of their own
PATIENT = ('guards.adapter_status_max_age_s=60', 'guards.server_wait_s=60')
GOALS = 'executive/execute_goal'
FAR = {'x': 1000.0, 'y': 0.0}
STILL_MOVING = 'Move in progress'  # while the end of the last drive is on its way to the executive
pytestmark = pytest.mark.ros


def end_of(result: Future) -> ExecuteGoal.Result:
    wait_until(result.done, 'the goal ends')
    return result.result().result


class Stage:
    """Executive, gate and stand-in in one executor, and somebody who asks for goals."""

    def __init__(self, folder: Path) -> None:
        rclpy.init()
        context = rclpy.get_default_context()
        config = load_config(FOLDER, (*PATIENT, f'journal.file="{folder}/journal"'))
        self.executive = ExecutiveNode(NodeOptions(config, folder / 'run'))
        held = load_config(FOLDER)
        patient(held)
        self.gates = GatesNode(NodeOptions(held, None))
        self.nav2 = Nav2StandIn(context)
        self.node = Node('operator', context=context)
        self._goals = ActionClient(self.node, ExecuteGoal, GOALS)
        self._stop = self.node.create_client(Trigger, 'executive/stop')
        self.state: dict[str, Any] = {}
        self.node.create_subscription(ExecutiveState, 'executive/state', self._state_came, LATCHED)
        self.executor = SingleThreadedExecutor(context=context)
        for each in self._nodes():
            self.executor.add_node(each)

    def begin_driving(self, **place: float) -> Future:
        """Asks for navigate_to until the base drives; returns the result that is to come."""
        while True:
            result = self._ask(place)
            wait_until(partial(self._drives_or_ended, result), 'the base drives')
            if not result.done():
                return result
            assert end_of(result).answer == STILL_MOVING

    def go(self, **place: float) -> ExecuteGoal.Result:
        """Asks for navigate_to; returns how it ended."""
        while (end := end_of(self._ask(place))).answer == STILL_MOVING:
            pass
        return end

    def _drives_or_ended(self, result: Future) -> bool:
        return self.nav2.speed > 0.0 or bool(result.done())

    def _ask(self, place: dict[str, float]) -> Future:
        wait_for_action(self._goals, self.node, GOALS)
        goal = ExecuteGoal.Goal(
            goal='go', tool='navigate_to', arguments=json.dumps(place), sender='operator'
        )
        return ask_for_result(send_goal(self._goals, self.node, goal), self.node)

    def knows_that_it_stands(self) -> bool:
        """Whether the executive has heard of it: before that it lets nothing drive."""
        return bool(self.state) and self.state['robot']['moving'] is False

    def _state_came(self, message: ExecutiveState) -> None:
        self.state = json.loads(message.state_json)

    def stop(self) -> None:
        assert self._stop.wait_for_service(LIMIT_S)
        wait_until(self._stop.call_async(Trigger.Request()).done, 'the stop is answered')

    def stands(self) -> bool:
        return self.nav2.speed == 0.0

    def end(self) -> None:
        self.executive.shut_down(self.executor)
        self.executor.shutdown()
        for each in self._nodes():
            each.destroy_node()
        rclpy.try_shutdown()

    def _nodes(self) -> tuple[Node, ...]:
        return self.executive, self.gates, self.nav2, self.node


@pytest.fixture(scope='module')
def stage(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    made = Stage(tmp_path_factory.mktemp('nav2'))
    with spinning(made.executor):
        wait_until(made.knows_that_it_stands, 'the executive knows of the base')
        yield made
    made.end()


def test_the_base_drives_to_a_place_of_the_map(stage: Stage) -> None:
    there = stage.nav2.x + 0.3
    end = stage.go(x=there, y=0.0)
    assert (end.outcome, stage.nav2.frames[-1]) == ('claimed', 'map'), end.answer
    assert "the robot's place is not known" in end.answer, 'nobody tells a pose here'
    assert stage.nav2.x >= there
    wait_until(stage.stands, 'the base stands')


def test_a_stop_reaches_the_base_and_nav2(stage: Stage) -> None:
    result = stage.begin_driving(**FAR)
    stage.stop()
    assert end_of(result).outcome == 'interrupted'
    wait_until(stage.stands, 'the base stands')
    port = stage.gates.ports[0]
    assert isinstance(port, VelocityPort)
    wait_until(lambda: not port.gate.is_open, 'nothing passes any more')


def test_an_error_of_nav2_is_the_answer(stage: Stage) -> None:
    stage.nav2.fails = 9002
    try:
        end = stage.go(x=1.0, y=0.0)
    finally:
        stage.nav2.fails = 0
    assert end.outcome == 'failed'
    assert '9002' in end.answer


def test_velocities_without_a_permit_do_not_reach_the_base(stage: Stage) -> None:
    stranger = stage.node.create_publisher(Twist, 'cmd_vel_nav', 10)
    wait_until(lambda: stranger.get_subscription_count() > 0, 'the gate listens')
    velocity = Twist()
    velocity.linear.x = 1.0
    stranger.publish(velocity)
    end = stage.go(x=stage.nav2.x + 0.3, y=0.0)  # what was sent before has been heard
    assert end.outcome == 'claimed', 'nobody tells a pose here'
    assert stage.nav2.x < 900.0
    wait_until(stage.stands, 'the base stands')
