"""What live view and page see in the graph, from nodes in the place of executive and robot."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from operator import eq
from types import SimpleNamespace
from typing import Any, TypeVar

from bt_executive_interfaces.msg import (
    AdapterStatus,
    ExecutiveState,
    MotionSetpoint,
    SetpointReport,
)
from domains import next_domain
from py_trees.behaviours import Running, StatusQueue, Success
from py_trees.common import Status
from py_trees.composites import Selector, Sequence
from py_trees_ros_interfaces.msg import Behaviour, BehaviourTree
from py_trees_ros_interfaces.srv import CloseSnapshotStream, OpenSnapshotStream
import pytest
import rclpy
from rclpy.clock import Clock
from rclpy.parameter import Parameter
from sensor_msgs.msg import CompressedImage
from spinning import spun_node
from std_srvs.srv import SetBool
from two_nodes import TwoNodes, own_context
from unique_identifier_msgs.msg import UUID
from waiting import wait_until

from bt_executive.client.front_end_events import (
    AdapterStatusReceived,
    ClientEvent,
    ClientFailed,
    FaultsReceived,
    LiveViewSetting,
    PictureReceived,
    Problem,
    ServiceReply,
    StateReceived,
)
from bt_executive.client.front_end_rights import PAGE
from bt_executive.client.tree_fold import TreeNode
from bt_executive.core.goal_queue import Task
from bt_executive.core.robot_state import RobotState
from bt_executive.core.state import BrainState, Mode, TasksState, state_to_json
from bt_executive.ros.client import front_end_subscriptions
from bt_executive.ros.client.executive_client import ExecutiveClient
from bt_executive.ros.client.front_end_subscriptions import (
    HIGHEST,
    MOST_BEHAVIOURS,
    PERIOD_S,
    REST_PERIOD_S,
    StateAndTreeSubscriptions,
    ask_for_state,
    follow_state,
    tree_from_ros,
)
from bt_executive.ros.client.manual_mode_and_faults import FAULT, OFF
from bt_executive.ros.client.received_messages import TopicReader
from bt_executive.ros.client.service_and_parameter_calls import NodeParameters
from bt_executive.ros.tree_stream import snapshot_streams
from bt_executive.ros.tree_stream.snapshot_streams import SnapshotOptions, SnapshotStream
from bt_executive.ros.tree_stream.tree_host_choice import make_tree_host
from rover_common.config.load import load_config
from rover_common.ros.heartbeat_setpoint_and_status import SETPOINT
from rover_common.ros.message_conversions import seconds_to_ros
from rover_common.ros.node_topic_and_enclave_names import relative_name
from rover_common.ros.qos import LATCHED

pytestmark = pytest.mark.ros
Seen = TypeVar('Seen')
Kind = TypeVar('Kind')


class Stage(TwoNodes):
    """An executive's tree and state, and a watch, each in a node of its own."""

    def __init__(self, context: rclpy.Context) -> None:
        super().__init__(context, 'watch')
        self.seen: list[ClientEvent] = []
        guard = StatusQueue('Safety event?', [Status.FAILURE], Status.FAILURE)
        self.root = Selector(
            'Act', False, [Sequence('Stay safe', False, [guard, Success('Hold')]), Running('Idle')]
        )
        self.host = make_tree_host(self.served, self.root, dict)
        self.state = self.served.create_publisher(ExecutiveState, '~/state', 1)
        self.reader = TopicReader(self.console, self.seen.append)
        parameters = NodeParameters(self.console, 'executive')
        self.watch = StateAndTreeSubscriptions(self.reader, self.seen.append, parameters)

    def tick(self) -> None:
        self.host.before_tick()
        visited = list(self.root.tick())
        self.host.after_tick(visited)

    def turn(self) -> None:
        self.tick()
        super().turn()

    def of(self, kind: type[Kind]) -> list[Kind]:
        return [each for each in self.seen if isinstance(each, kind)]

    def streams(self) -> list[str]:
        names = self.console.get_topic_names_and_types()
        return [name for name, types in names if 'BehaviourTree' in types[0]]


@pytest.fixture
def stage() -> Iterator[Stage]:
    with own_context() as context:
        yield Stage(context)


