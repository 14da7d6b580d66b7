"""The process `gates` as a node: what it commands, what it cancels, and what it reports."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import Any
import uuid

from action_msgs.msg import GoalStatus
from bt_executive_interfaces.action import DriveMotion
from bt_executive_interfaces.msg import AdapterStatus
from builtin_interfaces.msg import Time
from geometry_msgs.msg import Twist, TwistStamped
from nav_msgs.msg import Odometry
from patient_gates import LIMIT_S, patient
import pytest
import rclpy
from rclpy.action import ActionClient, ActionServer, CancelResponse
from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.context import Context
from rclpy.node import Node
from rclpy.qos import qos_profile_sensor_data
from rclpy.task import Future
from spinning import spinning
from status_messages import facts_of
from std_msgs.msg import Bool
from std_srvs.srv import Trigger
from unique_identifier_msgs.msg import UUID
from waiting import wait_until

from gates.gates_node import GatesNode
from rover_common.config.load import load_config
from rover_common.permit import Permit
from rover_common.ros.heartbeat_setpoint_and_status import HeartbeatPublisher
from rover_common.ros.low_latency_executor import LowLatencyExecutor
from rover_common.ros.qos import LATCHED
from rover_common.ros.run_node import NodeOptions

ROBOT = """
gates:
  base: {{ velocity: {{ in: wanted, out: cmd_vel, stamped: {stamped} }}, odom: odom }}
  arm: {{ action: /execute_action }}
tools:
  go: {{ gate: base, action: {{ name: /go, type: {type} }} }}
  straight: {{ gate: base, motion: straight, args: {{ distance_m: {{ maximum: 3 }} }} }}
  pick: {{ gate: arm, action: {{ name: /execute_action, type: {type} }} }}
