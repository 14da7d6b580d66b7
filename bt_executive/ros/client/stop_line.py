"""A stop with its own context, node and thread, which works even if all else hangs.

It calls the executive, which ends every goal, and the service `guards.stop_endpoint`, which stops
the base, both at once: a stop needs no permission, and the second does not wait for the first.
"""

from __future__ import annotations

from collections.abc import Sequence
import threading
import time
from typing import Any

from std_srvs.srv import Trigger

from bt_executive.client.front_end_ports import StopResult
from bt_executive.core.stop_endpoints import stop_endpoints
from bt_executive.ros.client.spinning_node import SpinningNode
from rover_common.config.settings import Config
from rover_common.ros.interface_classes_and_fields import interface_class
from rover_common.ros.node_topic_and_enclave_names import STOP_LINE
from rover_common.text_sanitizing import one_line

ANSWER_LIMIT_S = 1.0
ABSENT, SILENT = 'no server answers', f'no answer within {ANSWER_LIMIT_S:g} s'


class _Asked:
    """One request and its answer, which another thread awaits."""

    def __init__(self) -> None:
        self.answered = threading.Event()
        self.ok, self.text = False, ABSENT

    def read(self, response: Any) -> None:
        """Reads the answer of a stop service of any type; one without `success` counts as yes."""
        self.ok = getattr(response, 'success', True)
        self.text = getattr(response, 'message', '') or ('answered' if self.ok else 'refused')
        self.answered.set()


class StopLine:
    """May be used from any thread.

    Raises:
        UsageError: The ROS arguments cannot be used, or ROS refuses the node.
    """

    def __init__(self, config: Config, ros_arguments: Sequence[str] = ()) -> None:
        self._spinning = SpinningNode(
            'bt_executive_stop_line', STOP_LINE, ros_arguments, self._fail
        )
        self._fault = ''
        node = self._spinning.node
        base, _ = stop_endpoints(config)
        self._clients = {
            'executive': node.create_client(Trigger, 'executive/stop'),
        }
        if base is not None:
            kind = interface_class(base.type)
            self._clients[base.name] = node.create_client(kind, base.ros_name)
        self._spinning.start()

    def stop(self) -> StopResult:
        """Calls both at once; returns when both have answered, or `ANSWER_LIMIT_S` later."""
        asked = {name: _Asked() for name in self._clients}
        for name, client in self._clients.items():
            if client.service_is_ready():
                asked[name].text = SILENT
                take = asked[name].read
                client.call_async(client.srv_type.Request()).add_done_callback(
                    lambda future, take=take: take(future.result())
                )
            else:
                asked[name].answered.set()
        until = time.monotonic() + ANSWER_LIMIT_S
        for each in asked.values():
            each.answered.wait(max(0.0, until - time.monotonic()))
        text = '; '.join(f'{name}: {each.text}' for name, each in asked.items())
        return StopResult(any(each.ok for each in asked.values()), text + self._fault)

    def close(self) -> None:
        """Leaves the ROS graph."""
        self._spinning.close()

    def _fail(self, fault: BaseException) -> None:
        self._fault = (
            f'; its own connection has failed ({one_line(repr(fault))}): restart this program'
        )
