"""A process stands still around the end of a drive: does the rover keep driving?

Real processes. At a random moment around the start of a drive one of executive, adapter and
control is suspended (SIGSTOP) for 0.05 to 3 s, and around that moment the drive is called off: its
goal is cancelled, the operator stops or pauses, a better goal comes, a safety event. Counted from
the later of the two, the call and the end of the suspension, the odometry must show that the
rover stands, and it must not start again. While control is suspended, which serves the rover's
stop, it must stand counted from the call.

`python -m bench.suspensions 20` makes so many trials only.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
import random
import signal
import sys
import tempfile
import time
from typing import Any

from nav_msgs.msg import Odometry

from bench._driven_system import DrivenSystem
from bench._figures import report, report_longest, trials

TRIALS = trials(200)
NAVIGATOR = 'curiosity_navigation'
CONTROL = 'curiosity_control'
VICTIMS = ('executive', 'curiosity_adapter', CONTROL, NAVIGATOR)
NODES = ('rover', CONTROL, 'curiosity_adapter', NAVIGATOR, 'executive')
SETTINGS = ('rover.rocks=0', 'rover.battery.start=1.0', 'goal.max_wall_s=60')
DRIVE_S = 20.0  # longer than anything that happens to it
FAR_M = 40.0  # of the places that it is sent to
SHORTEST_S, LONGEST_S = 0.05, 3.0
MOVES_M_S = 0.05
# The promise is 0.5 s to the stop; the rover rolls out, odometry comes every 0.1 s.
KEEPS_DRIVING_S = 1.5
ODOMETRY_S = 0.15  # a rover that moves was seen to move so lately
WATCHED_S = 2.5  # for this long it must not start again


@dataclass
class Tally:
    """Results of the trials; times in s.

    Attributes:
        stood: From the last event until the rover stood.
        without_control: From the call until it stood, while control was suspended.
    """

    trials: int = 0
    stood: list[float] = field(default_factory=list)
    without_control: list[float] = field(default_factory=list)
    kept_driving: list[str] = field(default_factory=list)
    moved: int = 0  # trials in which the rover had begun to move
    navigated: int = 0  # trials in which it drove to a place
    ways: Counter[str] = field(default_factory=Counter)


class Truth:
    """The rover's motion by odometry."""

    def __init__(self, system: DrivenSystem) -> None:
        self.speed = 0.0
        self.moved_at = 0.0  # steady time of the last odometry that showed a motion
        system.watch(Odometry, 'model/curiosity_mars_rover/odometry', self._take)

    def _take(self, odometry: Odometry) -> None:
        self.speed = abs(odometry.twist.twist.linear.x)
        if self.speed > MOVES_M_S:
            self.moved_at = time.monotonic()


def run(trials: int = TRIALS, seed: int = 11) -> bool:
    """Make the trials and print their results."""
    tally = Tally()
    with tempfile.TemporaryDirectory() as folder:
        system = DrivenSystem(Path(folder), NODES, SETTINGS)
        try:
            truth = Truth(system)
            system.carry_out('mast_close')
            system.find_services()
            rng = random.Random(seed)
            for _ in range(trials):
                _try(system, truth, tally, rng)
        finally:
            system.end()
    return _report(tally)


