"""`~/planner/words`: the model's output while it is being written.

Fleeting: nobody repeats a lost piece.
"""

from __future__ import annotations

from collections.abc import Callable

from bt_executive_interfaces.msg import PlannerWords
from rclpy.node import Node

from bt_executive.core.executive_ports import StreamChunk
from rover_common.ros.sendable_message import sendable_message

TOPIC = 'planner/words'
DEPTH = 500


class PlannerWordsPublisher:
    """A listener of the planner, called in the tick thread.

    `verbose`: whether the model's output is published.
    """

    def __init__(self, node: Node, verbose: Callable[[], bool]) -> None:
        self._verbose = verbose
        self._publisher = node.create_publisher(PlannerWords, f'~/{TOPIC}', DEPTH)

    def __call__(self, chunk: StreamChunk) -> None:
        """Publishes a piece, if it is wanted and somebody listens."""
        if self._verbose() and self._publisher.get_subscription_count():
            words = PlannerWords(kind=chunk.kind, text=chunk.text)
            self._publisher.publish(sendable_message(words))
