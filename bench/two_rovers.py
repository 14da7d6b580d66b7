"""Two rovers on hosts of their own and their two executives on a third: each obeys its own.

Three network namespaces with a discovery server beside the executives. Both rovers drive; the
link of one is cut: it stands, the other one drives on. Then the link is back, and the next tool
of the first is done. Needs root and `ip`.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
import random
import subprocess
import sys
import tempfile
import threading
import time

from rclpy.task import Future

from bench._driven_system import DrivenSystem
from bench._figures import report
from bench.network_cuts import (
    CUT,
    SETTINGS,
    STANDS_WITHIN_S,
    Link,
    discovery_server,
    measured_inside,
)

ROUNDS = 4
DRIVE_S = 25.0  # the longest that robot.yaml allows
CUT_WITHIN_S = 2.0
CUT_S = 2.5
NEXT_WITHIN_S = 60.0
BASE = 'bt_bench_base'
SPACES = ('rover_1', 'rover_2')
ADDRESSES = {BASE: '10.77.7.1', 'bt_bench_rover_1': '10.77.7.2', 'bt_bench_rover_2': '10.77.7.3'}
NAMES = (
    'rover',
    'environment_simulator',
    'curiosity_control',
    'curiosity_adapter',
    'executive',
)


class Rover:
    """One rover with its executive."""

    def __init__(self, space: str, folder: Path) -> None:
        self.host = f'bt_bench_{space}'
        inside = ('ip', 'netns', 'exec', self.host)
        self.events: list[tuple[str, float]] = []
        self._watch = subprocess.Popen(
            [*inside, sys.executable, '-m', 'bench._standing', space],
            stdout=subprocess.PIPE,
            text=True,
        )
        threading.Thread(target=self._read, daemon=True).start()
        folder.mkdir()
        through = {name: inside for name in NAMES if name != 'executive'}
        self.system = DrivenSystem(folder, NAMES, SETTINGS, through=through, space=space)

    @property
    def drives(self) -> bool:
        """Whether it moved by its latest message."""
        return bool(self.events) and self.events[-1][0] == 'drives'

    def carry_out(self, tool: str) -> None:
        """Runs a tool until it is done, with resets where they are needed."""
        deadline = time.monotonic() + NEXT_WITHIN_S
        while self.system.carry_out(tool).outcome != 'reached':
            if time.monotonic() > deadline:
                raise TimeoutError(f'{self.host}: {tool} is not done within {NEXT_WITHIN_S:g} s')
            self.system.reset()

    def end(self) -> None:
        """Ends its processes."""
        self._watch.terminate()
        self._watch.wait()
        self.system.end()

    def _read(self) -> None:
        assert self._watch.stdout is not None
        for line in self._watch.stdout:
            what, at = line.split()
            self.events.append((what, float(at)))


def run() -> bool:
    """Makes the three hosts and measures on the one of the executives."""
    return measured_inside(BASE, ADDRESSES, 'bench.two_rovers')


def measure() -> bool:
    """Cuts the link of one rover after the other while both drive."""
    moments = random.Random(7)
    with (
        Link(ADDRESSES) as link,
        discovery_server(ADDRESSES[BASE]),
        tempfile.TemporaryDirectory() as folder,
    ):
        rovers = [Rover(space, Path(folder) / space) for space in SPACES]
        try:
            for rover in rovers:
                rover.carry_out('mast_close')
            stands = [_round(link, rovers, number % 2, moments) for number in range(ROUNDS)]
        finally:
            for rover in rovers:
                rover.end()
    what = f'cut → standing, longest of {ROUNDS}; the other drives on'
    return report(what, max(stands), 's', at_most=STANDS_WITHIN_S)


def _round(link: Link, rovers: Sequence[Rover], cut: int, moments: random.Random) -> float:
    """From the cut of one rover's link until it stands, in s."""
    one, other = rovers[cut], rovers[1 - cut]
    for rover, witness in ((one, other), (other, one)):
        was = witness.drives
        ending = rover.system.begin('move_forward', duration_s=DRIVE_S)
        begun = partial(_has_begun, rover, ending)
        rover.system.until(begun, f'{rover.host} drives', NEXT_WITHIN_S)
        if ending.done():
            raise RuntimeError(f'{rover.host} does not drive: {ending.result().result.answer}')
        if witness.drives is not was:
            raise RuntimeError(f'{witness.host} obeyed the executive of {rover.host}')
    one.system.wait(moments.uniform(0.0, CUT_WITHIN_S))
    at = time.monotonic()
    link.become(CUT, ADDRESSES[one.host])
    try:
        one.system.until(lambda: not one.drives, 'it stands', NEXT_WITHIN_S)
        one.system.wait(CUT_S)
        if not other.drives:
            raise RuntimeError(f'{other.host} stood when the link of {one.host} was cut')
    finally:
        link.become((0.0, 0.0))
    stood_at = one.events[-1][1]
    other.system.ask('stop')
    other.system.until(lambda: not other.drives, 'it obeys a stop', NEXT_WITHIN_S)
    for rover in rovers:
        rover.carry_out('mast_close')
    return stood_at - at


def _has_begun(rover: Rover, ending: Future) -> bool:
    return rover.drives or bool(ending.done())


if __name__ == '__main__':
    sys.exit(0 if measure() else 1)
