"""A stop on a way of its own: own context, own node, own thread. Whatever else hangs, it does not.

It asks the executive, which ends every goal, and the adapter, which stops the base, both at once:
a stop needs no permission, and the second one does not wait for the first.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
import os
import threading

import rclpy
from rclpy.executors import ExternalShutdownException, ShutdownException, SingleThreadedExecutor
from rclpy.node import Node
from rclpy.signals import SignalHandlerOptions
from std_srvs.srv import Trigger

from rover_common.config.settings import Config
from rover_common.ros.enclave import STOP_LINE, enclave_arguments
from rover_common.ros.names import relative
from rover_common.ros.transport import choose_transport

ANSWER_LIMIT_S = 1.0
ABSENT, SILENT = 'nobody answers there', f'no answer within {ANSWER_LIMIT_S:g} s'


@dataclass(frozen=True)
class StopAnswer:
    """What became of a stop. `text`: what each of the two said."""

    ok: bool
    text: str


class _Asked:
    """One question and its answer, waited for by another thread."""

    def __init__(self) -> None:
        self.answered = threading.Event()
        self.ok, self.text = False, ABSENT

    def take(self, response: Trigger.Response) -> None:
        self.ok, self.text = response.success, response.message or 'done'
        self.answered.set()


class StopLine:
    """May be used from any thread.

    Raises:
        RuntimeError: ROS cannot be used.
    """

    def __init__(self, config: Config, ros_arguments: Sequence[str] = ()) -> None:
        choose_transport(os.environ)
        self._context = rclpy.Context()
        rclpy.init(
            args=[*enclave_arguments(STOP_LINE), *ros_arguments],
            context=self._context,
            signal_handler_options=SignalHandlerOptions.NO,
        )
        self._node = Node('bt_executive_stop_line', context=self._context)
        self._executor = SingleThreadedExecutor(context=self._context)
        self._executor.add_node(self._node)
        names = {
            'executive': 'executive/stop',
            'adapter': relative(config.topics.adapter.move_stop.name),
        }
        self._clients = {
            name: self._node.create_client(Trigger, each) for name, each in names.items()
        }
        self._thread = threading.Thread(target=self._spin, name='stop line', daemon=True)
        self._thread.start()

    def stop(self) -> StopAnswer:
        """Asks both at once; returns when both have answered, or `ANSWER_LIMIT_S` later."""
        asked = {name: _Asked() for name in self._clients}
        for name, client in self._clients.items():
            if client.service_is_ready():
                asked[name].text = SILENT
                take = asked[name].take
                client.call_async(Trigger.Request()).add_done_callback(
                    lambda future, take=take: take(future.result())
                )
            else:
                asked[name].answered.set()
        for each in asked.values():
            each.answered.wait(ANSWER_LIMIT_S)
        words = '; '.join(f'{name}: {each.text}' for name, each in asked.items())
        return StopAnswer(any(each.ok for each in asked.values()), words)

    def close(self) -> None:
        """Leaves the ROS graph."""
        self._executor.shutdown(timeout_sec=1.0)
        self._thread.join(timeout=2.0)
        self._node.destroy_node()
        self._context.try_shutdown()

    def _spin(self) -> None:
        try:
            self._executor.spin()
        except (ExternalShutdownException, ShutdownException):
            return