def _try(system: DrivenSystem, truth: Truth, tally: Tally, rng: random.Random) -> None:
    victim, way = rng.choice(VICTIMS), rng.choice(sorted(WAYS))
    lasts = rng.uniform(SHORTEST_S, LONGEST_S)
    if rng.random() < 0.5:
        lasts = rng.uniform(SHORTEST_S, 0.5)
    # Each in s after the request to drive.
    suspended = rng.choice([0.0, rng.uniform(0.0, 0.05), rng.uniform(0.0, 2.0)])
    called_off = max(0.0, suspended + rng.uniform(-0.1, lasts + 0.1))
    if victim == CONTROL and rng.random() < 0.5:  # it drives before, and has time to stand
        suspended, lasts = rng.uniform(1.0, 3.0), rng.uniform(2.0, LONGEST_S)
        called_off = suspended + rng.uniform(0.0, 0.4)
    began = time.monotonic()
    navigates = victim == NAVIGATOR or rng.random() < 0.3
    goal = _send_far(system, rng) if navigates else _send_ahead(system)
    events: list[tuple[float, Callable[[], object]]] = sorted(
        [
            (suspended, lambda: system.signal(victim, signal.SIGSTOP)),
            (suspended + lasts, lambda: system.signal(victim, signal.SIGCONT)),
            (called_off, lambda: WAYS[way](system, goal)),
        ],
        key=lambda event: event[0],
    )
    last = began
    what = (
        f'{victim} for {lasts:.2f} s from {suspended:.2f} s, {way} at {called_off:.2f} s: rolled'
    )
    for after, act in events:
        system.wait(max(0.0, began + after - time.monotonic()))
        if victim == CONTROL and after == suspended + lasts:
            _check_before_control_resumes(truth, tally, began, called_off, what)
        act()
        last = time.monotonic()
    system.wait(WATCHED_S)
    tally.trials += 1
    tally.ways[f'{victim}, {way}'] += 1
    tally.navigated += navigates
    tally.moved += truth.moved_at > began
    rolled = truth.moved_at - last
    if truth.moved_at > began:
        tally.stood.append(max(rolled, 0.0))
    if rolled > KEEPS_DRIVING_S:
        tally.kept_driving.append(f'{what} {rolled:.2f} s')
    _make_ready(system, goal)


def _check_before_control_resumes(
    truth: Truth, tally: Tally, began: float, called_off: float, what: str
) -> None:
    """Whether a rover that moved at the call stands, if there was time enough since."""
    called_at = began + called_off
    moved = truth.moved_at > called_at - ODOMETRY_S
    if not moved or time.monotonic() < called_at + KEEPS_DRIVING_S:
        return
    rolled = truth.moved_at - called_at
    tally.without_control.append(max(rolled, 0.0))
    if rolled > KEEPS_DRIVING_S:
        tally.kept_driving.append(f'{what} {rolled:.2f} s without control')


def _send_ahead(system: DrivenSystem) -> Any:
    return system.send('move_forward', duration_s=DRIVE_S)


def _send_far(system: DrivenSystem, rng: random.Random) -> Any:
    x, y = (rng.choice((-FAR_M, FAR_M)) for _ in range(2))
    return system.send('navigate_to', x=x, y=y)


def _make_ready(system: DrivenSystem, goal: Any) -> None:
    """Ends what is left of a trial."""
    system.until(goal.done, 'the goal was answered')
    handle = goal.result()
    system.ask('stop')
    if handle.accepted:
        system.result(handle.get_result_async())
    system.until(system.reset, 'the executive leaves SAFE')
    system.ask('resume')
    system.until(lambda: system.carry_out('get_status').outcome == 'reached', 'it is ready')


def _cancel(_system: DrivenSystem, goal: Any) -> None:
    def cancel(accepted: Any) -> None:
        if accepted.result().accepted:
            accepted.result().cancel_goal_async()

    goal.add_done_callback(cancel)


WAYS: dict[str, Callable[[DrivenSystem, Any], None]] = {
    'cancel': _cancel,
    'stop': lambda system, _goal: system.ask('stop') and None,
    'pause': lambda system, _goal: system.ask('pause') and None,
    'safe stop': lambda system, _goal: system.ask('safe_stop') and None,
    # It lasts: after it the parked drive is taken up again, as it should be.
    'better goal': lambda system, _goal: system.send('wait', 5, seconds=30.0) and None,
}


def _report(tally: Tally) -> bool:
    print(
        f'{tally.trials} trials, {tally.navigated} of them with navigate_to; in {tally.moved} the '
        'rover had begun to move'
    )
    for what, times in (
        ('last event until it stood', tally.stood),
        ('call until it stood, without control', tally.without_control),
    ):
        if times:
            report_longest(what, times)
    for each in tally.kept_driving:
        print(f'  {each}')
    what = f'kept driving for more than {KEEPS_DRIVING_S} s'
    return report(what, len(tally.kept_driving), at_most=0)


if __name__ == '__main__':
    sys.exit(0 if run(*(int(each) for each in sys.argv[1:2])) else 1)
