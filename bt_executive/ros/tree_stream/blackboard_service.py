"""The services of blackboard streams: get_variables, open, close. They always answer."""

from __future__ import annotations

import time

from py_trees_ros_interfaces.srv import (
    CloseBlackboardStream,
    GetBlackboardVariables,
    OpenBlackboardStream,
)
from rclpy.node import Node

from bt_executive.ros.tree_stream.blackboard_stream import BlackboardOptions, BlackboardStream
from bt_executive.ros.tree_stream.stream_lifetime import Grace, StreamBook
from bt_executive.ros.tree_stream.tree_host import Board
from bt_executive.ros.tree_stream.viewer_texts import variable_names

FOLDER = '~/blackboard_streams/'


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
