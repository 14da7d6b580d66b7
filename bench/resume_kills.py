"""kill -9 of the executive at any moment: the next one goes on.

Real processes. Each trial has a robot and a journal of its own; it sends a goal, the executive is
killed and started again as the supervisor does, and the trial waits for the goal's end on
~/goal_ends. The kinds of kills:

- at random moments of the demo's goal, several times in the same goal if that is wanted, and just
  before and after requests, of which one may be made twice; the rover's services are in this
  process and count what is asked of them;
- at each edge of the call table, before and after it is on disk (`bench/_edge_trial.py`);
- in the middle of each kind of branch of a composite tool (`bench/_composite_trial.py`).

`python -m bench.resume_kills --trials 20 --edges ''`; `--edges 'sent accept'` for one edge;
`--each 6`: up to six kills in each goal; `--composites ''`: none of the last.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
import os
from pathlib import Path
import random
import sys
import tempfile
import time

from bench._composite_trial import KINDS, CompositeTrial
from bench._edge_trial import EdgeTrial, all_edges, leaves_a_record
from bench._figures import report, report_longest, trials
from bench._resume_trial import ENDED_WITHIN_S, ResumeTrial

TRIALS = trials(200)
TARGET_S = 2.0  # from the start of the next executive until it resumes
GOAL_S = 14.0  # about as long as the goal takes undisturbed
NODES = (
    *('rover', 'environment_simulator', 'curiosity_adapter', 'curiosity_navigation'),
    'executive',
)
SETTINGS = (
    *('rover.start.x=2.6', 'rover.rocks=0', 'rover.battery.start=1.0'),
    *('rover.camera.width=160', 'rover.camera.height=120'),
)
ONCE = ('move_forward', 'turn_left', 'turn_right')
REPEATABLE = ('mast_open', 'mast_close', 'mast_rotate')  # idempotent in config/robot.yaml
RANDOM = "at a moment of the demo's goal"
FORCED = (
    *(('send:1', ''), ('sent:1', ''), ('accepted succeed:1', '')),
    *(('accepted succeed:1:durable', ''), ('sent:1', '/adapter/mast_rotate')),
)


@dataclass
class Tally:
    """Results of the trials."""

    trials: int = 0
    after_the_end: int = 0
    went_on: list[float] = field(default_factory=list)
    acted: list[float] = field(default_factory=list)
    outcomes: Counter[str] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)
    killed_at: Counter[str] = field(default_factory=Counter)

    def more(self, count: int, killed_at: str) -> None:
        """Further kills in the same trial."""
        self.trials += count
        self.killed_at[killed_at] += count

    def report_all(self) -> bool:
        """Print the figures; True if the targets are met."""
        report('kills', self.trials)
        report('kills after the end of the goal', self.after_the_end)
        met = True
        for what, values, most in (
            ('restart → goal resumed', self.went_on, TARGET_S),
            ('restart → next step of the goal', self.acted, None),
        ):
            if values:
                met &= report_longest(what, values, at_most=most)
        print(f'  outcomes: {dict(self.outcomes)}')
        for point, count in self.killed_at.items():
            print(f'  {count:3d} kills {point}')
        for fault in self.faults:
            print(f'    {fault}')
        return report('faults', len(self.faults), at_most=0) and met


def run(
    trials: int = TRIALS,
    edges: Sequence[str] | None = None,
    seed: int = 13,
    each: int = 1,
    composites: Sequence[str] = tuple(KINDS),
) -> bool:
    """Kills so often at random moments, `each` times in a goal, and at these edges (None: all).

    `composites`: kinds of branches.
    """
    tally = Tally()
    if trials:
        _demo_trials(tally, trials, random.Random(seed), each)
    for durable in (False, True):
        for edge in _edges(seed) if edges is None else edges:
            if leaves_a_record(edge) or not durable:
                _edge_trial(tally, edge, durable)
    for kind in composites:
        _composite_trial(tally, kind)
    return tally.report_all()


def _edges(seed: int) -> Sequence[str]:
    """The edges of the call table, or the requested share of them."""
    every = list(all_edges())
    return random.Random(seed).sample(every, trials(len(every)))


def _demo_trials(tally: Tally, trials: int, moments: random.Random, each: int) -> None:
    lasts_s = _undisturbed(tally)
    for point, server in FORCED:
        _forced_trial(tally, point, server)
    while sum(count for what, count in tally.killed_at.items() if what == RANDOM) < trials:
        _random_trial(tally, [moments.uniform(0.0, lasts_s) for _ in range(each)])


def _demo(folder: Path, point: str = '', server: str = '') -> ResumeTrial:
    trial = ResumeTrial(folder, NODES, SETTINGS, point, server)
    trial.goal = trial.system.begin_goal('demo_ground_texture')
    return trial


def _undisturbed(tally: Tally) -> float:
    """Duration of the goal in s, undisturbed."""
    with tempfile.TemporaryDirectory() as folder:
        trial = _demo(Path(folder))
        try:
            began = time.monotonic()
            trial.until_ended()
            took = time.monotonic() - began
            print(f'undisturbed: {took:.1f} s, {trial.ends[0].outcome}', flush=True)
            faults = _demo_faults(trial, kills=0)
            tally.faults += [f'undisturbed: {each}' for each in faults]
        finally:
            trial.system.end()
    return took


def _demo_faults(trial: ResumeTrial, kills: int, in_time: int | None = None) -> Iterator[str]:
    yield from trial.faults(kills, in_time)
    asked = {f'/adapter/{name}': trial.system.control.asked[name] for name in ONCE + REPEATABLE}
    yield from trial.unjustified(asked, [f'/adapter/{name}' for name in REPEATABLE], kills)


def _forced_trial(tally: Tally, point: str, server: str) -> None:
    def one(folder: Path) -> list[str]:
        trial = _demo(folder, point, server)
        try:
            trial.system.until(lambda: not trial.is_alive, 'the kill', 2 * ENDED_WITHIN_S)
            in_time = not trial.ends
            start = trial.start_again()
            trial.until_ended()
            _count(tally, trial, start if in_time else None)
            return list(_demo_faults(trial, kills=1))
        finally:
            trial.system.end()

    _try(tally, f"in the demo's goal, at {point}{server and f' of {server}'}", '', one)


def _random_trial(tally: Tally, waits: Sequence[float]) -> None:
    """Kills after each of these waits, in s, as long as the goal lasts."""

    def one(folder: Path) -> list[str]:
        trial = _demo(folder)
        start: float | None = None
        kills = in_time = 0
        try:
            for wait_s in waits:
                _until_end_or(trial, time.monotonic() + wait_s)
                if kills and trial.ends:
                    break
                if start is not None:
                    _count_times(tally, trial, start)
                trial.system.kill('executive')
                kills += 1
                tally.after_the_end += bool(trial.ends)
                was_open, start = not trial.ends, trial.start_again()
                in_time += was_open
                start = start if was_open else None
            trial.until_ended()
            _count(tally, trial, start)
            tally.more(kills - 1, RANDOM)
            return list(_demo_faults(trial, kills, in_time))
        finally:
            trial.system.end()

    delays = ', '.join(f'{each:.1f}' for each in waits)
    _try(tally, RANDOM, f' after {delays} s', one)


def _until_end_or(trial: ResumeTrial, at: float) -> None:
    """Waits for the goal's end, until this steady time at most."""
    trial.system.until(
        lambda: trial.ends or time.monotonic() >= at, 'the moment of the kill', 2 * ENDED_WITHIN_S
    )