"""
TYPE = 'bt_executive_interfaces/action/DriveMotion'
ARM_ALONE = """
gates: {{ arm: {{ action: /execute_action, moving: busy }} }}
state: {{ busy: {{ topic: /busy, field: data, max_age_s: 60 }} }}
tools: {{ pick: {{ gate: arm, action: {{ name: /execute_action, type: {type} }} }} }}
"""
PERIOD_S = 0.02
pytestmark = pytest.mark.ros


class World(Node):
    """Executive, driver and base: does what the test says, and keeps what the gates say."""

    def __init__(self, context: Context, stamped: bool = False) -> None:
        super().__init__('world', context=context)
        self.permitted: dict[str, Permit] = {}
        self.wanted = 0.0
        self.speed: float | None = None  # as odometry says; None: there is none
        self.follows = False  # odometry shows what was commanded
        self.x, self.stamp = 0.0, Time()  # a stamp of zero: odometry has none
        self.commanded: list[float] = []
        self.reports: list[dict[str, Any]] = []
        self.silent = False
        self._stamped = stamped
        self._heartbeats = HeartbeatPublisher(self, uuid.uuid4().hex)
        kind = TwistStamped if stamped else Twist
        self._velocity = self.create_publisher(kind, 'wanted', 10)
        self._odometry = self.create_publisher(Odometry, 'odom', qos_profile_sensor_data)
        self.create_subscription(kind, 'cmd_vel', self._command_came, 10)
        self.create_subscription(AdapterStatus, 'adapter/status', self._status_came, LATCHED)
        self._stop = self.create_client(Trigger, 'adapter/stop')
        self.create_timer(PERIOD_S, self._go_on)

    @property
    def last(self) -> dict[str, Any]:
        return self.reports[-1] if self.reports else {}

    def stands(self) -> None:
        """Waits until the gates know that the base stands."""
        self.speed = 0.0
        wait_until(lambda: self.last.get('at_rest'), 'the base is known to stand')

    def stop(self) -> None:
        assert self._stop.wait_for_service(10.0)
        wait_until(self._stop.call_async(Trigger.Request()).done, 'the stop is answered')

    def _go_on(self) -> None:
        if not self.silent:
            for gate in ('base', 'arm'):
                self._heartbeats.permit(self.permitted.get(gate, Permit(gate=gate)))
        if self.wanted:
            velocity = Twist()
            velocity.linear.x = self.wanted
            self._velocity.publish(TwistStamped(twist=velocity) if self._stamped else velocity)
        if self.speed is not None:
            self.x += self.speed * PERIOD_S
            odometry = Odometry()
            odometry.header.stamp = self.stamp
            odometry.pose.pose.position.x = self.x
            odometry.pose.pose.orientation.w = 1.0
            odometry.twist.twist.linear.x = self.speed
            self._odometry.publish(odometry)

    def _command_came(self, message: Any) -> None:
        twist = message.twist if self._stamped else message
        self.commanded.append(twist.linear.x)
        if self.follows:
            self.speed = twist.linear.x

    def _status_came(self, message: AdapterStatus) -> None:
        self.reports.append(facts_of(message))


def options(
    folder: Path, stamped: bool = False, deadman_s: float = LIMIT_S, robot: str = ROBOT
) -> NodeOptions:
    (folder / 'robot.yaml').write_text(robot.format(stamped=str(stamped).lower(), type=TYPE))
    return NodeOptions(patient(load_config(folder), deadman_s, odom_max_age_s=1.0), None)


@contextmanager
def spun(context: Context, *nodes: Node) -> Iterator[None]:
    executor = LowLatencyExecutor(context=context)
    for node in nodes:
        executor.add_node(node)
    with spinning(executor):
        yield
    executor.shutdown()
    for node in nodes:
        node.destroy_node()


@pytest.fixture
def context() -> Iterator[Context]:
    made = Context()
    rclpy.init(context=made)
    yield made
    made.try_shutdown()


@pytest.fixture
def world(context: Context, tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[World]:
    stamped = getattr(request, 'param', False)
    nodes = World(context, stamped), GatesNode(options(tmp_path, stamped), context)
    with spun(context, *nodes):
        yield nodes[0]


def test_a_new_gate_brakes_a_base_that_rolls(world: World) -> None:
    world.speed = 0.5
    wait_until(lambda: world.commanded[2:], 'it is told to stand, again and again')
    assert not any(world.commanded)
    world.stands()


@pytest.mark.parametrize('world', [False, True], ids=['Twist', 'TwistStamped'], indirect=True)
def test_a_velocity_passes_under_a_permit_alone_and_rest_is_measured_after_it(
    world: World,
) -> None:
    world.stands()
    world.wanted = 0.5
    world.permitted = {'arm': Permit('pick', 1, 'arm', uuid.uuid4().hex)}  # of another gate
    heartbeats = len(world.reports)
    wait_until(lambda: len(world.reports) > heartbeats + 5, 'some time has passed')
    assert not any(world.commanded)
    world.speed = None
    world.permitted = {'base': Permit('go', 2, 'base')}
    wait_until(lambda: 0.5 in world.commanded, 'a velocity passes')
    world.permitted, world.wanted = {}, 0.0
    wait_until(lambda: world.last['ending'], 'the drive has ended')
    assert world.last['ending']['code'] == 'WITHDRAWN'
    assert not any(each['at_rest'] for each in world.reports if each['ending'])


def test_odometry_that_repeats_itself_is_no_news(world: World) -> None:
    """A driver that hangs sends its last message again and again, with the same stamp."""
    world.stamp = Time(sec=5)
    world.stands()
    wait_until(lambda: world.last['at_rest'] is None, 'the news is old')
    assert world.last['moving'] is None
    assert 'at the gate base no new odometry has come for 1 s' in world.last['standing_unknown']
    world.stamp = Time(sec=6)
    wait_until(lambda: world.last['at_rest'], 'the base is known to stand again')


def drive(world: World, metres: float, permit: int) -> tuple[Any, Any]:
    """Asks for the gate's own motion; returns its goal handle and its result, both to come."""
    client = ActionClient(world, DriveMotion, 'gates/base/straight')
    wait_until(client.server_is_ready, 'the gate offers its motions')
    goal = uuid.uuid4()
    sent = client.send_goal_async(
        DriveMotion.Goal(distance_m=metres), goal_uuid=UUID(uuid=list(goal.bytes))
    )
    if permit:
        world.permitted = {'base': Permit('straight', permit, 'base', goal.hex)}
    wait_until(sent.done, 'the goal is accepted')
    return sent.result(), sent.result().get_result_async()


