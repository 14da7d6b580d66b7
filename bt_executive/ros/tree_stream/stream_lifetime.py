"""Streams for viewers: opened on a free topic, kept while they have subscribers, then closed.

Streams come and go in the executor's thread and are published in the tick thread; the lock is
held for as long as publishing takes, never for a tick, so that a viewer's request is answered
however long a tick takes.

The tools of py_trees_ros ask for a stream once. Opening it again on the topic where they still
listen lets them go on as if nothing had happened.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
import itertools
import threading
from typing import Any, Generic, TypeVar

from rclpy.node import Node

from rover_common.ros.qos import LATCHED


@dataclass(frozen=True)
class Grace:
    """How long (s) a stream is kept without a subscriber, and one of an earlier run looked for."""

    to_come: float = 30.0  # a viewer must discover the publisher; a person types the topic's name
    to_return: float = 10.0
    to_adopt: float = 15.0  # after the start: discovery of a network takes a few seconds


class SubscriberWatch:
    """Measures for how long (steady s) a stream had no subscriber."""

    def __init__(self, grace: Grace, now: float) -> None:
        self._grace = grace
        self._seen_at = now
        self._limit = grace.to_come

    def note(self, subscribers: int, now: float) -> int:
        """Takes the present number of subscribers, and returns it."""
        if subscribers:
            self._seen_at, self._limit = now, self._grace.to_return
        return subscribers

    def is_over(self, now: float) -> bool:
        """Whether the stream may be dropped."""
        return now - self._seen_at > self._limit


class Stream:
    """Base of snapshot and board streams. `now` in s of the steady clock.

    Latched: a viewer subscribes after it was told the topic, and must see the tree as it is.
    """

    def __init__(
        self, node: Node, message_type: Any, topic: str, grace: Grace, now: float
    ) -> None:
        self.publisher = node.create_publisher(message_type, topic, LATCHED)
        self.topic = str(self.publisher.topic_name)
        self._attendance = SubscriberWatch(grace, now)

    def subscribers(self, now: float) -> int:
        """Return the present number of subscribers."""
        return self._attendance.note(int(self.publisher.get_subscription_count()), now)

    def is_abandoned(self, now: float) -> bool:
        """Whether its viewers are gone for good."""
        return not self.subscribers(now) and self._attendance.is_over(now)


def orphaned_topics(node: Node, folder: str, type_name: str) -> Iterator[str]:
    """Topics of a type below `folder` that are subscribed to and have no publisher."""
    prefix = str(node.resolve_topic_name(f'{folder}_'))
    for topic, types in node.get_topic_names_and_types():
        if topic.startswith(prefix) and type_name in types and not node.count_publishers(topic):
            yield topic


S = TypeVar('S', bound=Stream)


class StreamBook(Generic[S]):
    """Keeps publishers, and destroys them with the streams. `added`: called with each new one."""

    def __init__(self, node: Node, added: Callable[[], object] = lambda: None) -> None:
        self._node, self._added = node, added
        self._lock = threading.Lock()
        self._streams: dict[str, S] = {}
        self._closed: set[str] = set()
        self._numbers = itertools.count()

    def __len__(self) -> int:
        return len(self._streams)

    def add(self, stream: S) -> str:
        """Enters a stream and returns its topic."""
        with self._lock:
            self._streams[stream.topic] = stream
        self._added()
        return stream.topic

    def get(self, topic: str) -> S | None:
        """The stream on a topic, if it is open."""
        return self._streams.get(topic)

    def close(self, topic: str) -> bool:
        """Ends a stream. False: there is none on that topic."""
        with self._lock:
            stream = self._streams.pop(topic, None)
            if stream is None:
                return False
            self._closed.add(topic)
            self._node.destroy_publisher(stream.publisher)
        return True

    def was_closed(self, topic: str) -> bool:
        """Whether a stream on that topic has ended: who still subscribes there is leaving."""
        return topic in self._closed

    def free_topic(self, pattern: str) -> str:
        """The next of `pattern`'s numbered topics on which nobody is.

        After a restart, viewers of the process before may still be subscribed to the first ones.
        """
        while True:
            topic = str(self._node.resolve_topic_name(pattern.format(next(self._numbers))))
            if topic not in self._streams and not self._node.count_subscribers(topic):
                return topic

    def drop_abandoned(self, now: float, kept: str = '') -> list[str]:
        """Ends streams without viewers, save the one on topic `kept`; returns their topics."""
        over = [each.topic for each in self._streams.values() if each.is_abandoned(now)]
        return [topic for topic in over if topic != kept and self.close(topic)]

    def all(self) -> tuple[S, ...]:
        """Those that are open; each may be closed at any moment."""
        return tuple(self._streams.values())

    def for_each(self, act: Callable[[S], None]) -> None:
        """Calls `act` with each stream; none is destroyed meanwhile."""
        with self._lock:
            for stream in self._streams.values():
                act(stream)
