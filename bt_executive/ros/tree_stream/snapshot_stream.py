"""A stream of tree snapshots."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
import math

from py_trees.blackboard import ActivityItem
from py_trees_ros_interfaces.msg import BehaviourTree, SnapshotStreamParameters
from rclpy.node import Node

from bt_executive.ros.tree_stream.activity import LONGEST_STREAM
from bt_executive.ros.tree_stream.pace import Pace
from bt_executive.ros.tree_stream.subscriber_watch import Grace
from bt_executive.ros.tree_stream.tick_view import TickView
from bt_executive.ros.tree_stream.viewer_stream import Stream


@dataclass(frozen=True)
class SnapshotOptions:
    """What a viewer wants. `period_s` in s; infinite: only on a change."""

    period_s: float = math.inf
    with_values: bool = False
    with_activity: bool = False

    @classmethod
    def from_ros(cls, message: SnapshotStreamParameters) -> SnapshotOptions:
        """From a request."""
        return cls(message.snapshot_period, message.blackboard_data, message.blackboard_activity)


class SnapshotStream(Stream):
    """Publishes the tree when its pace says so and somebody listens."""

    def __init__(
        self, node: Node, topic: str, options: SnapshotOptions, grace: Grace, now: float
    ) -> None:
        super().__init__(node, BehaviourTree, topic, grace, now)
        self._pace = Pace(options.period_s)
        self._options = options
        self._activity: deque[ActivityItem] = deque(maxlen=LONGEST_STREAM)

    def reconfigure(self, options: SnapshotOptions) -> None:
        """Takes over what a viewer wants from now on."""
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
