"""Since when the run counts: a parameter of the executive, read when it is there."""

from __future__ import annotations

from collections.abc import Callable

from rcl_interfaces.msg import ParameterType
from rcl_interfaces.srv import GetParameters
from rclpy.node import Node
from rclpy.task import Future

from bt_executive.client.front_end_events import ClientEvent, RunBegan

PARAMETER = 'run_began'
AGAIN_S = 1.0  # an answer that is lost is asked for again


class RunBeganQuestion:
    """Used in the client's thread alone. `put` takes one `RunBegan` of each executive."""

    def __init__(self, node: Node, put: Callable[[ClientEvent], None]) -> None:
        self._put = put
        self._get = node.create_client(GetParameters, 'executive/get_parameters')
        self._asked: Future | None = None
        self._is_answered = False
        self._again_at = 0.0  # steady s

    def forget(self) -> None:
        """The executive is gone: the next one may be of another run, and answers itself."""
        self._is_answered = False
        self._drop()

    def update(self, now: float) -> None:
        """Asks, unless it is answered; to be called often while the executive answers.

        `now`: steady time in s.
        """
        if self._is_answered or now < self._again_at or not self._get.service_is_ready():
            return
        self._drop()
        self._again_at = now + AGAIN_S
        self._asked = self._get.call_async(GetParameters.Request(names=[PARAMETER]))
        self._asked.add_done_callback(self._answered)

    def _drop(self) -> None:
        """What was asked before is not waited for: its answer would come too late."""
        if self._asked is not None:
            self._get.remove_pending_request(self._asked)
            self._asked = None

    def _answered(self, answer: Future) -> None:
        self._is_answered = True  # also by an executive that has no such parameter
        for value in answer.result().values:
            if value.type == ParameterType.PARAMETER_DOUBLE and value.double_value > 0.0:
                self._put(RunBegan(value.double_value))
