"""Stops one robot or all of a fleet, each on a connection of its own."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from bt_executive.client.front_end_ports import StopPort, StopResult

STOPS_AT_ONCE = 64


@dataclass(frozen=True)
class FleetStop(StopResult):
    """What became of a stop of several robots. `robots`: what each was answered, by name."""

    robots: Mapping[str, StopResult]


class FleetStopPort:
    """Stops all robots at once, each on its own line; may be used from any thread.

    Args:
        lines: By the name of the robot.
        also: Called for each robot besides, to call off what is not sent yet; must not wait.
    """

    def __init__(self, lines: Mapping[str, StopPort], also: Callable[[str], None]) -> None:
        self._lines, self._also = lines, also
        self._threads = ThreadPoolExecutor(2 * len(lines), 'stop of a fleet')

    def stop(self) -> FleetStop:
        """Stops all; returns when the last line has answered, which takes it about 1 s at most."""
        asked = {name: self._threads.submit(self.stop_one, name) for name in self._lines}
        robots = {name: each.result() for name, each in asked.items()}
        said = sorted(robots.items(), key=lambda each: each[1].ok)  # what is not confirmed first
        text = ' · '.join(f'{name}: {answer.text}' for name, answer in said)
        return FleetStop(all(each.ok for each in robots.values()), text, robots)

    def stop_one(self, name: str) -> StopResult:
        """Stops one robot."""
        self._also(name)
        return self._lines[name].stop()

    def close(self) -> None:
        """Takes no more stops; the lines themselves are not closed."""
        self._threads.shutdown(wait=False)