def test_a_motion_of_the_gate_ends_where_odometry_says(world: World) -> None:
    world.follows = True
    world.stands()
    _, result = drive(world, 0.3, permit=1)
    wait_until(result.done, 'the motion ends')
    end = result.result()
    assert (end.status, end.result.error_code) == (GoalStatus.STATUS_SUCCEEDED, ''), end.result
    assert end.result.distance_m == pytest.approx(world.x, abs=0.02)
    assert world.x == pytest.approx(0.3, abs=0.05)
    assert world.speed == 0.0


@pytest.mark.parametrize(
    'how', ['cancel', 'withdraw', 'stop', 'odometry', 'two odometers', 'no permit']
)
def test_a_motion_that_does_not_get_there_says_why_and_the_base_stands(
    world: World, how: str
) -> None:
    world.follows = True
    world.stands()
    handle, result = drive(world, 100.0, permit=0 if how == 'no permit' else 1)
    if how != 'no permit':
        wait_until(lambda: any(world.commanded), 'it drives')
    if how == 'cancel':
        handle.cancel_goal_async()
    elif how == 'withdraw':
        world.permitted = {}
    elif how == 'stop':
        world.stop()
    elif how == 'odometry':
        world.follows, world.speed = False, None
    elif how == 'two odometers':
        world.create_publisher(Odometry, 'odom', qos_profile_sensor_data)
    wait_until(result.done, 'the motion ends')
    codes = {'cancel': 'CANCELLED', 'no permit': 'NOT_PERMITTED'}
    codes |= dict.fromkeys(('odometry', 'two odometers'), 'NOT_MEASURED')
    end = result.result()
    assert end.result.error_code == codes.get(how, 'STOPPED'), end.result
    assert end.status == (
        GoalStatus.STATUS_CANCELED if how == 'cancel' else GoalStatus.STATUS_ABORTED
    )
    assert world.commanded[-1] == 0.0
    unconfirmed = 'it is not confirmed that the base stands' in end.result.message
    assert unconfirmed == ('odom' in how)
    if how == 'two odometers':
        assert '2 publishers on /odom (/world, /world): let only one' in end.result.message
        assert '2 publishers on /odom' in world.last['standing_unknown']


def test_a_state_that_is_named_says_whether_the_arm_moves(
    context: Context, tmp_path: Path
) -> None:
    world = World(context)

    def says(part: str) -> None:
        wait_until(lambda: part in (world.last.get('standing_unknown') or ''), part)

    with spun(context, world, GatesNode(options(tmp_path, robot=ARM_ALONE), context)):
        says('at the gate arm nothing publishes /busy')
        busy = world.create_publisher(Bool, 'busy', LATCHED)
        busy.publish(Bool(data=True))
        wait_until(lambda: world.last['moving'], 'it moves')
        busy.publish(Bool(data=False))
        wait_until(lambda: world.last['at_rest'], 'it stands')
        other = world.create_publisher(Bool, 'busy', LATCHED)
        says('2 publishers on /busy (/world, /world): let only one publish there')
        world.destroy_publisher(other)
        wait_until(lambda: world.last['at_rest'], 'the one that stays is read again')


def test_a_base_that_an_action_drives_is_braked_when_that_has_lost_its_permit(
    context: Context, tmp_path: Path
) -> None:
    """Such as one that docks by itself, past the velocities."""
    world = World(context)
    robot = ROBOT.replace('pick: {{', 'pick: {{ resources_required: [base],')
    with spun(context, world, GatesNode(options(tmp_path, robot=robot), context)):
        world.stands()
        world.permitted = {'arm': Permit('pick', 1, 'arm', uuid.uuid4().hex)}
        wait_until(lambda: world.last['permit']['number'] == 1, 'the gates know the permit')
        world.commanded.clear()
        world.speed = 0.2
        reports = len(world.reports)
        wait_until(lambda: len(world.reports) > reports + 5, 'some time has passed')
        assert world.last['moving'] is True
        assert world.commanded == []
        world.permitted = {}
        wait_until(lambda: world.commanded[2:], 'it is told to stand, again and again')