def test_the_tree_comes_as_long_as_the_executive_lives_and_no_stream_is_left(stage: Stage) -> None:
    service = f'{stage.served.get_fully_qualified_name()}/snapshot_streams/open'
    stage.until(lambda: stage.console.count_services(service), 'the service')
    for _ in range(2):  # a restart of the executive
        stage.watch.on_executive_ready()
        root = stage.until(lambda: stage.of(TreeNode), 'a snapshot')[-1]
        stage.watch.on_executive_lost()
        stage.seen.clear()
    assert (root.name, root.status) == ('Act', 'running')
    safe, idle = root.children
    assert [(each.name, each.status) for each in safe.children] == [
        ('Safety event?', 'failure'),
        ('Hold', 'invalid'),
    ]
    assert (idle.name, idle.status, idle.children) == ('Idle', 'running', ())
    stage.watch.on_executive_ready()
    stage.until(lambda: stage.of(TreeNode), 'a snapshot')
    before = len(stage.streams())
    stage.watch.close()
    stage.until(lambda: len(stage.streams()) < before, 'the stream has been closed')


def test_after_a_silence_the_tree_comes_although_its_stream_was_closed(stage: Stage) -> None:
    service = f'{stage.served.get_fully_qualified_name()}/snapshot_streams/open'
    stage.until(lambda: stage.console.count_services(service), 'the service')
    stage.watch.on_executive_ready()
    stage.until(lambda: stage.of(TreeNode), 'a snapshot')
    closing = stage.console.create_client(CloseSnapshotStream, 'executive/snapshot_streams/close')
    stage.until(closing.service_is_ready, 'the service that closes')
    (topic,) = stage.streams()
    closed = closing.call_async(CloseSnapshotStream.Request(topic_name=topic))
    stage.until(closed.done, 'the stream is closed, as one that nobody reads any more')
    stage.seen.clear()
    stage.watch.on_silence_ended()
    stage.until(lambda: stage.of(TreeNode), 'a snapshot')


def test_a_request_for_the_tree_that_was_lost_is_sent_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(front_end_subscriptions, 'AGAIN_S', 0.05)
    with own_context() as context:
        nodes, opened = TwoNodes(context, 'watch'), list[bool]()

        def answer(
            _: OpenSnapshotStream.Request, response: OpenSnapshotStream.Response
        ) -> OpenSnapshotStream.Response:
            opened.append(True)
            return response

        reader = TopicReader(nodes.console, lambda _: None)
        parameters = NodeParameters(nodes.console, 'executive')
        watch = StateAndTreeSubscriptions(reader, lambda _: None, parameters)
        watch.on_executive_ready()  # nobody offers a stream yet
        nodes.served.create_service(OpenSnapshotStream, '~/snapshot_streams/open', answer)

        def turn() -> None:
            watch.update()
            nodes.turn()

        wait_until(lambda: opened, 'another request', meanwhile=turn)


