"""Requests the start time of the executive's run."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from rcl_interfaces.msg import ParameterType, ParameterValue
from rclpy.task import Future

from bt_executive.client.front_end_events import ClientEvent, RunStarted
from bt_executive.ros.client.service_and_parameter_calls import NodeParameters

PARAMETER = 'run_began'
AGAIN_S = 1.0  # until a request is repeated


class RunBeganQuestion:
    """Used in the client's thread alone. `emit` takes one `RunStarted` of each executive."""

    def __init__(self, parameters: NodeParameters, emit: Callable[[ClientEvent], None]) -> None:
        self._parameters, self._emit = parameters, emit
        self._asked: Future | None = None
        self._is_answered = False
        self._again_at = 0.0  # steady s

    def forget(self) -> None:
        """Forgets the answer: the executive is gone, and another run may follow."""
        self._is_answered = False
        self._drop()

    def update(self, now: float) -> None:
        """Sends the request until it is answered; called often while the executive answers.

        `now`: steady time in s.
        """
        if self._is_answered or now < self._again_at or not self._parameters.is_served():
            return
        self._drop()
        self._again_at = now + AGAIN_S
        self._asked = self._parameters.read([PARAMETER], self._answered)

    def _drop(self) -> None:
        """Drops the former request."""
        if self._asked is not None:
            self._parameters.drop(self._asked)
            self._asked = None

    def _answered(self, values: Sequence[ParameterValue]) -> None:
        self._is_answered = True  # also if the executive has no such parameter
        for value in values:
            if value.type == ParameterType.PARAMETER_DOUBLE:
                self._emit(RunStarted(value.double_value))
