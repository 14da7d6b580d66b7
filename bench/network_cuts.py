"""The link between executive and rover is cut at random moments of a drive, and healed.

Two network namespaces: the executive in one; adapter, rover and the process that measures, which
has the rover's services, in the other. They find each other by a discovery server on the rover's
side, as config/network/ has it. Half of the trials have a link with 200 ms delay and 20 % loss.
Needs root and `ip`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
import os
from pathlib import Path
import random
import shutil
import subprocess
import sys
import tempfile
import time

from nav_msgs.msg import Odometry
from rclpy.task import Future

from bench._driven_system import DrivenSystem
from bench._figures import report, report_longest, trials

TRIALS = trials(50)
STANDS_WITHIN_S = 0.5
DRIVE_S = 20.0
CUT_WITHIN_S = 3.0  # of the drive's begin
HEALED_WITHIN_S = (0.2, 6.0)  # after the cut
GOES_ON_WITHIN_S = 60.0
NODES = ('rover', 'environment_simulator', 'curiosity_adapter', 'executive')
SETTINGS = ('rover.rocks=0', 'rover.battery.start=1.0', 'goal.max_wall_s=60')
HERE, THERE = 'bt_bench_executive', 'bt_bench_rover'
ADDRESSES = {HERE: '10.77.7.1', THERE: '10.77.7.2'}
CLEAN = (0.0, 0.0)  # delay in s, loss
RADIO = (0.2, 0.2)
CUT = (0.0, 1.0)
# Of a link that delays and loses: more heartbeats, and 0.1 s more until one is too old.
PATIENT = (
    'tick.heartbeat_s=0.03',
    'deadman.timeout_s=0.4',
    'guards.adapter_status_moving_max_age_s=1.2',
)
KINDS = (('clean link', CLEAN, ()), ('200 ms, 20 % loss', RADIO, PATIENT))
STILL_M_S = 0.01
SERVER = Path(__file__).resolve().parent.parent / 'config/network/run_discovery_server.sh'


@dataclass
class Tally:
    """Results of the trials with one kind of link; times in s."""

    stops: list[float] = field(default_factory=list)
    stands: list[float] = field(default_factory=list)
    goes_on: list[float] = field(default_factory=list)
    ends: Counter[str] = field(default_factory=Counter)
    trials: int = 0

    def report_all(self, name: str) -> bool:
        """Print the figures; True if the targets are met."""
        met = report(f'{name}: goes on', len(self.goes_on), at_least=self.trials)
        for what, values, most in (
            ("cut → stop request at the rover's service", self.stops, None),
            ('cut → standing', self.stands, STANDS_WITHIN_S),
            ('healed → the next tool done', self.goes_on, None),
        ):
            if values:
                met &= report_longest(f'{name}: {what}', values, at_most=most)
        for reason, count in self.ends.most_common():
            print(f'  {count:3d} x {reason}')
        return met


def run() -> bool:
    """Cuts the link TRIALS times, half of them on a bad one."""
    return measured_inside(THERE, ADDRESSES, 'bench.network_cuts')


def measured_inside(space: str, addresses: Mapping[str, str], module: str) -> bool:
    """Makes hosts with these addresses and runs a module on one of them; whether it ended well."""
    if os.geteuid() or not shutil.which('ip'):
        print('Not measured: network namespaces need root, and ip.')
        report('not measured', float('nan'))
        return True
    with made_hosts(addresses):
        inside = ['ip', 'netns', 'exec', space, sys.executable, '-m', module]
        return subprocess.run(inside, check=False).returncode == 0


def measure() -> bool:
    """Cuts the link TRIALS times; in the rover's namespace."""
    moments = random.Random(11)
    met = True
    with Link(ADDRESSES) as link, discovery_server(ADDRESSES[THERE]):
        for name, quality, settings in KINDS:
            link.become(CLEAN)
            with tempfile.TemporaryDirectory() as folder:
                tally = _with_a_system(Path(folder), link, quality, settings, moments)
            met &= tally.report_all(name)
    return met


