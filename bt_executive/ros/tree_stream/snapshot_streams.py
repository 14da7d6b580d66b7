"""Streams of tree snapshots, their pace, and the services that open, close, reconfigure them.

The services always answer.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
import math
import time

from py_trees.blackboard import ActivityItem
from py_trees_ros_interfaces.msg import BehaviourTree, SnapshotStreamParameters
from py_trees_ros_interfaces.srv import (
    CloseSnapshotStream,
    OpenSnapshotStream,
    ReconfigureSnapshotStream,
)
from rclpy.exceptions import NameValidationException
from rclpy.node import Node

from bt_executive.ros.tree_stream.blackboard_text_and_changes import LONGEST_STREAM
from bt_executive.ros.tree_stream.stream_lifetime import Grace, Stream, StreamBook
from bt_executive.ros.tree_stream.tree_message_of_tick import TickView

NEARLY = 0.98  # of the period: a tick that comes a little early is not put off by a whole tick
FOLDER = '~/snapshot_streams/'


class Pace:
    """The timing of one stream. Times in s of a steady clock; `math.inf`: only on a change."""

    def __init__(self, period_s: float) -> None:
        self.set_period(period_s)
        self._sent_at: float | None = None
        self._owed = True  # a change that no viewer has been shown; so the first message is one

    def set_period(self, period_s: float) -> None:
        """Sets the period; a value that is no number means none."""
        self._period_s = math.inf if math.isnan(period_s) else max(period_s, 0.0)

    def is_due(self, now: float) -> bool:
        """Whether something would be sent, though nothing has changed, if anybody listens."""
        return self._owed or self._period_is_over(now)

    def ask(self, changed: bool, is_listened: Callable[[], bool], now: float) -> bool | None:
        """The `changed` of the message to send at this tick; None: none is due.

        Whether anybody listens is asked only when something would be sent.
        """
        self._owed = self._owed or changed
        if not self.is_due(now) or not is_listened():
            return None
        flag, self._owed, self._sent_at = self._owed, False, now
        return flag

    def _period_is_over(self, now: float) -> bool:
        return self._sent_at is not None and now - self._sent_at >= NEARLY * self._period_s


@dataclass(frozen=True)
class SnapshotOptions:
    """The options of a viewer's stream. `period_s` in s; infinite: only on a change."""

    period_s: float = math.inf
    with_values: bool = False
    with_activity: bool = False

    @classmethod
    def from_ros(cls, message: SnapshotStreamParameters) -> SnapshotOptions:
        """From a request."""
        return cls(message.snapshot_period, message.blackboard_data, message.blackboard_activity)


class SnapshotStream(Stream):
    """Publishes the tree when it is due and has subscribers."""

    def __init__(
        self, node: Node, topic: str, options: SnapshotOptions, grace: Grace, now: float
    ) -> None:
        super().__init__(node, BehaviourTree, topic, grace, now)
        self._pace = Pace(options.period_s)
        self._options = options
        self._activity: deque[ActivityItem] = deque(maxlen=LONGEST_STREAM)

    def reconfigure(self, options: SnapshotOptions) -> None:
        """Applies new options."""
        self._pace.set_period(options.period_s)
        self._options = options

    def is_due(self, now: float) -> bool:
        """Whether a tick in which nothing changed is of use to it."""
        return self._options.with_activity or self._pace.is_due(now)

    def offer(self, tick: TickView, now: float) -> None:
        """Publishes the tick if it is due. Called in the tick thread."""
        options = self._options
        if options.with_activity and self.subscribers(now):
            self._activity.extend(tick.activity)
        changed = self._pace.ask(tick.changed, lambda: self.subscribers(now) > 0, now)
        if changed is not None:
            activity = tuple(self._activity) if options.with_activity else ()
            self._activity.clear()
            self.publisher.publish(tick.message(changed, options.with_values, activity))


class SnapshotService:
    """Opens and closes the streams of `book`."""

    def __init__(self, node: Node, book: StreamBook[SnapshotStream], grace: Grace) -> None:
        self._node = node
        self._book = book
        self._grace = grace
        node.create_service(OpenSnapshotStream, f'{FOLDER}open', self._answer_open)
        node.create_service(CloseSnapshotStream, f'{FOLDER}close', self._answer_close)
        node.create_service(
            ReconfigureSnapshotStream, f'{FOLDER}reconfigure', self._answer_reconfigure
        )

    def open(self, wanted: str, options: SnapshotOptions) -> str:
        """Opens a stream, or reconfigures the one that is open; returns its full name.

        `wanted`: empty for a new name, `~…` in the node's namespace, relative to `FOLDER`, or
        absolute. A name on which nothing can be published gets a new one instead.
        """
        if wanted:
            try:
                return self._open(_expand(wanted), options)
            except (NameValidationException, RuntimeError) as error:
                why = ' '.join(str(error).split())
                self._node.get_logger().warning(f'No stream can be opened on {wanted!r}: {why}')
        return self._open(self._book.free_topic(f'{FOLDER}_snapshots_{{}}'), options)

    def _open(self, topic: str, options: SnapshotOptions) -> str:
        topic = str(self._node.resolve_topic_name(topic))
        stream = self._book.get(topic)
        if stream is not None:
            stream.reconfigure(options)
            return topic
        now = time.monotonic()
        return self._book.add(SnapshotStream(self._node, topic, options, self._grace, now))

    def _answer_open(
        self, request: OpenSnapshotStream.Request, response: OpenSnapshotStream.Response
    ) -> OpenSnapshotStream.Response:
        options = SnapshotOptions.from_ros(request.parameters)
        response.topic_name = self.open(request.topic_name, options)
        return response

    def _answer_close(
        self, request: CloseSnapshotStream.Request, response: CloseSnapshotStream.Response
    ) -> CloseSnapshotStream.Response:
        response.result = self._book.close(request.topic_name)
        return response

    def _answer_reconfigure(
        self,
        request: ReconfigureSnapshotStream.Request,
        response: ReconfigureSnapshotStream.Response,
    ) -> ReconfigureSnapshotStream.Response:
        stream = self._book.get(request.topic_name)
        response.result = stream is not None
        if stream is not None:
            stream.reconfigure(SnapshotOptions.from_ros(request.parameters))
        return response


def _expand(wanted: str) -> str:
    return wanted if wanted.startswith(('/', '~')) else f'{FOLDER}{wanted}'
