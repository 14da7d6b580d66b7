"""A stop of several robots: each on its own line, all at once."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from bt_executive.web.page_port import StopPort, StopSaid


@dataclass(frozen=True)
class FleetStop:
    """What became of a stop of several robots. `robots`: what each was answered, by name."""

    robots: Mapping[str, StopSaid]

    @property
    def ok(self) -> bool:
        """Whether every robot's was confirmed."""
        return all(each.ok for each in self.robots.values())

    @property
    def text(self) -> str:
        """What came of each; those that are not confirmed come first."""
        said = sorted(self.robots.items(), key=lambda each: each[1].ok)
        return ' · '.join(f'{name}: {answer.text}' for name, answer in said)


class FleetLine:
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
        return FleetStop({name: each.result() for name, each in asked.items()})

    def stop_one(self, name: str) -> StopSaid:
        """Stops one robot."""
        self._also(name)
        return self._lines[name].stop()

    def close(self) -> None:
        """Takes no more stops; the lines themselves are not closed."""
        self._threads.shutdown(wait=False)