def _with_a_system(
    folder: Path,
    link: Link,
    quality: tuple[float, float],
    settings: tuple[str, ...],
    moments: random.Random,
) -> Tally:
    tally = Tally()
    through = {'executive': ('ip', 'netns', 'exec', HERE)}
    system = DrivenSystem(folder, NODES, (*SETTINGS, *settings), through=through)
    try:
        rover = _Rover(system)
        while system.carry_out('mast_close').outcome != 'reached':
            system.reset()
        link.become(quality)
        while tally.trials < max(1, TRIALS // len(KINDS)):  # none would meet every target
            tally.trials += 1
            _trial(system, rover, tally, (link, quality), moments)
    except TimeoutError as error:
        tally.ends[f'Trial given up: {error}'] += 1
    finally:
        link.become(CLEAN)
        system.end()
    return tally


class Link:
    """The link between namespaces: bench/_bad_link.py. `hosts`: their addresses."""

    def __init__(self, hosts: Mapping[str, str]) -> None:
        self._hosts = hosts

    def __enter__(self) -> Link:
        ends = [f'{name}={address}' for name, address in self._hosts.items()]
        self._process = subprocess.Popen(
            [sys.executable, '-m', 'bench._bad_link', *ends],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert self._process.stdout is not None
        self._process.stdout.readline()
        return self

    def __exit__(self, *_: object) -> None:
        self._process.communicate()

    def become(self, quality: tuple[float, float], address: str = '') -> None:
        """From now on the link has this delay in s, and this loss; of one host or of all."""
        assert self._process.stdin is not None
        self._process.stdin.write(f'{quality[0]} {quality[1]} {address}\n')
        self._process.stdin.flush()


class _Rover:
    """How fast the rover is, by its odometry."""

    def __init__(self, system: DrivenSystem) -> None:
        self.speed = 0.0
        self.stood_at = 0.0
        system.watch(Odometry, '/model/curiosity_mars_rover/odometry', self._take)

    def _take(self, message: Odometry) -> None:
        before, twist = self.speed, message.twist.twist.linear
        self.speed = (twist.x**2 + twist.y**2) ** 0.5
        if self.speed < STILL_M_S <= before:
            self.stood_at = time.monotonic()


def _trial(
    system: DrivenSystem,
    rover: _Rover,
    tally: Tally,
    link: tuple[Link, tuple[float, float]],
    moments: random.Random,
) -> None:
    ending = _drive(system, rover, moments)
    cut_at, system.control.stopped_at = time.monotonic(), None
    link[0].become(CUT)
    try:
        system.until(lambda: rover.stood_at > cut_at, 'the rover stands', GOES_ON_WITHIN_S)
        tally.stops.append((system.control.stopped_at or cut_at) - cut_at)
        tally.stands.append(rover.stood_at - cut_at)
        system.wait(moments.uniform(*HEALED_WITHIN_S))
    finally:
        link[0].become(link[1])
    healed_at = time.monotonic()
    system.until(ending.done, 'the goal has ended', GOES_ON_WITHIN_S)
    tally.ends[ending.result().result.answer] += 1
    while time.monotonic() < healed_at + GOES_ON_WITHIN_S:
        system.reset()
        if system.carry_out('move_forward', duration_s=0.3).outcome == 'reached':
            tally.goes_on.append(time.monotonic() - healed_at)
            return


def _drive(system: DrivenSystem, rover: _Rover, moments: random.Random) -> Future:
    """The goal of a drive that is executing, a random while after its begin."""
    deadline = time.monotonic() + 3 * GOES_ON_WITHIN_S
    while True:
        system.control.stopped_at = None
        ending = system.begin('move_forward', duration_s=DRIVE_S)
        system.until(partial(_has_begun, system, rover, ending), 'the rover drives')
        system.wait(moments.uniform(0.0, CUT_WITHIN_S))
        if system.control.driving and not ending.done():
            return ending
        answer = system.result(ending).answer  # a bad link may end a drive
        if time.monotonic() > deadline:
            raise TimeoutError(f'no drive lasts: {answer}')
        system.reset()


def _has_begun(system: DrivenSystem, rover: _Rover, ending: Future) -> bool:
    return bool(ending.done() or (system.control.driving and rover.speed > STILL_M_S))


@contextmanager
def made_hosts(hosts: Mapping[str, str]) -> Iterator[None]:
    """Makes the namespaces."""
    _remove(hosts)
    for name in hosts:
        _ip('netns', 'add', name)
        _ip('-n', name, 'link', 'set', 'lo', 'up')
    try:
        yield
    finally:
        _remove(hosts)


@contextmanager
def discovery_server(address: str) -> Iterator[None]:
    """Runs one on this host, and has every process that is started now use it."""
    server = subprocess.Popen([SERVER, address], stdout=subprocess.DEVNULL)
    os.environ['ROS_DISCOVERY_SERVER'] = f'{address}:11811'
    os.environ['ROS_AUTOMATIC_DISCOVERY_RANGE'] = 'SYSTEM_DEFAULT'
    try:
        yield
    finally:
        server.terminate()
        server.wait()


def _remove(hosts: Mapping[str, str]) -> None:
    for name in hosts:
        if Path('/run/netns', name).exists():
            _ip('netns', 'del', name)


def _ip(*arguments: str) -> None:
    subprocess.run(['ip', *arguments], check=True)


if __name__ == '__main__':
    sys.exit(0 if measure() else 1)
