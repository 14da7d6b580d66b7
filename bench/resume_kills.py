"""kill -9 of the executive at any moment of the demo's goal: the next one goes on with it.

Real processes; the rover's services are in this one and count what is asked of them. Each trial
has a robot and a journal of its own: it sends the goal, kills the executive at a random moment,
starts it again as the supervisor does, and waits for the goal's end on ~/goal_ends. Some trials
kill at forced points instead: between durable and sent, between sent and answered, and at each
edge of the call table that an undisturbed goal has shown (`bench/_dying_executive.py`).

`python -m bench.resume_kills --trials 20 --edges 0`
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
import json
import os
from pathlib import Path
import random
import statistics
import sys
import tempfile
import time
from typing import Any

from std_msgs.msg import String

from bench._driven_system import JOURNAL, DrivenSystem
from bt_executive.core.calls import TRANSITIONS
from bt_executive.core.journal_records import (
    CallChanged,
    CallOpened,
    GoalEnded,
    Judged,
    LifeBegan,
)
from bt_executive.journal.entries import entries_of_kind, readable_entries
from bt_executive.journal.opening import damage_of, open_for_reading
from bt_executive.launching.restarts import FIRST_DELAY_S
from bt_executive.report.reading import read_recording
from bt_executive.ros.goal_ends import LATEST_ENDS
from bt_executive.stage.story import tell_goals

TRIALS = 200
TARGET_S = 5.0  # from the start of the next executive until it goes on
GOAL_S = 14.0  # about as long as the goal takes undisturbed
ENDED_WITHIN_S = 120.0
NODES = ('rover', 'environment_simulator', 'curiosity_adapter', 'executive')
DYING = 'bench._dying_executive'
SETTINGS = (
    *('rover.start.x=2.6', 'rover.rocks=0', 'rover.battery.start=1.0'),
    *('rover.camera.width=160', 'rover.camera.height=120'),
)
MOTIONS = ('move_forward', 'turn_left', 'turn_right', 'mast_open', 'mast_close', 'mast_rotate')
STEPS = ('DECIDE', 'ACT', 'RESULT', 'ERROR')  # in the trace, of a goal
FORCED = ('send:1', 'sent:1')


@dataclass
class Tally:
    """What the trials came to."""

    trials: int = 0
    after_the_end: int = 0
    went_on: list[float] = field(default_factory=list)
    acted: list[float] = field(default_factory=list)
    outcomes: Counter[str] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)
    killed_at: Counter[str] = field(default_factory=Counter)

    def tell(self) -> None:
        """Prints the figures."""
        print(f'{self.trials} kills, {self.after_the_end} of them after the end of the goal')
        _tell_times('restart to the goal taken up', self.went_on)
        _tell_times('restart to the next step of the goal', self.acted)
        late = sum(took > TARGET_S for took in self.went_on)
        print(f'  later than {TARGET_S:g} s: {late}')
        print(f'  outcomes: {dict(self.outcomes)}')
        edges = {
            f'{state.value} {what.value}' for state in TRANSITIONS for what in TRANSITIONS[state]
        }
        print(f'  forced points: {dict(self.killed_at)}')
        print(f'  edges that this goal does not have: {len(edges - set(self.killed_at))}')
        print(f'  faults: {len(self.faults)}')
        for fault in self.faults:
            print(f'    {fault}')


def _tell_times(what: str, values: Sequence[float]) -> None:
    if values:
        print(
            f'  {what}: {len(values)}, median {statistics.median(values):.2f} s, '
            f'max {max(values):.2f} s'
        )


class Trial:
    """One goal, one kill, two executives."""

    def __init__(self, folder: Path, point: str = '') -> None:
        self.folder = folder
        self.journal = folder / JOURNAL
        self.ends: list[dict[str, Any]] = []
        self.system = DrivenSystem(folder, NODES, SETTINGS, {'executive': (DYING, point)})
        self.system.listen(String, 'executive/goal_ends', self._ended, LATEST_ENDS)

    def begin(self) -> None:
        """Sends the goal."""
        self.goal = self.system.begin_goal('demo_ground_texture')

    def until_ended(self) -> None:
        """Waits for the goal's end."""
        self.system.until(lambda: self.ends, 'the end of the goal', ENDED_WITHIN_S)

    def kill(self, after_s: float) -> bool:
        """Kills the executive so much later; False if the goal has ended before."""
        at = time.monotonic() + after_s
        self.system.until(lambda: time.monotonic() >= at or self.ends, 'the kill')
        self.system.kill('executive')
        return not self.ends

    def until_dead(self) -> bool:
        """Until the executive has killed itself; False if the goal has ended before."""
        self.system.until(
            lambda: not self.system.is_alive('executive') or self.ends,
            'the end of the executive',
            ENDED_WITHIN_S,
        )
        return not self.system.is_alive('executive')

    def start_again(self) -> float:
        """Starts the executive as the supervisor does; returns the time of day of it."""
        self.system.wait(FIRST_DELAY_S)
        self.system.start('executive', usual=True)
        return time.time()

    def heard_after(self, start: float, taken_up: bool) -> float | None:
        """Seconds until the goal was taken up, or until its next step."""
        for event in read_recording(self.folder).lives[-1]:
            is_it = 'lives' in (event.data or {})
            if is_it if taken_up else event.kind in STEPS:
                return event.ts - start
        return None

    def faults(self, killed: bool) -> Iterator[str]:
        """What must not be, from the journal, the rover's services and the run folder."""
        with closing(open_for_reading(self.journal)) as connection:
            yield from (f'integrity: {each}' for each in damage_of(connection))
            damaged: list[str] = []
            entries = list(readable_entries(connection, damaged.append))
            yield from (f'damaged row: {each}' for each in damaged)
            calls = [each.record for each in entries_of_kind(connection, CallOpened)]
            allowed = {
                each.record.call_id
                for each in entries_of_kind(connection, Judged)
                if each.record.allowed
            }
            sent = Counter(
                each.record.session_id
                for each in entries_of_kind(connection, CallChanged)
                if each.record.happened == 'send'
            )
            ended = Counter(each.record.goal_id for each in entries_of_kind(connection, GoalEnded))
            lives = len(list(entries_of_kind(connection, LifeBegan)))
        del entries
        yield from (f'{session} was sent {n} times' for session, n in sent.items() if n > 1)
        if ended[self.goal] != 1:
            yield f'the goal ended {ended[self.goal]} times'
        if len({json.dumps(end) for end in self.ends if end['task_id'] == self.goal}) != 1:
            yield f'told as its end: {self.ends}'
        for name in MOTIONS:
            asked = self.system.control.asked[name]
            opened = [call for call in calls if call.label == f'/adapter/{name}']
            if asked > len(opened):
                yield f'{name}: {asked} requests at the rover, {len(opened)} calls in the journal'
            yield from (
                f'{name}: no verdict allowed {call.call_id}'
                for call in opened
                if call.call_id not in allowed
            )
        yield from self._report_faults(lives, killed)

    def _report_faults(self, lives: int, killed: bool) -> Iterator[str]:
        recording = read_recording(self.folder)
        goals = tell_goals(recording.lives)[0]
        if (lives, len(recording.lives)) != (1 + killed, 1 + killed):
            yield f'{lives} lives in the journal, {len(recording.lives)} in the trace'
        if len(goals) != 1 or goals[0].outcome != self.ends[0]['outcome']:
            yield f'the report has {[(goal.text, goal.outcome) for goal in goals]}'

    def edges(self) -> list[str]:
        """The edges of the call table that this goal had, each once."""
        states: dict[str, str] = {}
        found: dict[str, None] = {}
        with closing(open_for_reading(self.journal)) as connection:
            for entry in entries_of_kind(connection, CallChanged):
                change = entry.record
                before = states.get(change.session_id, 'requested')
                states[change.session_id] = change.state
                found[f'{before} {change.happened}'] = None
        return list(found)

    def _ended(self, message: String) -> None:
        self.ends.append(json.loads(message.data))