def test_at_rest_the_executive_is_asked_for_fewer_snapshots(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[float] = []

    class Asked(SnapshotStream):
        def reconfigure(self, options: SnapshotOptions) -> None:
            asked.append(options.period_s)
            super().reconfigure(options)

    monkeypatch.setattr(snapshot_streams, 'SnapshotStream', Asked)
    service = f'{stage.served.get_fully_qualified_name()}/snapshot_streams/open'
    stage.until(lambda: stage.console.count_services(service), 'the service')
    stage.until(stage.watch._reconfigure.service_is_ready, 'the service')
    stage.watch.on_executive_ready()
    stage.until(lambda: stage.of(TreeNode), 'a snapshot')
    rests = BrainState(robot=RobotState(at_rest=True))
    busy = BrainState(
        tasks=TasksState(queue=(Task('u', 'go'),), mode=Mode.EXEC), robot=rests.robot
    )
    unknown = BrainState()
    stopping = BrainState(robot=RobotState(at_rest=True, stopping=True))  # not confirmed yet
    both = [REST_PERIOD_S, PERIOD_S]
    for now, state, expected in (
        (10.0, busy, []),
        (10.9, rests, []),  # the last snapshots may be from before
        (11.1, rests, both[:1]),
        (12.0, rests, both[:1]),
        (13.0, busy, both),
        (14.1, rests, [*both, *both[:1]]),
        (15.0, stopping, [*both, *both]),
        (15.1, rests, [*both, *both]),
        (16.1, rests, [*both, *both, *both[:1]]),
        (17.0, unknown, [*both, *both, *both]),
        (3.0, rests, [*both, *both, *both, *both[:1]]),  # a clock that was set
    ):
        stage.watch._on_state(StateReceived(state, now))
        stage.until(partial(eq, asked, expected), f'{expected}')


def test_bytes_that_are_no_snapshot_are_refused_and_the_next_snapshot_is_seen(
    stage: Stage,
) -> None:
    service = f'{stage.served.get_fully_qualified_name()}/snapshot_streams/open'
    stage.until(lambda: stage.console.count_services(service), 'the service')
    stage.watch.on_executive_ready()
    stage.until(lambda: stage.of(TreeNode), 'a snapshot')
    stranger = stage.served.create_publisher(BehaviourTree, stage.streams()[0], LATCHED)

    def refused() -> list[Problem]:
        stranger.publish(b'\x00\x01\x00\x00\xff\xff\xff\x7f')  # a sequence longer than the message
        return stage.of(Problem)

    (refusal,) = stage.until(refused, 'a refusal')
    assert 'on the tree is refused' in refusal.text
    stage.seen.clear()
    stage.until(lambda: stage.of(TreeNode), 'a snapshot')


def test_states_are_seen_and_what_is_none_is_not(stage: Stage) -> None:
    stage.until(stage.state.get_subscription_count, 'a subscription')
    stage.state.publish(ExecutiveState(state_json='no state'))
    stage.until(lambda: stage.of(Problem), 'a refusal')
    stage.state.publish(ExecutiveState(state_json='no state'))
    stage.state.publish(ExecutiveState(state_json=state_to_json(BrainState())))
    assert stage.until(lambda: stage.of(StateReceived), 'a state')[0].state == BrainState()
    assert len(stage.of(StateReceived)) == 1
    (refused,) = stage.of(Problem)  # told once in a while, however many there are
    assert 'on executive/state is refused' in refused.text
    assert 'JSON' in refused.text


def test_a_state_is_of_the_executives_time_which_may_be_simulated() -> None:
    handlers: list[Callable[[ExecutiveState], None]] = []
    told: list[StateReceived] = []
    reader: Any = SimpleNamespace(
        node=SimpleNamespace(get_clock=Clock), subscribe=lambda *given: handlers.append(given[2])
    )
    follow_state(reader, told.append)
    (handle,) = handlers
    state = BrainState(tasks=TasksState(held_since=10.0))
    handle(ExecutiveState(stamp=seconds_to_ros(12.5), state_json=state_to_json(state)))
    assert told == [StateReceived(state, 12.5)]


def test_who_asks_once_is_told_once(stage: Stage) -> None:
    told: list[StateReceived] = []
    ask_for_state(stage.reader, told.append)
    stage.until(lambda: stage.state.get_subscription_count() == 2, 'a subscription')
    stage.state.publish(ExecutiveState(state_json=state_to_json(BrainState())))
    stage.until(lambda: told, 'an answer')
    stage.until(lambda: stage.state.get_subscription_count() == 1, 'one subscription less')
    assert len(told) == 1


def test_an_empty_snapshot_is_no_tree() -> None:
    assert tree_from_ros(BehaviourTree()) is None


def test_the_executives_parameter_says_whether_a_live_view_is_wanted(stage: Stage) -> None:
    stage.served.declare_parameter('agent_rich_ui', False)
    stage.until(stage.watch._parameters.is_served, 'its parameters can be read')
    stage.watch.on_executive_ready()
    (told,) = stage.until(lambda: stage.of(LiveViewSetting), 'the parameter was read')
    assert told == LiveViewSetting(whole=False)


@pytest.mark.parametrize(('count', 'deep'), [(MOST_BEHAVIOURS + 1, False), (HIGHEST + 1, True)])
def test_a_tree_beyond_all_measure_is_refused(count: Any, deep: bool) -> None:
    ids = [UUID(uuid=list(number.to_bytes(16, 'big'))) for number in range(count)]
    behaviours = [
        Behaviour(own_id=own, child_ids=ids[number - 1 : number] if deep else [])
        for number, own in enumerate(ids)
    ]
    with pytest.raises(ValueError, match='more than'):
        tree_from_ros(BehaviourTree(behaviours=behaviours))


CONFIG = load_config()


@pytest.fixture
def robot(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """A node in a domain of its own, in which the lines are made, too."""
    domain = next_domain()
    monkeypatch.setenv('ROS_DOMAIN_ID', str(domain))
    with spun_node('robot', domain) as node:
        yield node


def test_pictures_arrive_and_held_motions_are_levels_in_manual_mode_alone(robot: Any) -> None:
    events: list[Any] = []
    setpoints: list[MotionSetpoint] = []
    robot.create_subscription(MotionSetpoint, SETPOINT, setpoints.append, 10)
    status = robot.create_publisher(AdapterStatus, 'adapter/status', LATCHED)
    pictures = robot.create_publisher(CompressedImage, 'capture/image_raw/compressed', 1)
    robot.create_service(SetBool, 'adapter/manual_mode', lambda _request, answer: answer)
    client = ExecutiveClient(CONFIG, events.append, (), PAGE)
    try:
        client.subscribe_page_topics()

        def pictured() -> bool:  # best effort: the first ones may come before both sides matched
            pictures.publish(CompressedImage(data=b'jpeg'))
            return any(isinstance(each, PictureReceived) for each in events)

        wait_until(pictured)
        status.publish(AdapterStatus(sender='a', manual_mode=AdapterStatus.NO))
        wait_until(lambda: AdapterStatusReceived('a', False) in events)
        client.drive('move_forward')
        client.set_manual(True)
        wait_until(lambda: any(isinstance(each, ServiceReply) for each in events))
        assert not setpoints
        lost = SetpointReport(
            sender='navigator',
            navigation_goal=7,
            stage='ENDED',
            reason='no heartbeat',
            motion_stage='ENDED',
        )
        told = AdapterStatus(sender='a', manual_mode=AdapterStatus.YES, navigation_goal=lost)
        status.publish(told)
        wait_until(lambda: AdapterStatusReceived('a', True, 7) in events)  # no matter of this hand

        def driven() -> bool:
            client.drive('move_forward')
            return any(each.motion == 'move_forward' for each in setpoints)

        wait_until(driven)
        wait_until(lambda: setpoints[-1].motion == '')  # nobody holds it any more
        assert {each.adapter for each in setpoints} == {'a'}
        told.navigation_goal = SetpointReport(
            sender=setpoints[-1].sender,
            navigation_goal=1,
            stage='RUNNING',
            motion_stage='REFUSED',
            motion_reason='Close the mast',
        )
        status.publish(told)
        wait_until(lambda: AdapterStatusReceived('a', True, 1, 'Close the mast') in events)
    finally:
        client.close()


def test_the_camera_is_asked_for_its_first_picture_before_anybody_looks_and_then_rests(
    robot: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(front_end_subscriptions, 'LIVE_S', 0.2)
    topic = relative_name(CONFIG.topics.images.input_compressed)
    pictures = robot.create_publisher(CompressedImage, topic, front_end_subscriptions.NEWEST)
    events: list[Any] = []
    client = ExecutiveClient(CONFIG, events.append, (), PAGE)

    def live() -> int:
        return sum(isinstance(each, PictureReceived) and each.live for each in list(events))

    def pictured() -> bool:
        pictures.publish(CompressedImage(data=b'jpeg'))
        return live() > 0

    def looked() -> bool:
        client.request_camera()
        return int(pictures.get_subscription_count()) == 1

    try:
        client.subscribe_page_topics()
        wait_until(pictured)
        wait_until(lambda: pictures.get_subscription_count() == 0)
        wait_until(looked)
    finally:
        client.close()


@pytest.mark.usefixtures('robot')
def test_a_page_shows_the_faults_that_another_front_end_switches() -> None:
    events: list[Any] = []
    client = ExecutiveClient(CONFIG, events.append, (), PAGE)
    with spun_node('rover') as rover:
        rover.declare_parameter('faults', ['camera_off'])

        def switched() -> bool:  # volatile: the first ones may come before both sides matched
            rover.set_parameters([Parameter('faults', value=['tf_off'])])
            return FaultsReceived('rover', ('tf_off',)) in events

        try:
            client.subscribe_page_topics()
            wait_until(lambda: FaultsReceived('rover', ('camera_off',)) in events)
            wait_until(switched)
        finally:
            client.close()


@pytest.mark.usefixtures('robot')
def test_a_node_that_only_has_the_name_of_an_embedded_one_can_have_no_faults(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    events: list[Any] = []
    read: list[str] = []
    client = ExecutiveClient(CONFIG, events.append, (), PAGE)
    with spun_node('rover') as rover:
        get = rover.get_parameter

        def noted(name: str) -> Any:
            read.append(name)
            return get(name)

        monkeypatch.setattr(rover, 'get_parameter', noted)

        def asked() -> bool:
            client.set_fault('rover', 'camera_frozen')
            return 'faults' in read

        def told() -> list[Any]:
            failed = [each for each in events if isinstance(each, ClientFailed)]
            return failed or [each for each in events[begin:] if isinstance(each, ServiceReply)]

        try:
            wait_until(asked)
            begin = len(events)  # until here nobody was there to be asked
            assert wait_until(told)[0] == ServiceReply(FAULT, False, f'rover: {OFF}')
        finally:
            client.close()
