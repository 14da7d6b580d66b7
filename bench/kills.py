"""kill -9 of a process at a random moment of a drive: how the rest reacts, and how it mends.

Real processes; the rover's services are in this one and note when a stop arrives. Each trial
drives, kills, starts the process again as the supervisor does, and then wants one more tool done.
A picture is what needs the simulator, so there the drive is short and a picture follows.

`python -m bench.kills NODE ...` kills some of them only.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import partial
import os
from pathlib import Path
import random
import re
import sys
import tempfile
import time

from rclpy.task import Future

from bench._driven_system import DrivenSystem
from bench._figures import report, report_longest, trials
from bt_executive.launching.supervisor import FIRST_DELAY_S

TRIALS = trials(50)
STOP_TARGET_S = 0.5
DRIVE_S = 20.0  # longer than anything that happens to it
KILLED_WITHIN_S = 3.0  # of the drive's begin
SHORT_DRIVE_S = 0.3
RECOVERED_WITHIN_S = 45.0  # else it has not recovered
ASK_AGAIN_S = 0.2
NODES = ('rover', 'environment_simulator', 'curiosity_adapter', 'executive')
# An open plain: the length of the drives does not matter.
SETTINGS = ('rover.rocks=0', 'rover.battery.start=1.0', 'goal.max_wall_s=60')


@dataclass
class Tally:
    """Results of the trials with one process; times in s from the kill."""

    trials: int = 0
    stops: list[float] = field(default_factory=list)
    ended_s: list[float] = field(default_factory=list)
    recovered_s: list[float] = field(default_factory=list)
    reasons: Counter[str] = field(default_factory=Counter)

    def report_all(self, name: str) -> bool:
        """Print the figures; True if the targets are met."""
        met = report(f'{name}: recovered', len(self.recovered_s), at_least=self.trials)
        bound = STOP_TARGET_S if name == 'executive' else None
        for what, values, most in (
            ("stop request at the rover's service", self.stops, bound),
            ('goal ended with a reason', self.ended_s, None),
            ('next tool done', self.recovered_s, None),
        ):
            if values:
                met &= report_longest(f'{name}: kill → {what}', values, at_most=most)
        for reason, count in self.reasons.most_common():
            print(f'  {count:3d} x {reason}')
        return met


Trial = Callable[[DrivenSystem, Tally, str, random.Random], None]


def run(names: Iterable[str] = NODES) -> bool:
    """Kills each of these processes TRIALS times."""
    moments = random.Random(7)
    met = True
    for name in names:
        tally = Tally()
        while tally.trials < TRIALS:
            _try(TRIALS_OF[name], tally, name, moments)
        met &= tally.report_all(name)
    return met


def _try(trial: Trial, tally: Tally, name: str, moments: random.Random) -> None:
    """Trials in one system, until they are done or one fails; that one has not recovered."""
    with tempfile.TemporaryDirectory() as folder:
        system = DrivenSystem(Path(folder), NODES, SETTINGS)
        try:
            _do(system, 'mast_close', killed_at=time.monotonic())
            while tally.trials < TRIALS:
                tally.trials += 1
                trial(system, tally, name, moments)
        except TimeoutError as error:
            tally.reasons[f'Trial given up: {error}'] += 1
        finally:
            system.end()


def _kill_while_driving(
    system: DrivenSystem, tally: Tally, name: str, moments: random.Random
) -> None:
    ending = _drive(system, moments)
    killed_at = _kill(system, name)
    system.until(lambda: system.control.stopped_at, 'a stop request')
    tally.stops.append((system.control.stopped_at or 0.0) - killed_at)
    system.until(lambda: time.monotonic() > killed_at + FIRST_DELAY_S, 'the delay of a restart')
    system.start(name)
    if name != 'executive':
        _note(tally, system.result(ending).answer, killed_at)
    if name == 'rover':  # it begins anew, with its mast out
        _do(system, 'mast_close', killed_at)
    took = _do(system, 'move_forward', killed_at, duration_s=SHORT_DRIVE_S)
    tally.recovered_s += [took] if took else []


def _drive(system: DrivenSystem, moments: random.Random) -> Future:
    """The goal of a drive that is executing, a random while after its begin.

    On a busy machine the deadman may end a drive; then another one begins.
    """
    deadline = time.monotonic() + RECOVERED_WITHIN_S
    while True:
        ending = system.begin('move_forward', duration_s=DRIVE_S)
        system.until(partial(_has_begun, system, ending), 'the rover drives')
        system.wait(moments.uniform(0.0, KILLED_WITHIN_S))
        if system.control.driving:
            return ending
        answer = system.result(ending).answer
        if time.monotonic() > deadline:
            raise TimeoutError(f'no drive lasts: {answer}')
        system.reset()


def _has_begun(system: DrivenSystem, ending: Future) -> bool:
    return bool(system.control.driving or ending.done())


def _is_due(ending: Future, at: float) -> bool:
    return bool(ending.done() or time.monotonic() > at)


def _kill_before_a_picture(
    system: DrivenSystem, tally: Tally, name: str, moments: random.Random
) -> None:
    """The simulator has no part in driving; the kill comes while driving, opening or looking."""
    at = time.monotonic() + moments.uniform(0.0, KILLED_WITHIN_S)
    killed_at = 0.0
    for tool, arguments in (
        ('move_forward', {'duration_s': 1.0}),
        ('mast_open', {}),
        ('capture_and_score', {}),
    ):
        ending = system.begin(tool, **arguments)
        if not killed_at:
            system.until(partial(_is_due, ending, at), 'the kill')
            if time.monotonic() > at or tool == 'capture_and_score':
                killed_at = _kill(system, name)
                system.wait(FIRST_DELAY_S)
                system.start(name)
        result = system.result(ending)
    if result.outcome != 'reached':
        _note(tally, result.answer, killed_at)
    took = _do(system, 'capture_and_score', killed_at)
    tally.recovered_s += [took] if took else []
    _do(system, 'mast_close', killed_at)


TRIALS_OF: Mapping[str, Trial] = {
    'executive': _kill_while_driving,
    'curiosity_adapter': _kill_while_driving,
    'rover': _kill_while_driving,
    'environment_simulator': _kill_before_a_picture,
}


def _kill(system: DrivenSystem, name: str) -> float:
    system.control.stopped_at = None
    return system.kill(name)


def _note(tally: Tally, reason: str, killed_at: float) -> None:
    tally.ended_s.append(time.monotonic() - killed_at)
    tally.reasons[re.sub(r'\d+(\.\d+)?', 'N', reason)] += 1


def _do(system: DrivenSystem, tool: str, killed_at: float, **arguments: float) -> float | None:
    """Seconds from the kill until a tool was done, after a reset where one is needed."""
    deadline = time.monotonic() + RECOVERED_WITHIN_S
    while time.monotonic() < deadline:
        if system.carry_out(tool, **arguments).outcome == 'reached':
            return time.monotonic() - killed_at
        system.reset()
        system.wait(ASK_AGAIN_S)
    return None


if __name__ == '__main__':
    os.environ.setdefault('ROS_AUTOMATIC_DISCOVERY_RANGE', 'LOCALHOST')
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('names', nargs='*', choices=NODES, metavar='NODE')
    sys.exit(not run(parser.parse_args().names or NODES))
