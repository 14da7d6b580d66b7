"""The adapter's clients of the rover: seven Empty services, and a velocity of zero."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Protocol

from curiosity_adapter.adapter_error_codes import Cause
from rover_common.condition_waiter import ConditionWaiter
from rover_common.config.settings import MotionSettings
from rover_common.reason import Reason


class ServiceFuture(Protocol):
    """The future of a service call."""

    def done(self) -> bool:
        """Return whether the answer has arrived."""

    def add_done_callback(self, callback: Callable[[Any], None], /) -> None:
        """Calls back when the answer arrives."""


class EmptyClient(Protocol):
    """The used part of `rclpy.client.Client`."""

    def service_is_ready(self) -> bool:
        """Return whether the service has a server."""

    def call_async(self, request: Any, /) -> ServiceFuture:
        """Sends the request."""

    def remove_pending_request(self, answer: Any, /) -> None:
        """Ignores the answer from now on."""


class RoverClient:
    """Calls the rover's services and describes what goes wrong.

    Args:
        clients: The client of each service, by its key in topics.yaml, section `curiosity`.
        names: The resolved name of each service, for sentences.
        make_request: Makes an empty request.
        publish_zero_velocity: Commands the wheels to stand still, bypassing the services.
        waiter: Awaits conditions.
        settings: `service_wait_s` bounds both the wait for a service and for its answer.
    """

    def __init__(
        self,
        clients: Mapping[str, EmptyClient],
        names: Mapping[str, str],
        make_request: Callable[[], Any],
        publish_zero_velocity: Callable[[], None],
        waiter: ConditionWaiter,
        settings: MotionSettings,
    ) -> None:
        self._clients = clients
        self._names = names
        self._make_request = make_request
        self.publish_zero_velocity = publish_zero_velocity
        self._waiter = waiter
        self.wait_s = settings.service_wait_s

    def offers(self, key: str) -> bool:
        """Whether the rover offers the service now."""
        return self._clients[key].service_is_ready()

    def ask(self, key: str, on_answer: Callable[[], None]) -> ServiceFuture:
        """Sends a request at once; `on_answer` is called when the answer comes, however late."""
        answer = self._clients[key].call_async(self._make_request())
        answer.add_done_callback(lambda _: on_answer())
        return answer

    async def answered(self, answer: ServiceFuture) -> bool:
        """Waits for an answer, within bounds."""
        return await self._waiter.until(answer.done, self.wait_s)

    def forget(self, key: str, answer: ServiceFuture) -> None:
        """Drops an answer that is no longer waited for."""
        self._clients[key].remove_pending_request(answer)

    def absence(self, key: str) -> Reason[Cause]:
        """Return that the service had no server within `wait_s`."""
        return Reason(
            Cause.SERVICE_ABSENT,
            f'Rover service {self._names[key]!r} is absent: nobody offered it within '
            f'{self.wait_s:g} s; start the control nodes of the rover',
        )

    def silence(self, key: str) -> Reason[Cause]:
        """Return that the service did not answer within `wait_s`."""
        return Reason(
            Cause.SERVICE_SILENT,
            f'Rover service {self._names[key]!r} did not answer within {self.wait_s:g} s',
        )
