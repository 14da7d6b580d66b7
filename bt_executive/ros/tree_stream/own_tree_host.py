"""Our tree host and its ROS parameters: the whole protocol of py_trees_ros over rclpy alone.

A tick without viewers costs two readings of the clock. With viewers, the tree is serialized once
(`tree_message`) and the same bytes go to every stream that wants them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
import math
import time

from py_trees.behaviour import Behaviour
from rcl_interfaces.msg import FloatingPointRange, ParameterDescriptor
from rclpy.node import Node
from rclpy.parameter import Parameter

from bt_executive.ros.tree_stream import blackboard_streams, snapshot_streams
from bt_executive.ros.tree_stream.blackboard_streams import (
    BlackboardOptions,
    BlackboardService,
    BlackboardStream,
)
from bt_executive.ros.tree_stream.blackboard_text_and_changes import ReadBoard
from bt_executive.ros.tree_stream.snapshot_streams import (
    SnapshotOptions,
    SnapshotService,
    SnapshotStream,
)
from bt_executive.ros.tree_stream.stream_lifetime import Grace, StreamBook, orphaned_topics
from bt_executive.ros.tree_stream.tree_message_of_tick import (
    BehaviourMessages,
    TickStatistics,
    TickView,
)
from rover_common.ros.timers import STEADY

DEFAULT_STREAM = '~/snapshots'
ANY_SPAN = [FloatingPointRange(from_value=0.0, to_value=math.inf)]
ROUND_S = 1.0  # how often streams are looked after


class HostParameters:
    """Declares the parameters; calls `follow` with the state and options of the default stream."""

    def __init__(self, node: Node, follow: Callable[[bool, SnapshotOptions], None]) -> None:
        self._node = node
        self._follow = follow
        self._declare('stream', False, f'publish snapshots of the tree on {DEFAULT_STREAM}')
        self._declare('period', 2.0, 's between snapshots, inf: only on a change', ANY_SPAN)
        self._declare('blackboard_data', True, 'add the keys on the visited path')
        self._declare('blackboard_activity', False, 'add what was written to the blackboard')
        node.declare_parameter(
            'setup_timeout',
            math.inf,
            ParameterDescriptor(
                description='s to wait for the tree to be set up',
                read_only=True,
                floating_point_range=ANY_SPAN,
            ),
        )
        node.add_post_set_parameters_callback(self._changed)
        self._report()

    def options(self) -> SnapshotOptions:
        """Return the options of the default stream."""
        return SnapshotOptions(
            float(self._value('period')),
            bool(self._value('blackboard_data')),
            bool(self._value('blackboard_activity')),
        )

    def _declare(
        self,
        name: str,
        value: float,
        description: str,
        spans: list[FloatingPointRange] | None = None,
    ) -> None:
        self._node.declare_parameter(
            f'default_snapshot_{name}',
            value,
            ParameterDescriptor(description=description, floating_point_range=spans or []),
        )

    def _value(self, name: str) -> float:
        return self._node.get_parameter(f'default_snapshot_{name}').value

    def _changed(self, parameters: list[Parameter]) -> None:
        if any(each.name.startswith('default_snapshot_') for each in parameters):
            self._report()

    def _report(self) -> None:
        self._follow(bool(self._value('stream')), self.options())


class OwnTreeHost:
    """Serves the tree below `root` on `node`. Made before the first tick; see TreeHost."""

    def __init__(
        self, node: Node, root: Behaviour, read_board: ReadBoard, grace: Grace | None = None
    ) -> None:
        grace = grace or Grace()
        self._node = node
        self._read_board = read_board
        self._messages = BehaviourMessages(root)
        self._statistics = TickStatistics()
        self._before: TickView | None = None
        self._looking = node.create_timer(ROUND_S, self._on_timer, clock=STEADY)
        self._snapshots: StreamBook[SnapshotStream] = StreamBook(node, self._looking.reset)
        self._boards: StreamBook[BlackboardStream] = StreamBook(node, self._looking.reset)
        self._snapshot_service = SnapshotService(node, self._snapshots, grace)
        self._board_service = BlackboardService(node, self._boards, grace, read_board())
        self._default_topic = str(node.resolve_topic_name(DEFAULT_STREAM))
        self._parameters = HostParameters(node, self._follow_parameters)
        self._adopt_until = time.monotonic() + grace.to_adopt

    # --- the tick thread -------------------------------------------------------------------------

    def before_tick(self) -> None:
        """A tick begins."""
        self._statistics.begin()

    def after_tick(self, visited: Sequence[Behaviour]) -> None:
        """Publishes the tick on the streams that are due."""
        self._statistics.end()
        if not self._snapshots and not self._boards:
            self._before = None
            return
        now = time.monotonic()
        if self._is_quiet(visited, now):
            return
        view = TickView(self._messages, self._statistics, self._read_board, visited, self._before)
        self._snapshots.for_each(lambda stream: stream.offer(view, now))
        self._boards.for_each(lambda stream: stream.offer(view, now))
        self._before = view

    def _is_quiet(self, visited: Sequence[Behaviour], now: float) -> bool:
        """Whether the tick was like the one before, and no stream is due: nobody is told."""
        if self._boards or self._before is None or not self._before.is_like(visited):
            return False
        return all(not stream.is_due(now) for stream in self._snapshots.all())

    # --- the executor's thread -------------------------------------------------------------------

    def _follow_parameters(self, wanted: bool, options: SnapshotOptions) -> None:
        if wanted:
            self._snapshot_service.open(self._default_topic, options)
        else:
            self._snapshots.close(self._default_topic)

    def _on_timer(self) -> None:
        now = time.monotonic()
        dropped = self._snapshots.drop_abandoned(now, kept=self._default_topic)
        for topic in dropped + self._boards.drop_abandoned(now):
            self._node.get_logger().info(f'No subscriber of {topic} any more: stream closed')
        if now < self._adopt_until:
            self._adopt()
        elif not self._snapshots and not self._boards:
            self._looking.cancel()

    def _adopt(self) -> None:
        folder, type_name = snapshot_streams.FOLDER, 'py_trees_ros_interfaces/msg/BehaviourTree'
        for topic in orphaned_topics(self._node, folder, type_name):
            if not self._snapshots.was_closed(topic):
                self._snapshot_service.open(topic, self._parameters.options())
        for topic in orphaned_topics(self._node, blackboard_streams.FOLDER, 'std_msgs/msg/String'):
            if not self._boards.was_closed(topic):
                self._board_service.open(BlackboardOptions(), topic)
