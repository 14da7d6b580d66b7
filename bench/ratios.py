"""What a tick, a tool call and a stop cost, as ratios to plain py_trees in the same run.

All of it is processor time of this thread, in turn with a fixed piece of work: a machine that is
slow or busy changes both alike. The bounds find what has become much dearer, in any run of the
suite (`test/bench/test_ratios.py`). How long things take is measured by `tick_cost` and
`stop_latency`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
import time

from fakes.core import FakeRobot

from bench._figures import report
from bench.tick_cost import STATUS, calling_executive, idle_executive, plain_work
from bt_executive.core.goal_queue import OPERATOR, Task
from bt_executive.core.inputs import GoalReceived, ResetRequested, SafetyEvent, StatusReceived
from bt_executive.tree.executive import Executive
from rover_common.clocks import Now

ROUNDS = 300
TICK, CALL, STOP = (
    'idle tick / plain py_trees',
    'tool call / plain py_trees',
    'safety event to stop request / plain py_trees',
)
# Times the fixed piece of work; about twice what was measured.
BOUNDS: Mapping[str, float] = {TICK: 0.4, CALL: 2.2, STOP: 0.5}


def run() -> bool:
    """Measures the three ratios."""
    found = measure(ROUNDS)
    return False not in {report(name, each, at_most=BOUNDS[name]) for name, each in found.items()}


def measure(rounds: int) -> dict[str, float]:
    """Return the least of each in so many rounds, as multiples of the fixed piece of work.

    The least, as `timeit` has it: what else runs on the core empties its caches, and a tick, which
    touches more memory than the fixed piece of work, then costs up to three times as much.
    """
    idling, calling, stopping = idle_executive(), calling_executive(rounds), idle_executive()
    for executive in (idling, calling, stopping):
        executive.context.inbox.put(StatusReceived(0.0, STATUS))
        executive.step(Now.at(0.0))
    calling.context.inbox.put(GoalReceived(Task('one', 'look again and again')))
    taken: dict[str, list[float]] = {TICK: [], CALL: [], STOP: []}
    plain = []
    for number in range(rounds):
        now = Now.at(0.1 * (number + 1))
        plain.append(_cpu_s(plain_work))
        taken[TICK].append(_cpu_s(lambda now=now: idling.step(now)))  # type: ignore[misc]
        taken[CALL].append(_call_s(calling, now))
        taken[STOP].append(_stop_s(stopping, now))
    return {name: min(each) / min(plain) for name, each in taken.items()}


def _cpu_s(work: Callable[[], object]) -> float:
    began = time.thread_time()
    work()
    return time.thread_time() - began


def _call_s(executive: Executive, now: Now) -> float:
    """From a proposal to the decision on its result, in the ticks of one call."""
    context, spent = executive.context, 0.0
    context.inbox.put(StatusReceived(now.steady, STATUS))
    before = context.progress.steps
    while context.progress.steps == before:
        spent += _cpu_s(lambda: executive.step(now))
    return spent


def _stop_s(executive: Executive, now: Now) -> float:
    """From a safety event until the stop is requested; then SAFE is ended again."""
    inbox, robot = executive.context.inbox, executive.context.robot
    assert isinstance(robot, FakeRobot)
    robot.sent.clear()
    inbox.put(SafetyEvent('bench', '/safety_events'))
    spent = 0.0
    while not any('stop' in name for name in robot.names):
        spent += _cpu_s(lambda: executive.step(now))
    inbox.put(StatusReceived(now.steady, STATUS))
    inbox.put(ResetRequested(OPERATOR))
    while executive.context.state.world.safety_reason:
        executive.step(now)
    return spent
