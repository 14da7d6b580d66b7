"""What the console's live view looks at: the executive's state and its tree.

The tree comes by a snapshot stream of the viewers' protocol, opened anew for each life of the
executive and closed at the end.
"""

from __future__ import annotations

from collections.abc import Callable

from py_trees_ros_interfaces.msg import Behaviour, BehaviourTree
from py_trees_ros_interfaces.srv import CloseSnapshotStream, OpenSnapshotStream
from rcl_interfaces.msg import ParameterType
from rcl_interfaces.srv import GetParameters
from rclpy.node import Node
from rclpy.qos import QoSProfile
from rclpy.subscription import Subscription
from rclpy.task import Future
from std_msgs.msg import String

from bt_executive.console.happenings import Happening, LiveViewWanted, StateSeen, TreeSeen
from bt_executive.console.tree_fold import Status, TreeNode
from bt_executive.ros.latched import LATCHED
from bt_executive.state import state_from_json

STREAMS = 'executive/snapshot_streams'
RICH_UI = 'agent_rich_ui'
PERIOD_S = 0.5  # of seconds that pass in a behaviour's words; changes come at once
FRESH = QoSProfile(depth=1)  # not latched: an old state is worse than none
STATUSES: dict[int, Status] = {
    Behaviour.INVALID: 'invalid',
    Behaviour.RUNNING: 'running',
    Behaviour.SUCCESS: 'success',
    Behaviour.FAILURE: 'failure',
}


class ConsoleWatch:
    """Follows state and tree. Used in the client's thread alone.

    Args:
        node: The client's node.
        put: Takes `StateSeen`, `TreeSeen` and `LiveViewWanted`.
    """

    def __init__(self, node: Node, put: Callable[[Happening], None]) -> None:
        self._node = node
        self._put = put
        self._open = node.create_client(OpenSnapshotStream, f'{STREAMS}/open')
        self._close = node.create_client(CloseSnapshotStream, f'{STREAMS}/close')
        self._parameters = node.create_client(GetParameters, 'executive/get_parameters')
        self._tree: Subscription | None = None
        self._life = 0
        follow_state(node, put)

    def executive_ready(self) -> None:
        """Asks the executive, which answers, for a stream, and whether a live view is wanted."""
        request = OpenSnapshotStream.Request()
        request.parameters.snapshot_period = PERIOD_S
        life = self._life
        self._open.call_async(request).add_done_callback(lambda answer: self._opened(life, answer))
        asked = self._parameters.call_async(GetParameters.Request(names=[RICH_UI]))
        asked.add_done_callback(self._on_parameters)

    def executive_gone(self) -> None:
        """The stream has ended with the executive."""
        self._life += 1
        if self._tree is not None:
            self._node.destroy_subscription(self._tree)
            self._tree = None

    def close(self) -> None:
        """Tells the executive that nobody looks any more; it would notice by itself, but later."""
        if self._tree is not None and self._close.service_is_ready():
            self._close.call_async(CloseSnapshotStream.Request(topic_name=self._tree.topic_name))
        self.executive_gone()

    def _opened(self, life: int, answer: Future) -> None:
        topic = answer.result().topic_name
        if life == self._life and topic and self._tree is None:
            self._tree = self._node.create_subscription(
                BehaviourTree, topic, self._on_tree, LATCHED
            )

    def _on_parameters(self, answer: Future) -> None:
        for value in answer.result().values:
            if value.type == ParameterType.PARAMETER_BOOL:
                self._put(LiveViewWanted(value.bool_value))

    def _on_tree(self, message: BehaviourTree) -> None:
        root = tree_from_ros(message)
        if root is not None:
            self._put(TreeSeen(root))


def follow_state(node: Node, take: Callable[[StateSeen], None]) -> Subscription:
    """Subscribes to ~/state, which the executive publishes while somebody listens."""

    def came(message: String) -> None:
        try:
            state = state_from_json(message.data)
        except ValueError:
            return  # the topic is open to everybody; what is no state is not shown
        take(StateSeen(state, node.get_clock().now().nanoseconds * 1e-9))

    return node.create_subscription(String, 'executive/state', came, FRESH)


def ask_for_state(node: Node, take: Callable[[StateSeen], None]) -> None:
    """Waits for the next state, without waiting here."""

    def came(seen: StateSeen) -> None:
        node.destroy_subscription(subscription)
        take(seen)

    subscription = follow_state(node, came)


def tree_from_ros(message: BehaviourTree) -> TreeNode | None:
    """The tree of a snapshot, whose behaviours come children first; None if it has none."""
    nodes: dict[bytes, TreeNode] = {}
    root = None
    for each in message.behaviours:
        children = [nodes.pop(bytes(child.uuid), None) for child in each.child_ids]
        root = nodes[bytes(each.own_id.uuid)] = TreeNode(
            each.name,
            STATUSES.get(each.status, 'invalid'),
            each.message,
            tuple(child for child in children if child is not None),
        )
    return root
