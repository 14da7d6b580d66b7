"""Stops one robot or all robots of a fleet, each on its own connection."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from bt_executive.client.front_end_requests import StopPort, StopResult

STOPS_AT_ONCE = 64


@dataclass(frozen=True)
class FleetStop(StopResult):
    """The result of a stop of several robots. `robots`: the result of each, by name."""

    robots: Mapping[str, StopResult]


class FleetStopPort:
    """Stops all robots at once, each by its own stop port. Thread-safe.

    Args:
        stop_ports: By name of the robot.
        on_stop: Called for each robot, to cancel unsent requests; must not block.
    """

    def __init__(self, stop_ports: Mapping[str, StopPort], on_stop: Callable[[str], None]) -> None:
        self._stop_ports, self._on_stop = stop_ports, on_stop
        self._threads = ThreadPoolExecutor(2 * len(stop_ports), 'stop of a fleet')

    def stop(self) -> FleetStop:
        """Stops all robots; returns after the last answer, within about 1 s."""
        futures = {name: self._threads.submit(self.stop_one, name) for name in self._stop_ports}
        robots = {name: each.result() for name, each in futures.items()}
        ordered = sorted(robots.items(), key=lambda each: each[1].ok)  # unconfirmed ones first
        text = ' · '.join(f'{name}: {result.text}' for name, result in ordered)
        return FleetStop(all(each.ok for each in robots.values()), text, robots)

    def stop_one(self, name: str) -> StopResult:
        """Stops one robot."""
        self._on_stop(name)
        return self._stop_ports[name].stop()

    def close(self) -> None:
        """Ends the threads; the stop ports stay open."""
        self._threads.shutdown(wait=False)
