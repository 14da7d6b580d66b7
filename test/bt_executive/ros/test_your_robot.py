"""A second robot under the same executive, by nothing but a configuration folder of its own."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
import json
from pathlib import Path
from typing import Any

from action_servers import ask_for_result, send_goal, wait_for_action
from bt_executive_interfaces.action import ExecuteGoal
from bt_executive_interfaces.msg import ExecutiveState, Heartbeat
from domains import next_domain
import pytest
import rclpy
from rclpy.action import ActionClient
from rclpy.node import Node
from robot_stage import initialised
from spinning import spinning
from std_msgs.msg import String
from std_srvs.srv import SetBool, Trigger
from tiny_robot import TinyRobot
from waiting import wait_until

from bt_executive.ros.executive_node import ExecutiveNode
from rover_common.config.load import load_config
from rover_common.permit import Permit
from rover_common.ros.heartbeat_setpoint_and_status import HEARTBEAT, LATEST, HeartbeatPublisher
from rover_common.ros.low_latency_executor import LowLatencyExecutor
from rover_common.ros.qos import LATCHED
from rover_common.ros.run_node import NodeOptions

FOLDER = Path(__file__).parents[2] / 'support' / 'tiny_robot_config'
LIMIT_S = 60.0  # a busy machine may be late; that heartbeats end a motion has tests of its own
LONG_S = 600.0
GOALS = 'executive/execute_goal'
PATIENT = (
    'guards.adapter_status_max_age_s=60',
    'guards.adapter_status_moving_max_age_s=60',
    'guards.server_wait_s=60',
)
pytestmark = pytest.mark.ros


class Operator:
    """Asks for goals, and reads ~/state and the trace."""

    def __init__(self, context: rclpy.Context) -> None:
        self.node = Node('operator', context=context)
        self.state: dict[str, Any] = {}
        self.trace: list[dict[str, Any]] = []
        self.node.create_subscription(ExecutiveState, 'executive/state', self._state_came, LATCHED)
        self.node.create_subscription(String, 'trace/events', self._event_came, 100)
        self._stop = self.node.create_client(Trigger, 'executive/stop')
        self._goals = ActionClient(self.node, ExecuteGoal, GOALS)

    def begin(self, words: str) -> Any:
        """Asks for a goal; the future of its result."""
        wait_for_action(self._goals, self.node, GOALS)
        handle = send_goal(self._goals, self.node, ExecuteGoal.Goal(goal=words, sender='operator'))
        return ask_for_result(handle, self.node)

    def pursue(self, words: str) -> tuple[str, str]:
        """Asks for a goal and waits for its end: outcome and answer."""
        return ended(self.begin(words))

    def stop(self) -> None:
        assert self._stop.wait_for_service(LIMIT_S)
        answered = self._stop.call_async(Trigger.Request())
        wait_until(answered.done, 'the stop is answered')

    def hears_of(self, gripper: str, lamp: str) -> bool:
        """Whether the robot rests like this, as the executive knows."""
        robot = self.state.get('robot', {})
        return (robot.get('gripper'), robot.get('lamp')) == (
            gripper,
            lamp,
        ) and self.hears_of_rest()

    def hears_of_rest(self) -> bool:
        robot, mode = self.state['robot'], self.state['tasks']['mode']
        return mode == 'IDLE' and robot['at_rest'] and not robot['stopping']

    def _state_came(self, message: ExecutiveState) -> None:
        self.state = json.loads(message.state_json)

    def _event_came(self, message: String) -> None:
        self.trace.append(json.loads(message.data))


def ended(result: Any) -> tuple[str, str]:
    wait_until(result.done, 'the goal ends')
    return result.result().result.outcome, result.result().result.answer


@contextmanager
def spun(*nodes: Node) -> Iterator[None]:
    executor = LowLatencyExecutor(context=nodes[0].context)
    for node in nodes:
        executor.add_node(node)
    with spinning(executor):
        yield
    for node in nodes:
        if isinstance(node, ExecutiveNode):
            node.shut_down(executor)
    executor.shutdown()
    for node in nodes:
        node.destroy_node()


@pytest.fixture(scope='module')
def system(
    tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest
) -> Iterator[tuple[Operator, TinyRobot]]:
    """The shipped executive with its offline model, the tiny robot, and an operator."""
    folder = tmp_path_factory.mktemp('tiny')
    overrides = (*PATIENT, f'journal.file="{folder}/journal"', *getattr(request, 'param', ()))
    with initialised():
        context = rclpy.get_default_context()
        executive = ExecutiveNode(NodeOptions(load_config(FOLDER, overrides), folder / 'run'))
        robot, operator = TinyRobot(context, LIMIT_S), Operator(context)
        with spun(executive, robot, operator.node):
            yield operator, robot


@pytest.fixture
def stage(system: tuple[Operator, TinyRobot]) -> tuple[Operator, TinyRobot]:
    """The system with an open gripper and the lamp off, at rest; nothing has happened yet."""
    operator, robot = system
    robot.gripper, robot.lamp = 'open', 'off'
    wait_until(lambda: operator.hears_of('open', 'off'), 'the gripper is known, and all rests')
    robot.log.clear()
    operator.trace.clear()
    return system


@pytest.fixture
def context() -> Iterator[rclpy.Context]:
    """In a domain without an executive."""
    made = rclpy.Context()
    rclpy.init(context=made, domain_id=next_domain())
    yield made
    made.try_shutdown()


def test_the_state_tells_the_robots_own_parts(stage: tuple[Operator, TinyRobot]) -> None:
    operator, _ = stage
    robot = operator.state['robot']
    assert (robot['gripper'], robot['lamp']) == ('open', 'off')
    assert not {'mast', 'mast_is_open'} & robot.keys()


def test_a_drive_is_refused_with_the_robots_own_reason(stage: tuple[Operator, TinyRobot]) -> None:
    operator, robot = stage
    outcome, answer = operator.pursue('drive forward 1 s')
    assert outcome == 'gave_up'
    assert 'It is too dark to drive: switch the lamp on' in answer
    assert robot.log == []
    refusal = next(each for each in operator.trace if each.get('error_reason'))
    assert refusal['data']['guard'] == 'lamp_on'


def test_the_tree_closes_the_gripper_before_it_drives(stage: tuple[Operator, TinyRobot]) -> None:
    operator, robot = stage
    outcome, answer = operator.pursue('switch the lamp on and drive forward 0.5 s')
    assert (outcome, robot.motion) == ('claimed', ''), answer
    assert 'how far the robot came was not measured' in answer, 'it tells no pose'
    assert [each.partition(':')[0] for each in robot.log] == [
        'lamp on',
        'gripper closed',
        'drives',
        'stands',
    ]
    by_tree = [each for each in operator.trace if each['data'].get('proposed_by') == 'tree']
    assert [each['tool_name'] for each in by_tree] == ['gripper_close']


@pytest.mark.parametrize(
    'system',
    [
        (
            'guards.policy={lamp_on: resolve, gripper_closed: resolve}',
            'guards.resolve_by={lamp_on: lamp, gripper_closed: gripper_close}',
        )
    ],
    indirect=True,
    ids=['lamp'],
)
def test_a_tool_that_resolves_gets_what_is_used_for_arguments_left_out(
    stage: tuple[Operator, TinyRobot],
) -> None:
    operator, robot = stage
    outcome, answer = operator.pursue('drive forward 0.5 s')
    assert outcome == 'claimed', answer
    assert 'how far the robot came was not measured' in answer, 'it tells no pose'
    assert robot.log[:3] == ['lamp on', 'gripper closed', 'drives']


def test_a_stop_ends_a_drive_and_the_base_stands(stage: tuple[Operator, TinyRobot]) -> None:
    operator, robot = stage
    driving = operator.begin(f'switch the lamp on and drive forward {LONG_S:g} s')
    wait_until(lambda: robot.motion, 'it drives')
    operator.stop()
    outcome, _ = ended(driving)
    assert outcome == 'interrupted'
    wait_until(lambda: not robot.motion, 'the base stands')
    wait_until(operator.hears_of_rest, 'the executive is idle and knows that the base stands')
    assert robot.log[-1] in ('stands: WITHDRAWN', 'stands: STOP_CALLED')


def test_a_guard_on_a_part_ends_a_drive_under_way(stage: tuple[Operator, TinyRobot]) -> None:
    operator, robot = stage
    driving = operator.begin(f'switch the lamp on and drive forward {LONG_S:g} s')
    wait_until(lambda: robot.motion, 'it drives')
    lamp = operator.node.create_client(SetBool, 'adapter/lamp')
    assert lamp.wait_for_service(LIMIT_S)
    lamp.call_async(SetBool.Request(data=False))  # somebody else
    wait_until(lambda: not robot.motion, 'the base stands')
    outcome, answer = ended(driving)
    assert outcome == 'gave_up'
    assert 'It is too dark to drive' in answer


class Period:
    """Heartbeats of an executive, as often as the test says, and a caller of the adapter."""

    def __init__(self, context: rclpy.Context) -> None:
        self.node = Node('heartbeats', context=context)
        self._publisher = HeartbeatPublisher(self.node, 'a life')
        self.heard: list[Heartbeat] = []
        self.node.create_subscription(Heartbeat, HEARTBEAT, self.heard.append, LATEST)
        self._drive = self.node.create_client(Trigger, 'adapter/drive_forward')

    def permit(self, motion: str, number: int) -> None:
        self._publisher.permit(Permit(motion, number))

    def drive(self) -> Any:
        assert self._drive.wait_for_service(LIMIT_S)
        return self._drive.call_async(Trigger.Request())


def test_without_a_permit_nothing_starts(context: rclpy.Context) -> None:
    robot, heartbeats = TinyRobot(context, 0.3), Period(context)
    with spun(robot, heartbeats.node):
        answer = heartbeats.drive()
        wait_until(answer.done, 'the adapter answers')
    assert not answer.result().success
    assert answer.result().message == 'No permission for drive_forward'
    assert robot.log == []


def test_a_permit_starts_one_motion_which_ends_with_it(context: rclpy.Context) -> None:
    robot, heartbeats = TinyRobot(context, 1.0), Period(context)

    def permitted(number: int) -> bool:
        heartbeats.permit('drive_forward', number)
        return bool(robot.motion)

    with spun(robot, heartbeats.node):
        for number in (1, 2):
            heartbeats.drive()  # a request that comes before its permit waits for it
            wait_until(partial(permitted, number), 'it drives', look_s=0.02)
            if number == 1:
                heartbeats.permit('', 0)
            wait_until(lambda: not robot.motion, 'it stands')  # withdrawn, then silence
    assert robot.log == ['drives', 'stands: WITHDRAWN', 'drives', 'stands: HALTED']
