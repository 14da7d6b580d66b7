"""The base against a rover that has ceased to answer."""

from __future__ import annotations

from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

from bt_executive.config import load_config
from bt_executive.settings import RoverServices
from curiosity_adapter.base import MOST_STOPS
from curiosity_adapter.parts import Parts
from curiosity_adapter.rover import Rover
from curiosity_adapter.waits import Waits


class SilentClient:
    """A service that is there and never answers; keeps what waits, as rclpy does."""

    def __init__(self) -> None:
        self.asked = 0
        self.waiting: list[Any] = []

    def service_is_ready(self) -> bool:
        return True

    def call_async(self, _request: Any, /) -> Any:
        self.asked += 1
        self.waiting.append(Future())
        return self.waiting[-1]

    def remove_pending_request(self, answer: Any, /) -> None:
        self.waiting.remove(answer)


def test_stops_that_are_never_answered_do_not_pile_up_and_the_latest_counts() -> None:
    config, now = load_config(), [0.0]
    clients = {name: SilentClient() for name in RoverServices.model_fields}
    waits = Waits(lambda: now[0], Future)
    rover = Rover(clients, dict.fromkeys(clients, ''), object, waits, config.curiosity.motion)
    with ThreadPoolExecutor() as planning:
        parts = Parts(
            config,
            rover,
            waits,
            planning,
            lambda: now[0],
            lambda: now[0],
            on_change=lambda: None,
            on_halt=lambda _reason: None,
        )
        for _ in range(3 * MOST_STOPS):
            now[0] += 1.0
            parts.watch(None)
    stops = clients['move_stop']
    assert stops.asked == 3 * MOST_STOPS
    assert len(stops.waiting) == MOST_STOPS
    stops.waiting[-1].set_result(None)
    now[0] += 1.0
    parts.watch(None)
    assert stops.asked == 3 * MOST_STOPS
