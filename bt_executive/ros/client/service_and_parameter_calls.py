"""Calls of services with a timeout, among them those that read and set a node's parameters.

The service of a node that hangs has a server, but no answer. An answer that came while this
process did not run is read before it counts as missing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
import time
from typing import Any

from rcl_interfaces.msg import Parameter, ParameterValue, SetParametersResult
from rcl_interfaces.srv import GetParameters, SetParameters
from rclpy.node import Node
from rclpy.task import Future
from rclpy.timer import Timer

from rover_common.clocks import READING_S
from rover_common.ros.timers import STEADY, set_period

LIMIT_S = 5.0  # steady; later answers do not count
LATE_S = 0.1  # a limit that is noticed later than this: this process did not run
READING_NS = round(READING_S * 1e9)
Late = Callable[[str], None]  # takes the reason for a missing answer


class AnswerTimeout:
    """Used in the client's thread alone."""

    def __init__(self, node: Node, limit_s: float = LIMIT_S) -> None:
        self._node, self._limit_s = node, limit_s

    def ask(
        self,
        client: Any,
        request: Any,
        then: Callable[[Any], None],
        late: Callable[[str], None],
        is_limited: bool = True,
    ) -> Future | None:
        """Sends a request; returns its future, or None if there is no server.

        `then` takes the response, or `late` the reason why there is none. `is_limited`: whether
        the request is dropped when it is not answered in time.
        """
        if not client.service_is_ready():
            late(f'No server answers at {client.srv_name} now.')
            return None
        asked: Future = client.call_async(request)
        asked.add_done_callback(lambda future: then(future.result()))
        if is_limited:
            self._watch(client, asked, late)
        return asked

    def _watch(self, client: Any, asked: Future, late: Callable[[str], None]) -> None:
        give_up_by = time.monotonic() + self._limit_s + LATE_S

        def expire() -> None:
            if limit.timer_period_ns != READING_NS and time.monotonic() > give_up_by:
                set_period(limit, READING_S)  # once: what arrived meanwhile is still to be read
            else:
                self._give_up(client, asked, limit, late)

        limit: Timer = self._node.create_timer(self._limit_s, expire, clock=STEADY)
        asked.add_done_callback(partial(self._answered, limit))

    def _answered(self, limit: Timer, _asked: Future) -> None:
        self._node.destroy_timer(limit)

    def _give_up(
        self, client: Any, asked: Future, limit: Timer, late: Callable[[str], None]
    ) -> None:
        self._node.destroy_timer(limit)
        if not asked.done():
            client.remove_pending_request(asked)
            late(f'No answer from {client.service_name} within {self._limit_s:g} s')


class NodeParameters:
    """Parameters of the node `name`. Used in the client's thread alone."""

    def __init__(self, node: Node, name: str, limit_s: float = LIMIT_S) -> None:
        self._limit = AnswerTimeout(node, limit_s)
        self._get = node.create_client(GetParameters, f'{name}/get_parameters')

    def is_served(self) -> bool:
        """Return whether the node is there."""
        return bool(self._get.service_is_ready())

    def read(
        self,
        names: Sequence[str],
        then: Callable[[Sequence[ParameterValue]], None],
        late: Late = lambda _why: None,
    ) -> Future | None:
        """Requests values; `then` gets an empty list if the node lacks one. None: not sent."""
        request = GetParameters.Request(names=names)
        return self._limit.ask(self._get, request, lambda found: then(found.values), late)

    def drop(self, asked: Future) -> None:
        """Drops the request of a `read`."""
        self._get.remove_pending_request(asked)


class ChangeableParameters(NodeParameters):
    """Sets parameters, too, which SROS2 allows only to front ends of humans."""

    def __init__(self, node: Node, name: str, limit_s: float = LIMIT_S) -> None:
        super().__init__(node, name, limit_s)
        self._set = node.create_client(SetParameters, f'{name}/set_parameters')

    def write(
        self,
        name: str,
        value: ParameterValue,
        then: Callable[[Sequence[SetParametersResult]], None],
        late: Late,
    ) -> None:
        """Sets one value; `then` gets one result, or none from a node that has no parameters."""
        request = SetParameters.Request(parameters=[Parameter(name=name, value=value)])
        self._limit.ask(self._set, request, lambda done: then(done.results), late)
