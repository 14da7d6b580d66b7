"""A stream of tree snapshots."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
import math

from py_trees.blackboard import ActivityItem
from py_trees_ros_interfaces.msg import BehaviourTree, SnapshotStreamParameters
from rclpy.node import Node

from bt_executive.ros.tree_stream.blackboard_activity import LONGEST_STREAM
from bt_executive.ros.tree_stream.stream_lifetime import Grace, Stream
from bt_executive.ros.tree_stream.tick_for_streams import TickView

NEARLY = 0.98  # of the period: a tick that comes a little early is not put off by a whole tick


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