def run(trials: int = TRIALS, edges: int | None = None) -> bool:
    """Kills so often at random, and at so many of the forced points (None: all)."""
    tally = Tally()
    points = [*FORCED, *_undisturbed(tally)]
    for point in points if edges is None else points[:edges]:
        _try(tally, point)
    moments = random.Random(13)
    for _ in range(trials):
        _try(tally, '', moments.uniform(0.0, GOAL_S))
    tally.tell()
    late = any(took > TARGET_S for took in tally.went_on)
    return not tally.faults and not late


def _undisturbed(tally: Tally) -> list[str]:
    """Forced points at the edges that a goal has which nobody disturbs."""
    with tempfile.TemporaryDirectory() as folder:
        trial = Trial(Path(folder))
        try:
            trial.begin()
            began = time.monotonic()
            trial.until_ended()
            print(f'undisturbed: {time.monotonic() - began:.1f} s, {trial.ends[0]["outcome"]}')
            tally.faults += [f'undisturbed: {each}' for each in trial.faults(killed=False)]
            found = trial.edges()
        finally:
            trial.system.end()
    return [f'{edge}:1{when}' for edge in found for when in ('', ':durable')]


def _try(tally: Tally, point: str, after_s: float = 0.0) -> None:
    what = point or f'after {after_s:.1f} s'
    with tempfile.TemporaryDirectory() as folder:
        trial = Trial(Path(folder), point)
        try:
            trial.begin()
            in_time = trial.until_dead() if point else trial.kill(after_s)
            tally.trials += 1
            if point and not in_time:
                tally.faults.append(f'{what}: the executive did not die')
                return
            start = trial.start_again()
            trial.until_ended()
            _count(tally, trial, start, in_time)
            found = [f'{what}: {each}' for each in trial.faults(killed=True)]
        except TimeoutError as error:
            found = [f'{what}: {error}']
        finally:
            trial.system.end()
    tally.faults += found
    tally.killed_at[point.split(':')[0]] += bool(point)
    latest = f', taken up after {tally.went_on[-1]:.2f} s' if tally.went_on else ''
    load = os.getloadavg()[0]
    print(f'{tally.trials:3d}  {what}{latest}, load {load:.0f}: {found or "no fault"}', flush=True)


def _count(tally: Tally, trial: Trial, start: float, in_time: bool) -> None:
    tally.outcomes[trial.ends[0]['outcome']] += 1
    tally.after_the_end += not in_time
    if in_time:
        for values, taken_up in ((tally.went_on, True), (tally.acted, False)):
            took = trial.heard_after(start, taken_up)
            values.extend([] if took is None else [took])


if __name__ == '__main__':
    os.environ.setdefault('ROS_AUTOMATIC_DISCOVERY_RANGE', 'LOCALHOST')
    os.environ.setdefault('ROS_DOMAIN_ID', str(1 + os.getpid() % 40))
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--trials', type=int, default=TRIALS, help='kills at random moments')
    parser.add_argument('--edges', type=int, help='forced points (default: all)')
    options = parser.parse_args()
    sys.exit(not run(options.trials, options.edges))
