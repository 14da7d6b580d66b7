"""Subscribes to the topics that robot.yaml names for the state, with the types in the graph."""

from __future__ import annotations

from collections.abc import Callable, Mapping
import time
from typing import Any

from rclpy.node import Node

from bt_executive.core.guards import judge
from bt_executive.core.inbox import Inbox
from bt_executive.core.inputs import TopicReceived
from bt_executive.plugins.checked_plugin_calls import plugin_reducers
from rover_common.config.settings import PartValue, Robot
from rover_common.config.settings.state_and_guards import TopicField
from rover_common.ros.timers import STEADY
from rover_common.ros.topic_of_one_publisher import SEARCH_PERIOD_S, FollowedTopic
from rover_common.state_values import value_of


class TopicState:
    """One subscription for each topic; `stop_now` is called when `safe_when` begins to hold."""

    def __init__(
        self, node: Node, inbox: Inbox, robot: Robot, stop_now: Callable[[], None]
    ) -> None:
        topics = dict.fromkeys(each.topic for each in robot.from_topics.values())
        self._topics = [_Topic(node, inbox, robot, topic, stop_now) for topic in topics]
        if topics:
            node.create_timer(SEARCH_PERIOD_S, self.search, clock=STEADY)

    def search(self) -> None:
        """Subscribes where a publisher has appeared or has changed its type or QoS."""
        for topic in self._topics:
            topic.search()


class _Topic:
    """The fields of the state that come from one topic."""

    def __init__(
        self, node: Node, inbox: Inbox, robot: Robot, topic: str, stop_now: Callable[[], None]
    ) -> None:
        self._inbox, self._robot, self._stop_now = inbox, robot, stop_now
        self._topic, self._was_received = topic, False
        fields = robot.from_topics.items()
        self._fields: Mapping[str, TopicField] = {
            name: each for name, each in fields if each.topic == topic
        }
        self._reducers = plugin_reducers(self._fields.values())
        types = {each.type for each in self._fields.values() if each.type}
        self._source = FollowedTopic(node, topic, types, self._receive)
        self._why, self._unsafe = '', False

    def search(self) -> None:
        """Subscribes as the publisher offers it; reports why that is not possible."""
        why = self._source.search()
        if why:
            self._report(why)

    def _report(self, why: str) -> None:
        if why != self._why:
            self._why = why
            if not self._source.can_still_come:
                reasons = dict.fromkeys(self._fields, why)
                self._inbox.put(TopicReceived(time.monotonic(), self._topic, {}, reasons))
                if self._was_received:  # perhaps for a long max_age_s
                    self._stop_if_unsafe({})

    def _receive(self, message: Any, at: float) -> None:
        self._why, self._was_received = '', True
        values: dict[str, PartValue | None] = {}
        unknown: dict[str, str] = {}
        for name, entry in self._fields.items():
            try:
                values[name] = value_of(message, entry, self._reducers)
            except ValueError as error:
                unknown[name] = str(error)
        self._stop_if_unsafe(values)
        self._inbox.put(TopicReceived(at, self._topic, values, unknown))

    def _stop_if_unsafe(self, values: Mapping[str, PartValue | None]) -> None:
        robot = self._robot
        asked = {name: each for name, each in robot.safe_when.items() if name in self._fields}
        unsafe = any(
            judge(values.get(name), robot.types[name], wanted) is not False
            for name, wanted in asked.items()
        )
        if unsafe and not self._unsafe:
            self._stop_now()
        self._unsafe = unsafe
