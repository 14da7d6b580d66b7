"""The trace on its topic, and in the log for operators of `ros2 launch`."""

from __future__ import annotations

from collections.abc import Callable

from rclpy.impl.rcutils_logger import RcutilsLogger
from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy
from std_msgs.msg import String

from rover_common.ros.topic_names import relative_name
from rover_common.trace_event import TraceEvent, event_to_json

DEPTH = 100


class TracePublisher:
    """Publishes each event, reliably; transient-local subscribers get the latest ones, too."""

    def __init__(self, node: Node, topic: str) -> None:
        profile = QoSProfile(
            depth=DEPTH,
            reliability=ReliabilityPolicy.RELIABLE,
            durability=DurabilityPolicy.TRANSIENT_LOCAL,
        )
        self._publisher = node.create_publisher(String, relative_name(topic), profile)

    def emit(self, event: TraceEvent) -> None:
        """Publishes one event."""
        self._publisher.publish(String(data=event_to_json(event)))


LONGEST = 300  # characters of a line


class TraceLog:
    """A sink of the tracer: goals, refusals, results and outcomes; what went wrong as warnings.

    `verbose`: whether the model's reasoning and calls are logged as well.
    """

    def __init__(self, logger: RcutilsLogger, verbose: Callable[[], bool]) -> None:
        self._logger = logger
        self._verbose = verbose

    def emit(self, event: TraceEvent) -> None:
        """Logs an event, if it belongs into the log."""
        line = log_line(event, self._verbose())
        if not line:
            return
        if event.kind == 'ERROR':
            self._logger.warning(line)
        else:
            self._logger.info(line)


def log_line(event: TraceEvent, verbose: bool) -> str:
    """Return the log line of an event, as printable text; empty: none."""
    data = event.data or {}
    match event.kind:
        case 'DECIDE' if event.tool_name and event.ok is False:
            text = f'{event.tool_name} was refused: {event.error_reason or event.message}'
        case 'ACT' if 'question' in data or 'spoken' in data:
            text = event.message
        case 'OBSERVE' | 'RESULT' | 'ERROR':
            text = event.message
        case 'HYPOTHESIZE' if verbose:
            text = f'Thinks: {event.message}'
        case 'DECIDE' if verbose and event.tool_name:
            text = f'{event.tool_name}: {event.message}'
        case _:
            text = ''
    line = ' '.join(text[: 4 * LONGEST].split())[:LONGEST]
    return ''.join(sign if sign.isprintable() else '\N{REPLACEMENT CHARACTER}' for sign in line)
