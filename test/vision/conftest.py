"""A gateway on a port of its own, and clients that are closed with it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import ExitStack
from typing import Any

from coroutine_tests import pytest_pyfunc_call  # noqa: F401  # a hook
from fakes.vision import FakeChat, FakeResource
from public_client import PublicClient
import pytest
from starlette.types import ASGIApp
from waiting import wait_until

from rover_common.config.load import load_config
from rover_common.config.settings import VisionSettings
from rover_vision.capture.connected_clients import Source
from rover_vision.capture.looks_in_event_loop import Captures
from rover_vision.capture.pending_looks import CaptureRequest
from rover_vision.gateway.client_sockets_and_rover_camera import Events
from rover_vision.gateway.gateway_routes import Parts, make_app
from rover_vision.gateway.gateway_server import GatewayServer, listening_socket
from rover_vision.look_request_and_result import LookFault, PictureSet

TOKEN = 'a token for tests'


class Gateway:
    """A running gateway with fakes behind it. `late`: what came too late."""

    def __init__(self, settings: VisionSettings) -> None:
        self.late: list[tuple[CaptureRequest, PictureSet]] = []
        self.token = TOKEN
        self.captures = Captures(
            settings.capture_timeout_s, lambda request, seen: self.late.append((request, seen))
        )
        self.events = Events(self.captures, settings.dialect, settings.limits.max_sockets)
        resource = FakeResource()
        parts = Parts(settings, TOKEN, self.captures, self.events, FakeChat(), resource, resource)
        self.server = GatewayServer(
            listening_socket('127.0.0.1', 0), lambda: self._make(parts), self.events.close_all
        )
        self.server.start()
        self.port = self.server.port
        self._stack = ExitStack()
        self._stack.callback(self.server.end)

    @staticmethod
    def _make(parts: Parts) -> ASGIApp:
        return make_app(parts)

    @property
    def url(self) -> str:
        return f'http://127.0.0.1:{self.port}'

    @property
    def headers(self) -> dict[str, str]:
        return {'authorization': f'Bearer {TOKEN}'}

    def client(self, client_id: str = 'console-1', **options: Any) -> PublicClient:
        """A client that is connected and known."""
        options = {'token': TOKEN, **options}
        client = PublicClient(self.port, client_id=client_id, **options)
        self._stack.callback(client.close)
        wait_until(lambda: client_id in self.captures.client_ids)
        return client

    def look(
        self, source: Source = Source.DESKTOP, *preferred: str, others: bool = True
    ) -> Future[PictureSet | LookFault]:
        return self.server.submit(self.captures.look(source, 'chat', preferred, others))

    def close(self) -> None:
        self._stack.close()


@pytest.fixture
def start_gateway() -> Iterator[Callable[..., Gateway]]:
    """Starts a gateway with overridden settings."""
    with ExitStack() as stack:

        def start(*overrides: str) -> Gateway:
            settings = load_config(overrides=[f'vision.{each}' for each in overrides]).vision
            gateway = Gateway(settings)
            stack.callback(gateway.close)
            return gateway

        yield start


@pytest.fixture
def gateway(start_gateway: Callable[..., Gateway]) -> Gateway:
    """A gateway as configured."""
    return start_gateway()
