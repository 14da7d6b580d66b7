"""`~/planner/words`: what the model says while it says it (std_msgs/String, JSON).

Keys: `kind` (text, reasoning, call, end) and `text`. Fleeting: nobody repeats a lost piece.
"""

from __future__ import annotations

from collections.abc import Callable
import json

from rclpy.node import Node
from std_msgs.msg import String

from bt_executive.core.ports import StreamChunk

TOPIC = 'planner/words'
DEPTH = 500


class PlannerWords:
    """A listener of the planner. Called in the tick thread. `verbose`: whether words are told."""

    def __init__(self, node: Node, verbose: Callable[[], bool]) -> None:
        self._verbose = verbose
        self._publisher = node.create_publisher(String, f'~/{TOPIC}', DEPTH)

    def __call__(self, words: StreamChunk) -> None:
        """Publishes a piece, if it is wanted and somebody listens."""
        if self._verbose() and self._publisher.get_subscription_count():
            data = {'kind': words.kind, 'text': words.text}
            self._publisher.publish(String(data=json.dumps(data, ensure_ascii=False)))