def _edge_trial(tally: Tally, edge: str, durable: bool) -> None:
    def one(folder: Path) -> list[str]:
        trial = EdgeTrial(folder, edge, durable)
        try:
            trial.begin()
            trial.until_dead()
            had_ended = bool(trial.trial.ends)
            start = trial.trial.start_again()
            trial.until_closed()
            _count(tally, trial.trial, None if had_ended else start)
            return list(trial.faults())
        finally:
            trial.end()

    _try(tally, f'at {edge}{", on disk" if durable else ""}', '', one)


def _composite_trial(tally: Tally, kind: str) -> None:
    def one(folder: Path) -> list[str]:
        trial = CompositeTrial(folder, kind)
        try:
            trial.kill_in_the_middle()
            start = trial.trial.start_again()
            trial.until_ended()
            _count(tally, trial.trial, start)
            return list(trial.faults())
        finally:
            trial.end()

    _try(tally, f'in a composite: {kind}', '', one)


def _try(tally: Tally, what: str, more: str, trial: Callable[[Path], list[str]]) -> None:
    """One trial in a folder of its own; `what` is counted, `more` only printed."""
    began, before = time.monotonic(), len(tally.went_on)
    with tempfile.TemporaryDirectory() as folder:
        try:
            found = trial(Path(folder))
        except TimeoutError as error:
            found = [str(error)]
    tally.trials += 1
    tally.killed_at[what] += 1
    tally.faults += [f'{what}{more}: {each}' for each in found]
    latest = f', taken up after {tally.went_on[-1]:.2f} s' if len(tally.went_on) > before else ''
    print(
        f'{tally.trials:3d}  {what}{more}{latest}, load {os.getloadavg()[0]:.0f}, '
        f'{time.monotonic() - began:.0f} s: {found or "no fault"}',
        flush=True,
    )


def _count(tally: Tally, trial: ResumeTrial, start: float | None) -> None:
    """`start`: of the latest process, if the goal had not ended before."""
    tally.outcomes[trial.ends[0].outcome] += 1
    if start is not None:
        _count_times(tally, trial, start)


def _count_times(tally: Tally, trial: ResumeTrial, start: float) -> None:
    for values, taken_up in ((tally.went_on, True), (tally.acted, False)):
        took = trial.received_after(start, taken_up)
        values.extend([] if took is None else [took])


def _listed(text: str) -> list[str]:
    return [each for each in text.split(',') if each]


if __name__ == '__main__':
    os.environ.setdefault('ROS_AUTOMATIC_DISCOVERY_RANGE', 'LOCALHOST')
    os.environ.setdefault('ROS_DOMAIN_ID', str(1 + os.getpid() % 40))
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--trials', type=int, default=TRIALS, help='kills at random moments')
    parser.add_argument('--edges', help='edges, with commas between them (default: all)')
    parser.add_argument('--seed', type=int, default=13, help='of the random moments')
    parser.add_argument('--each', type=int, default=1, help='kills in the same goal, at most')
    parser.add_argument('--composites', default=','.join(KINDS), help='kinds of branches')
    options = parser.parse_args()
    chosen = None if options.edges is None else _listed(options.edges)
    kinds = _listed(options.composites)
    sys.exit(not run(options.trials, chosen, options.seed, options.each, kinds))
