"""Streams of the blackboard as text, and the services that list its variables, open and close.

The services always answer.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
import time

from py_trees.blackboard import ActivityItem
from py_trees.display import unicode_blackboard_activity_stream
from py_trees_ros_interfaces.srv import (
    CloseBlackboardStream,
    GetBlackboardVariables,
    OpenBlackboardStream,
)
from rclpy.node import Node
from std_msgs.msg import String

from bt_executive.ros.tree_stream.blackboard_text_and_changes import (
    Board,
    board_text,
    key_of,
    variable_names,
)
from bt_executive.ros.tree_stream.stream_lifetime import Grace, Stream, StreamBook
from bt_executive.ros.tree_stream.tree_message_of_tick import TickView

# py-trees-blackboard-watcher subscribes without history: what is sent before it has discovered
# the publisher in turn is lost, so a newcomer is given this time (s).
SETTLING_S = 0.5
FOLDER = '~/blackboard_streams/'


@dataclass(frozen=True)
class BlackboardOptions:
    """The options of a viewer's stream. No names: the whole board."""

    names: tuple[str, ...] = ()
    only_on_path: bool = False
    with_activity: bool = False


class BlackboardStream(Stream):
    """Publishes when the text has changed, and for each new subscriber."""

    def __init__(
        self, node: Node, topic: str, options: BlackboardOptions, grace: Grace, now: float
    ) -> None:
        super().__init__(node, String, topic, grace, now)
        self._options = options
        self._sent: str | None = None
        self._subscribers = 0
        self._settled_at = now

    def offer(self, tick: TickView, now: float) -> None:
        """Publishes the board if it is due. Called in the tick thread."""
        subscribers = self.subscribers(now)
        if subscribers > self._subscribers:
            self._settled_at = now + SETTLING_S
            self._sent = None
        self._subscribers = subscribers
        if not subscribers or now < self._settled_at:
            return
        text = self._text(tick)
        activity = self._activity(tick)
        if text != self._sent or activity:
            self._sent = text
            self.publisher.publish(String(data=with_activity(text, activity)))

    def _text(self, tick: TickView) -> str:
        wanted = self._options.names or tuple(tick.values)
        if self._options.only_on_path:
            wanted = tuple(name for name in wanted if key_of(name) in tick.keys_on_path)
        return board_text(tick.values, wanted)

    def _activity(self, tick: TickView) -> list[ActivityItem]:
        options = self._options
        if not options.with_activity:
            return []
        keys = {key_of(name) for name in options.names}
        return [item for item in tick.activity if not keys or item.key in keys]


def with_activity(text: str, activity: Collection[ActivityItem]) -> str:
    """Return the board's text, followed by its activity as py_trees draws it."""
    if not activity:
        return text
    return f'{text}\n{unicode_blackboard_activity_stream(list(activity))}'


class BlackboardService:
    """Opens and closes the streams of `book`. `sample`: a board with all keys there will be."""

    def __init__(
        self, node: Node, book: StreamBook[BlackboardStream], grace: Grace, sample: Board
    ) -> None:
        self._node = node
        self._book = book
        self._grace = grace
        self._variables = variable_names(sample)
        node.create_service(GetBlackboardVariables, f'{FOLDER}get_variables', self._answer_names)
        node.create_service(OpenBlackboardStream, f'{FOLDER}open', self._answer_open)
        node.create_service(CloseBlackboardStream, f'{FOLDER}close', self._answer_close)

    def open(self, options: BlackboardOptions, topic: str = '') -> str:
        """Opens a stream, on a new topic if none is given; returns its full name."""
        topic = topic or self._book.free_topic(f'{FOLDER}_watcher_{{}}')
        now = time.monotonic()
        return self._book.add(BlackboardStream(self._node, topic, options, self._grace, now))

    def _answer_names(
        self, _request: GetBlackboardVariables.Request, response: GetBlackboardVariables.Response
    ) -> GetBlackboardVariables.Response:
        response.variables = self._variables
        return response

    def _answer_open(
        self, request: OpenBlackboardStream.Request, response: OpenBlackboardStream.Response
    ) -> OpenBlackboardStream.Response:
        response.topic = self.open(
            BlackboardOptions(
                tuple(request.variables),
                request.filter_on_visited_path,
                request.with_activity_stream,
            )
        )
        return response

    def _answer_close(
        self, request: CloseBlackboardStream.Request, response: CloseBlackboardStream.Response
    ) -> CloseBlackboardStream.Response:
        response.result = self._book.close(request.topic_name)
        return response
