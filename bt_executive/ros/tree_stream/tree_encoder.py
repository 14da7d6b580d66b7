"""A whole tree on the wire: the records of its behaviours, put together once per tick.

The message is `py_trees_ros_interfaces/msg/BehaviourTree`, already serialized: publishing it to
another stream is a copy of bytes. rclpy takes more than a millisecond to convert 300 behaviours.
"""

from __future__ import annotations

from collections.abc import Container, Iterable

from py_trees.behaviour import Behaviour
from py_trees.blackboard import ActivityItem

from bt_executive.ros.tree_stream.behaviour_record import BehaviourRecord
from bt_executive.ros.tree_stream.cdr import LITTLE_ENDIAN, CdrWriter
from bt_executive.ros.tree_stream.texts import capped
from bt_executive.ros.tree_stream.tick_statistics import TickStatistics


class TreeEncoder:
    """Encodes one tree. A behaviour that moves or gets other children is encoded anew."""

    def __init__(self, root: Behaviour) -> None:
        self._root = root
        self._records: dict[Behaviour, BehaviourRecord] = {}  # also of those that were removed
        self._nodes: list[Behaviour] = []

    def behaviours(self, visited: Container[Behaviour]) -> bytes:
        """The message up to and with its behaviours."""
        nodes = list(self._root.iterate())  # children first, the root last: as the message wants
        if nodes != self._nodes:
            self._follow(nodes)
        parts = [LITTLE_ENDIAN, bytes(CdrWriter().count(len(nodes)))]
        parts += [self._records[node].refresh(node in visited) for node in nodes]
        return b''.join(parts)

    def _follow(self, nodes: list[Behaviour]) -> None:
        self._nodes = nodes
        for node in nodes:
            record = self._records.get(node)
            if record is None or not record.fits():
                last = node is self._root
                self._records[node] = BehaviourRecord(node, self._records, last)


def tree_message(
    behaviours: bytes,
    changed: bool,
    values: Iterable[tuple[str, object]],
    activity: Iterable[ActivityItem],
    statistics: TickStatistics,
) -> bytes:
    """The whole message. `values`: keys on the visited path; both may be empty."""
    writer = CdrWriter(len(behaviours) - len(LITTLE_ENDIAN)).octets(b'\1' if changed else b'\0')
    pairs = list(values)
    writer.count(len(pairs))
    for key, value in pairs:
        writer.text(key).text(capped(value))
    items = list(activity)
    writer.count(len(items))
    for item in items:
        writer.text(item.key).text(item.client_name).text(item.activity_type)
        writer.text(capped(item.previous_value)).text(capped(item.current_value))
    seconds, nanoseconds = divmod(statistics.stamp_ns, 10**9)
    writer.numbers('q', 8, statistics.count).numbers('iI', 4, seconds, nanoseconds)
    writer.numbers('6f', 4, *statistics.durations.summary(), *statistics.intervals.summary())
    return behaviours + bytes(writer)
