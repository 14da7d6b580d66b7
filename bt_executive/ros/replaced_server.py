"""Detects that another process serves an action or service while a call of ours is under way.

A server that was killed stays in the graph until its lease ends, 20 s with Fast DDS. One that was
started in its place meanwhile knows nothing of the call. It can be asked for an action's goal, but
not for a service's request.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from rclpy.callback_groups import CallbackGroup
from rclpy.node import Node
from rclpy.task import Future
from rclpy.timer import Timer

from rover_common.ros.bounded_calls import MOST_OPEN
from rover_common.ros.timers import STEADY

POLL_S = 0.5  # steady
TIMES = 3  # how often the server is asked: not all of it may be discovered at first
UNKNOWN = '_NODE_NAME_UNKNOWN_'  # rmw's name of a node of which it has discovered an endpoint only

Publishers = dict[bytes, str]  # the full name of the node of each, by the id of the endpoint


def publishers_of(node: Node, topic: str, no_mangle: bool = False) -> Publishers:
    """Return the publishers of a topic; `no_mangle`: `topic` is its name in DDS."""
    found = node.get_publishers_info_by_topic(topic, no_mangle)
    return {
        bytes(each.endpoint_gid): f'{each.node_namespace.rstrip("/")}/{each.node_name}'
        for each in found
    }


def is_replaced(before: Mapping[bytes, str], now: Mapping[bytes, str]) -> bool:
    """Return whether all former publishers are gone, and a new one is there.

    A publisher counts as gone, too, if a new one has the name of its node: a node that was
    restarted has the same name, and one that was killed is still listed.
    """
    arrived = {now[each] for each in now if each not in before}
    return bool(arrived) and all(
        each not in now or (name in arrived and not name.endswith(UNKNOWN))
        for each, name in before.items()
    )


class ReplacedServer:
    """Compares the publishers of the action's status. Used in the executor's thread alone.

    `is_needed`: whether a goal is under way; without one nothing is compared. `on_new_publisher`
    is called `TIMES` times when a new publisher has appeared.
    """

    def __init__(
        self,
        node: Node,
        action: str,
        group: CallbackGroup,
        is_needed: Callable[[], bool],
        on_new_publisher: Callable[[], None],
    ) -> None:
        self._node, self._group = node, group
        self._topic = f'{action}/_action/status'
        self._is_needed, self._on_new_publisher = is_needed, on_new_publisher
        self._publishers_before: Publishers = {}
        self._timer: Timer | None = None
        self._left = 0  # calls of `on_new_publisher`

    def begin(self) -> None:
        """Starts comparing, after a goal was sent, until `is_needed` returns False."""
        if self._timer is None:
            self._publishers_before, self._left = self._publishers(), 0
            self._timer = self._node.create_timer(
                POLL_S, self._poll, callback_group=self._group, clock=STEADY
            )

    def _poll(self) -> None:
        if not self._is_needed():
            timer, self._timer = self._timer, None
            self._node.destroy_timer(timer)
            return
        before, self._publishers_before = self._publishers_before, self._publishers()
        if self._publishers_before.keys() - before.keys():
            self._left = TIMES
        if self._left:
            self._left -= 1
            self._on_new_publisher()

    def _publishers(self) -> Publishers:
        return publishers_of(self._node, self._topic)


@dataclass
class _Request:
    """A request without an answer."""

    server_call_id: str
    future: Future
    topic: str  # of the answers, in DDS
    before: Publishers  # of answers, when it was sent
    replaced: int = 0  # polls in a row


class ReplacedServices:
    """Gives up the calls of services whose server another process has replaced.

    `lose` is called with the id of such a call, `TIMES` polls after the other process was found:
    until then an answer may still come.
    """

    def __init__(self, node: Node, lose: Callable[[str], None]) -> None:
        self._node, self._lose = node, lose
        self._open: deque[_Request] = deque(maxlen=MOST_OPEN)
        self._timer = node.create_timer(POLL_S, self._poll, clock=STEADY, autostart=False)

    def follow(self, server_call_id: str, service: str, future: Future) -> None:
        """Follows a request that was sent to `service`, by its name in the graph.

        `future` is done when the answer has come. Any thread may call it.
        """
        topic = f'rr{service}Reply'
        before = publishers_of(self._node, topic, no_mangle=True)
        self._open.append(_Request(server_call_id, future, topic, before))
        self._timer.reset()

    def _poll(self) -> None:
        self._timer.cancel()
        for _ in range(len(self._open)):
            request = self._open.popleft()
            if request.future.done():
                continue
            if self._count(request) < TIMES:
                self._open.append(request)
            else:
                self._lose(request.server_call_id)
        if self._open:
            self._timer.reset()

    def _count(self, request: _Request) -> int:
        now = publishers_of(self._node, request.topic, no_mangle=True)
        if not request.before:  # the graph did not show the server yet
            request.before = now
        request.before = {each: now.get(each, name) for each, name in request.before.items()}
        request.replaced = request.replaced + 1 if is_replaced(request.before, now) else 0
        return request.replaced
