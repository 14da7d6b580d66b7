"""The services of snapshot streams: open, close, reconfigure. They always answer."""

from __future__ import annotations

import time

from py_trees_ros_interfaces.srv import (
    CloseSnapshotStream,
    OpenSnapshotStream,
    ReconfigureSnapshotStream,
)
from rclpy.exceptions import NameValidationException
from rclpy.node import Node

from bt_executive.ros.tree_stream.snapshot_stream import SnapshotOptions, SnapshotStream
from bt_executive.ros.tree_stream.stream_lifetime import Grace, StreamBook

FOLDER = '~/snapshot_streams/'


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
