"""Subscriptions of live view and page: state, tree, pictures, paths and adapter status.

The tree arrives by a snapshot stream of the viewers' protocol, opened anew for each run of the
executive and closed at the end. The executive closes one that has had no subscriber for a while,
as while this process was suspended.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
import math
import time

from bt_executive_interfaces.msg import AdapterStatus, ExecutiveState
from nav_msgs.msg import Path
from py_trees_ros_interfaces.msg import Behaviour, BehaviourTree, SnapshotStreamParameters
from py_trees_ros_interfaces.srv import (
    CloseSnapshotStream,
    OpenSnapshotStream,
    ReconfigureSnapshotStream,
)
from rcl_interfaces.msg import ParameterEvent, ParameterType, ParameterValue
from rclpy.node import Node
from rclpy.qos import QoSProfile, ReliabilityPolicy, qos_profile_parameter_events
from rclpy.serialization import deserialize_message
from rclpy.subscription import Subscription
from rclpy.task import Future
from sensor_msgs.msg import CompressedImage

from bt_executive.client.front_end_events import (
    ClientEvent,
    LiveViewSetting,
    PathReceived,
    PictureReceived,
    StateReceived,
)
from bt_executive.client.tree_fold import Status, TreeNode
from bt_executive.ros.client.manual_mode_and_faults import ManualControl
from bt_executive.ros.client.memory_and_path_questions import MOST_POINTS
from bt_executive.ros.client.received_messages import TopicReader, adapter_from_ros, read_state
from bt_executive.ros.client.service_and_parameter_calls import NodeParameters
from rover_common.config.settings import Config, Topics
from rover_common.ros.message_conversions import seconds_from_ros
from rover_common.ros.node_topic_and_enclave_names import relative_name
from rover_common.ros.polled_and_on_demand_subscriptions import SubscriptionOnDemand
from rover_common.ros.qos import LATCHED
from rover_common.ros.timers import STEADY

STREAMS = 'executive/snapshot_streams'
RICH_UI = 'agent_rich_ui'
# Of snapshots, for times in the behaviours' messages: while a goal is under way, and at rest.
PERIOD_S, REST_PERIOD_S = 0.5, 15.0
AGAIN_S = 1.0  # steady; until a stream is requested again, whose request was perhaps lost
SETTLE_S = 1.0  # at rest before that, so that a snapshot shows how it was reached
GATHER_S = 0.05  # after the first snapshot: to read one of 263 behaviours takes 7 ms
MOST_BEHAVIOURS = 5000
HIGHEST = 100  # behaviours from the root to a leaf
FRESH = QoSProfile(depth=1)  # not latched: an old state is worse than none
STATUSES: dict[int, Status] = {
    Behaviour.INVALID: 'invalid',
    Behaviour.RUNNING: 'running',
    Behaviour.SUCCESS: 'success',
    Behaviour.FAILURE: 'failure',
}
LARGEST_PICTURE = 8_000_000  # bytes; larger ones are dropped
CAPTURES = QoSProfile(depth=5, reliability=ReliabilityPolicy.BEST_EFFORT)
NEWEST = QoSProfile(depth=1, reliability=ReliabilityPolicy.BEST_EFFORT)
LIVE_S = 3.0  # how long the camera stays subscribed after the last `request_camera`
LIVE_PERIOD_S = 0.15


class StateAndTreeSubscriptions:
    """Follows state and tree. Used in the client's thread alone.

    `emit` takes `StateReceived`, `TreeNode` and `LiveViewSetting`. `parameters`: the executive's.
    """

    def __init__(
        self,
        reader: TopicReader,
        emit: Callable[[ClientEvent], None],
        parameters: NodeParameters,
    ) -> None:
        node = self._node = reader.node
        self._reader = reader
        self._emit, self._parameters = emit, parameters
        self._open = node.create_client(OpenSnapshotStream, f'{STREAMS}/open')
        self._reconfigure = node.create_client(ReconfigureSnapshotStream, f'{STREAMS}/reconfigure')
        self._close = node.create_client(CloseSnapshotStream, f'{STREAMS}/close')
        self._tree: Subscription | None = None
        self._asked: Future | None = None  # for a stream
        self._again_at = -math.inf  # steady s
        self._period_s = PERIOD_S  # as requested last
        self._busy_at = -math.inf  # ROS time of the latest state that was not at rest
        self._newest = b''
        self._reading = node.create_timer(GATHER_S, self._read_tree, clock=STEADY)
        self._reading.cancel()
        self._generation = 0
        follow_state(reader, self._on_state)

    def on_executive_ready(self) -> None:
        """Requests a stream, and whether a live view is wanted, from an executive that answers."""
        self._request_stream()
        self._parameters.read([RICH_UI], self._on_parameters)

    def on_silence_ended(self) -> None:
        """Requests another stream: the former one may have been closed meanwhile."""
        self.close()
        self._request_stream()

    def update(self) -> None:
        """Requests the stream again until that is answered; to be called often."""
        is_open = self._asked is not None and not self._asked.done()
        if is_open and time.monotonic() >= self._again_at:
            self._request_stream()

    def on_executive_lost(self) -> None:
        """Drops the stream, which has ended with the executive."""
        self._generation += 1
        self._drop_request()
        if self._tree is not None:
            self._node.destroy_subscription(self._tree)
            self._tree = None
            self._reading.cancel()

    def close(self) -> None:
        """Closes the stream; the executive would do so by itself, but later."""
        if self._tree is not None and self._close.service_is_ready():
            self._close.call_async(CloseSnapshotStream.Request(topic_name=self._tree.topic_name))
        self.on_executive_lost()

    def _request_stream(self) -> None:
        self._drop_request()
        self._again_at = time.monotonic() + AGAIN_S
        self._period_s, generation = PERIOD_S, self._generation
        request = OpenSnapshotStream.Request(parameters=_each(self._period_s))
        self._asked = self._open.call_async(request)
        self._asked.add_done_callback(lambda answer: self._opened(generation, answer))

    def _drop_request(self) -> None:
        if self._asked is not None:
            self._open.remove_pending_request(self._asked)
            self._asked = None

    def _opened(self, generation: int, answer: Future) -> None:
        topic = answer.result().topic_name
        if generation == self._generation and topic and self._tree is None:
            self._tree = self._node.create_subscription(
                BehaviourTree, topic, self._on_tree, LATCHED, raw=True
            )

    def _on_state(self, seen: StateReceived) -> None:
        self._emit(seen)
        busy = not seen.state.is_at_rest or seen.state.robot.stopping
        self._busy_at = seen.now if busy else self._busy_at
        settles = 0.0 <= seen.now - self._busy_at < SETTLE_S
        period_s = PERIOD_S if busy or settles else REST_PERIOD_S
        if self._tree is None or period_s == self._period_s:
            return
        if self._reconfigure.service_is_ready():
            request = ReconfigureSnapshotStream.Request(parameters=_each(period_s))
            request.topic_name = self._tree.topic_name
            self._reconfigure.call_async(request)
            self._period_s = period_s

    def _on_parameters(self, values: Sequence[ParameterValue]) -> None:
        for value in values:
            if value.type == ParameterType.PARAMETER_BOOL:
                self._emit(LiveViewSetting(value.bool_value))

    def _on_tree(self, snapshot: bytes) -> None:
        """Keeps the newest snapshot, since ticks may follow each other closely."""
        self._newest = snapshot
        if self._reading.is_canceled():
            self._reading.reset()

    def _read_tree(self) -> None:
        self._reading.cancel()
        try:
            root = tree_from_ros(deserialize_message(self._newest, BehaviourTree))
        except (ValueError, RuntimeError) as error:
            self._reader.refuse('the tree', error)
            return
        if root is not None:
            self._emit(root)


def _each(period_s: float) -> SnapshotStreamParameters:
    return SnapshotStreamParameters(snapshot_period=period_s)


def follow_state(reader: TopicReader, take: Callable[[StateReceived], None]) -> Subscription:
    """Subscribes to ~/state, which the executive publishes while it has subscribers.

    Its times are of the executive's clock, which may be simulated; this node's clock is not.
    """

    def receive(message: ExecutiveState) -> None:
        take(StateReceived(read_state(message.state_json), seconds_from_ros(message.stamp)))

    return reader.subscribe(ExecutiveState, 'executive/state', receive, FRESH)


def ask_for_state(reader: TopicReader, take: Callable[[StateReceived], None]) -> None:
    """Calls `take` with the next state; returns at once."""

    def receive(seen: StateReceived) -> None:
        reader.node.destroy_subscription(subscription)
        take(seen)

    subscription = follow_state(reader, receive)


def tree_from_ros(message: BehaviourTree) -> TreeNode | None:
    """The tree of a snapshot, whose behaviours come children first; None if it has none.

    Raises:
        ValueError: It is larger or deeper than a tree that can be shown.
    """
    if len(message.behaviours) > MOST_BEHAVIOURS:
        raise ValueError(f'it has more than {MOST_BEHAVIOURS} behaviours')
    nodes: dict[bytes, tuple[TreeNode, int]] = {}
    root = None
    for each in message.behaviours:
        found = [nodes.pop(bytes(child.uuid), None) for child in each.child_ids]
        below = [child for child in found if child is not None]
        height = 1 + max((height for _, height in below), default=0)
        if height > HIGHEST:
            raise ValueError(f'it is more than {HIGHEST} behaviours deep')
        root = TreeNode(
            each.name,
            STATUSES.get(each.status, 'invalid'),
            each.message,
            tuple(child for child, _ in below),
        )
        nodes[bytes(each.own_id.uuid)] = root, height
    return root


def follow_captures(node: Node, topics: Topics, emit: Callable[[ClientEvent], None]) -> None:
    """Emits each capture from now on."""

    def receive(message: CompressedImage) -> None:
        emit_picture(message, emit)

    captures = relative_name(topics.images.output_capture_compressed)
    node.create_subscription(CompressedImage, captures, receive, CAPTURES)


def emit_picture(
    message: CompressedImage, emit: Callable[[ClientEvent], None], live: bool = False
) -> None:
    """Emits a picture, unless it is too large."""
    data = bytes(message.data)
    if len(data) <= LARGEST_PICTURE:
        emit(PictureReceived(seconds_from_ros(message.header.stamp), data, live))


class PageSubscriptions(StateAndTreeSubscriptions):
    """Used in the client's thread alone, but for `request_camera`.

    `emit` takes `PictureReceived`, `PathReceived` and `AdapterStatusReceived`, too. Of faults the
    page shows also those that another front end switches.
    """

    def __init__(
        self,
        reader: TopicReader,
        emit: Callable[[ClientEvent], None],
        parameters: NodeParameters,
        config: Config,
        hand: ManualControl,
    ) -> None:
        super().__init__(reader, emit, parameters)
        self._hand = hand
        self._next_live = -math.inf
        self._has_picture = False
        node, topics = reader.node, config.topics
        camera = relative_name(topics.images.input_compressed)
        self._camera = SubscriptionOnDemand(
            node, CompressedImage, camera, self._on_camera, NEWEST, LIVE_S
        )
        follow_captures(node, topics, emit)
        path = topics.adapter.navigation_path
        node.create_subscription(Path, relative_name(path.name), self._on_path, LATCHED)
        node.create_subscription(
            ParameterEvent,
            '/parameter_events',
            hand.parameters_changed,
            qos_profile_parameter_events,
        )
        reader.subscribe(
            AdapterStatus, relative_name(topics.adapter.status.name), self._on_status, LATCHED
        )

    def request_camera(self) -> bool:
        """Keeps the camera subscribed; to be called repeatedly.

        False: it is not subscribed yet; the next `update` subscribes.
        """
        self._camera.request()
        return self._camera.subscribed_at is not None

    def on_executive_ready(self) -> None:
        """Requests the faults of the embedded rover, too."""
        super().on_executive_ready()
        self._hand.read_faults()

    def update(self) -> None:
        """Subscribes to the camera or unsubscribes; it renders only while it has subscribers.

        The first picture is requested in advance: a camera may need a second to start.
        """
        super().update()
        self._hand.update()
        if not self._has_picture:
            self._camera.request()
        self._camera.update()

    def _on_camera(self, message: CompressedImage) -> None:
        now, self._has_picture = time.monotonic(), True
        if now >= self._next_live:
            self._next_live = now + LIVE_PERIOD_S
            emit_picture(message, self._emit, live=True)

    def _on_path(self, message: Path) -> None:
        places = (each.pose.position for each in message.poses[:MOST_POINTS])
        points = tuple((place.x, place.y) for place in places)
        if all(math.isfinite(x) and math.isfinite(y) for x, y in points):
            self._emit(PathReceived(points))

    def _on_status(self, message: AdapterStatus) -> None:
        seen = adapter_from_ros(message, self._hand.sender)
        self._hand.adapter(seen)
        self._emit(seen)