def test_a_base_that_an_action_drives_is_braked_after_a_stop_whatever_the_heartbeats_name(
    context: Context, tmp_path: Path
) -> None:
    robot = ROBOT.replace('pick: {{', 'pick: {{ resources_required: [base],')
    world = World(context)

    def is_released() -> bool:
        commands, reports = len(world.commanded), len(world.reports)
        wait_until(lambda: len(world.reports) > reports + 5, 'some time has passed')
        return len(world.commanded) == commands

    with spun(context, world, GatesNode(options(tmp_path, robot=robot), context)):
        world.stands()
        world.permitted = {'arm': Permit('pick', 1, 'arm', uuid.uuid4().hex)}
        wait_until(lambda: world.last['permit']['number'] == 1, 'the gates know the permit')
        world.stop()
        wait_until(is_released, 'the base is seen to stand')
        world.commanded.clear()
        world.speed = 0.2
        wait_until(lambda: world.commanded[2:], 'it is told to stand, again and again')


class Arm(Node):
    """A server with any number of goals under way; ends one when it is cancelled."""

    def __init__(self, context: Context) -> None:
        super().__init__('arm', context=context)
        self.cancelled: set[str] = set()
        self._server = ActionServer(
            self,
            DriveMotion,
            '/execute_action',
            execute_callback=self._execute,
            cancel_callback=lambda _: CancelResponse.ACCEPT,
            callback_group=ReentrantCallbackGroup(),
        )

    async def _execute(self, handle: Any) -> DriveMotion.Result:
        while not handle.is_cancel_requested:
            turn = Future()
            timer = self.create_timer(0.02, partial(turn.set_result, None))
            await turn
            self.destroy_timer(timer)
        self.cancelled.add(bytes(handle.goal_id.uuid.tolist()).hex())
        handle.canceled()
        return DriveMotion.Result()


def begin(client: ActionClient) -> str:
    """A goal that the arm has accepted."""
    goal = uuid.uuid4()
    sent = client.send_goal_async(DriveMotion.Goal(), goal_uuid=UUID(uuid=list(goal.bytes)))
    wait_until(sent.done, 'the goal is accepted')
    assert sent.result().accepted
    return goal.hex


def moves(world: World) -> bool:
    return world.last.get('moving') is True


def test_two_robots_share_a_server_and_each_stops_its_own_goal_alone(
    context: Context, tmp_path: Path
) -> None:
    """One is stopped, the executive of the other falls silent, and a third client goes on."""
    arm, client_node = Arm(context), Node('client', context=context)
    client = ActionClient(client_node, DriveMotion, '/execute_action')
    with ExitStack() as stack:
        stack.enter_context(spun(context, arm, client_node))
        wait_until(client.server_is_ready, 'the arm is there')
        worlds = []
        for name, deadman_s in (('one', LIMIT_S), ('two', 1.0)):
            theirs = Context()
            rclpy.init(args=['--ros-args', '-r', f'__ns:=/{name}'], context=theirs)
            stack.callback(theirs.try_shutdown)
            nodes = World(theirs), GatesNode(options(tmp_path, deadman_s=deadman_s), theirs)
            stack.enter_context(spun(theirs, *nodes))
            worlds.append(nodes[0])
        goals = [begin(client) for _ in range(3)]
        for world, goal in zip(worlds, goals, strict=False):
            world.permitted = {'arm': Permit('pick', 1, 'arm', goal)}
            world.speed = 0.0
            wait_until(partial(moves, world), 'its goal is under way')
        worlds[0].stop()
        wait_until(lambda: goals[0] in arm.cancelled, 'the goal of the first is cancelled')
        wait_until(lambda: worlds[0].last['at_rest'], 'the first stands')
        assert arm.cancelled == {goals[0]}
        assert worlds[1].last['moving']
        worlds[1].silent = True
        wait_until(lambda: goals[1] in arm.cancelled, 'the goal of the second is cancelled')
        wait_until(lambda: worlds[1].last['at_rest'], 'the second stands')
        assert arm.cancelled == {goals[0], goals[1]}
        late = begin(client)  # it was on its way when its executive died
        worlds[0].permitted = {'arm': Permit('pick', 2, 'arm', late)}
        wait_until(lambda: worlds[0].last['moving'], 'the next goal of the first is under way')
        worlds[0].permitted = {}
        wait_until(lambda: late in arm.cancelled, 'and ends with its permit')
        assert goals[2] not in arm.cancelled
