"""The tree host of a ROS distribution: `py_trees_ros.trees.BehaviourTree` behind our seam.

It expects to tick in the thread in which rclpy calls back; here one lock keeps its handlers and
its services apart. What viewers need and it lacks is added around it: a request that fails is
answered all the same, streams without a viewer end after a grace period and not before, and
viewers that stayed through a restart are served again. The board is written to py_trees' own
blackboard.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
import threading
import time
from typing import Any

from py_trees.behaviour import Behaviour
from py_trees.blackboard import Client
from py_trees.common import Access, Duration
from py_trees_ros.blackboard import BlackboardView, Exchange
from py_trees_ros.trees import BehaviourTree
from py_trees_ros_interfaces.msg import SnapshotStreamParameters
from py_trees_ros_interfaces.srv import (
    CloseBlackboardStream,
    CloseSnapshotStream,
    OpenSnapshotStream,
)
from rclpy.node import Node
from rclpy.service import Service

from bt_executive.ros.tree_stream import blackboard_streams, snapshot_streams
from bt_executive.ros.tree_stream.blackboard_text_and_changes import WRITER, Board, ReadBoard
from bt_executive.ros.tree_stream.own_tree_host import DEFAULT_STREAM
from bt_executive.ros.tree_stream.stream_lifetime import Grace, SubscriberWatch, orphaned_topics
from rover_common.ros.timers import STEADY

ROUND_S = 1.0  # how often streams are looked after


class BlackboardWriter:
    """Writes what has changed, so that the activity stream reports changes only."""

    def __init__(self, board: Board) -> None:
        self._client = Client(name=WRITER)
        self._written: dict[str, object] = {}
        for key in board:
            self._client.register_key(key, Access.WRITE)
        self.write(board)

    def write(self, board: Board) -> None:
        """Takes the board over."""
        for key, value in board.items():
            if key not in self._written or self._written[key] != value:
                self._written[key] = value
                self._client.set(key, value)


class DistributionTreeHost:
    """Serves the tree below `root` on `node`. Made before the first tick; see TreeHost."""

    def __init__(
        self, node: Node, root: Behaviour, read_board: ReadBoard, grace: Grace | None = None
    ) -> None:
        self._node = node
        self._read_board = read_board
        self._grace = grace or Grace()
        self._lock = threading.RLock()
        self._board = BlackboardWriter(read_board())
        self._attendance: dict[str, SubscriberWatch] = {}
        self._default_topic = str(node.resolve_topic_name(DEFAULT_STREAM))
        others = set(node.services)
        self._tree = _LockedTree(root, self._lock)
        try:
            self._tree.setup(node=node, timeout=Duration.INFINITE)
        except Exception:  # the parameters of `node` are then no business of this tree
            with suppress(ValueError):
                node.remove_on_set_parameters_callback(self._tree._set_parameters_callback)
            raise
        self._services = {each.srv_type: each for each in set(node.services) - others}
        for service in self._services.values():
            self._guard(service)
        self._adopt_until = time.monotonic() + self._grace.to_adopt
        self._closed: set[str] = set()
        node.create_timer(ROUND_S, self._on_timer, clock=STEADY)

    # --- the tick thread -------------------------------------------------------------------------

    def before_tick(self) -> None:
        """A tick begins."""
        for handler in self._tree.pre_tick_handlers:
            handler(self._tree)

    def after_tick(self, visited: Sequence[Behaviour]) -> None:
        """Publishes the tick on the streams that are due."""
        visitor = self._tree.snapshot_visitor
        visitor.initialise()
        for node in visited:
            node.visit(visitor)
        visitor.finalise()
        with self._lock:
            self._publish()
        self._tree.count += 1

    def _publish(self) -> None:
        exchange = self._tree.blackboard_exchange
        if self._tree.snapshot_streams or exchange.views:
            self._board.write(self._read_board())
        self._note_attendance(time.monotonic())
        views = list(exchange.views)  # it closes a view that nobody has subscribed to yet
        exchange.views = [each for each in views if self._node.count_subscribers(each.topic_name)]
        waiting = [each for each in views if each not in exchange.views]
        try:
            for handler in self._tree.post_tick_handlers:
                handler(self._tree)
        finally:
            exchange.views += waiting

    def _note_attendance(self, now: float) -> None:
        open_now = {topic: each.publisher for topic, each in self._tree.snapshot_streams.items()}
        open_now |= {
            each.topic_name: each.publisher for each in self._tree.blackboard_exchange.views
        }
        open_now.pop(self._default_topic, None)
        self._attendance = {
            topic: self._attendance.get(topic) or SubscriberWatch(self._grace, now)
            for topic in open_now
        }
        for topic, publisher in open_now.items():
            self._attendance[topic].note(publisher.get_subscription_count(), now)

    # --- the executor's thread -------------------------------------------------------------------

    def _guard(self, service: Service) -> None:
        """Locks the tick thread out of a request, and answers one that fails."""
        answer = service.callback

        def answer_alone(request: Any, response: Any) -> Any:
            if isinstance(request, (CloseSnapshotStream.Request, CloseBlackboardStream.Request)):
                self._closed.add(request.topic_name)
            try:
                with self._lock:
                    return answer(request, response)
            except Exception as error:  # whatever it raised, the viewer waits for an answer
                self._node.get_logger().warning(f'{service.srv_name} failed: {error}')
                return response

        service.callback = answer_alone

    def _ask(self, kind: Any, **fields: Any) -> Any:
        return self._services[kind].callback(kind.Request(**fields), kind.Response())

    def _on_timer(self) -> None:
        now = time.monotonic()
        with self._lock:
            self._note_attendance(now)
            over = [topic for topic, each in self._attendance.items() if each.is_over(now)]
        for topic in over:
            self._ask(CloseSnapshotStream, topic_name=topic)
            self._ask(CloseBlackboardStream, topic_name=topic)
        if now < self._adopt_until:
            self._adopt()

    def _adopt(self) -> None:
        folder, type_name = snapshot_streams.FOLDER, 'py_trees_ros_interfaces/msg/BehaviourTree'
        for topic in orphaned_topics(self._node, folder, type_name):
            if topic not in self._closed:
                self._ask(OpenSnapshotStream, topic_name=topic, parameters=self._defaults())
        for topic in orphaned_topics(self._node, blackboard_streams.FOLDER, 'std_msgs/msg/String'):
            if topic not in self._closed:
                self._open_board(topic)

    def _open_board(self, topic: str) -> None:
        """As its service does, which knows no topic but the next: it must not choose this one."""
        number = topic.rpartition('_')[2]
        with self._lock:
            if number.isdecimal():
                Exchange._counter = max(Exchange._counter, int(number) + 1)
            view = BlackboardView(self._node, topic, set(), False, False)
            self._tree.blackboard_exchange.views.append(view)

    def _defaults(self) -> SnapshotStreamParameters:
        def value(name: str) -> Any:
            return self._node.get_parameter(f'default_snapshot_{name}').value

        return SnapshotStreamParameters(
            snapshot_period=value('period'),
            blackboard_data=value('blackboard_data'),
            blackboard_activity=value('blackboard_activity'),
        )


class _LockedTree(BehaviourTree):
    """Changes of its parameters wait for the tick thread, too."""

    def __init__(self, root: Behaviour, lock: threading.RLock) -> None:
        super().__init__(root)
        self._handlers_lock = lock

    def _set_parameters_callback(self, parameters: list[Any]) -> Any:
        with self._handlers_lock:
            return super()._set_parameters_callback(parameters)
