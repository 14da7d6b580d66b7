"""What a tick costs, and what the executive adds to a tool call, without ROSA and the service.

The shipped tree with a robot that answers at once and a planner that proposes at once; wall time
of `Executive.step`, telemetry included. A tool call is everything from its proposal to the
decision: check, guards, dispatch, answer, stock, trace. Between two ticks of a call a real server
works, and the store's thread writes; without that pause it takes its time from the calls. A core
that has just slept computes more slowly for a while (by half, on a virtual machine): what is
measured with pauses stands beside a fixed piece of work with the same pauses, and beside the same
calls without a journal.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
import gc
from itertools import chain, repeat
from pathlib import Path
import statistics
import tempfile
import time

from fakes.core import FakeRobot, NoGoalReader, NoGraph, ScriptedPlanner
from fakes.tree import FakeReporter
import py_trees
from py_trees.behaviours import Success

from bench._figures import report
from bt_executive.core.executive_ports import Proposal
from bt_executive.core.goal_queue import Task
from bt_executive.core.inbox import Inbox
from bt_executive.core.inputs import GoalReceived, StatusReceived
from bt_executive.core.store_port import RunStart
from bt_executive.core.trace import MemorySink, Tracer
from bt_executive.skills.tool_registry import Registry
from bt_executive.store.recording_ports import (
    RecordedInbox,
    RecordedPlanner,
    RecordedRobot,
    RecordedStore,
)
from bt_executive.store.run_configuration_and_metadata import RunMetadata
from bt_executive.store.run_folder_writer import RunFolder
from bt_executive.store.store_lock_and_previous_run import start_store
from bt_executive.store.tree_and_state_changes import TreeLog
from bt_executive.tree.context import Context
from bt_executive.tree.executive import Executive, StepReport
from bt_executive.tree.resume_from_checkpoints import RunBegins, resume
from bt_executive.tree.subtrees_on_demand import fully_planted
from bt_executive.tree.tree_ports import Ports
from rover_common.adapter_status import AdapterStatus
from rover_common.clocks import Now
from rover_common.config.load import load_config
from rover_common.ros.entering_ros import shorten_switch_interval

TICKS = 5000
CALLS = 2000
SERVER_S = 0.003  # between two ticks, in the calls with a pause
TICK_TARGET_MS = 0.15
RECORDED_TARGET_MS = 0.3  # the thread that writes takes its share of the interpreter
CALL_TARGET_MS = 1.0
PLAIN_LEAVES, PLAIN_TICKS = 19, 8  # together 1 ms on an idle machine: the floor of a slower one
PLAIN = py_trees.composites.Sequence(
    'plain', memory=False, children=[Success(f'{number}') for number in range(PLAIN_LEAVES)]
)
STORE_TARGET = 1.1  # times what a tick costs without
STATUS = AdapterStatus(
    'bench', moving=False, at_rest=True, details={'mast_is_open': True, 'mast': 'open'}
)


def run() -> bool:
    """Measures idle ticks, ticks while a goal waits for its planner, and whole tool calls."""
    idling, thinking, calling = (_executive(calls) for calls in (0, 0, CALLS))
    keeping, kept_calling, kept_paused = (_kept(calls) for calls in (0, CALLS, CALLS))
    pausing = _executive(CALLS)
    recording, folder = _recorded()
    shorten_switch_interval()  # as every node process does
    idle, kept = _time_ticks_in_turn(idling, keeping)
    recorded = _time_ticks(recording)
    folder.close(within_s=60.0)
    recording.context.ports.store.close(Now.at(0.0), 'measured', 60.0)
    thinking.context.inbox.put(GoalReceived(Task('one', 'think')))
    waiting = _time_ticks(thinking)
    calls, floor = _time_calls(calling)
    kept_calls, kept_floor = _time_calls(kept_calling)
    paused_calls, paused_floor = _time_calls(kept_paused, SERVER_S)
    calls_without, _ = _time_calls(pausing, SERVER_S)
    for executive in (keeping, kept_calling, kept_paused):
        executive.context.ports.store.close(Now.at(0.0), 'measured', 60.0)
    gc.unfreeze()  # for the measurements that follow
    met = _print('idle tick', idle, statistics.median, 'median', TICK_TARGET_MS)
    met &= _print('idle tick, recorded', recorded, statistics.median, 'median', RECORDED_TARGET_MS)
    report('recorded idle, a tick', _bytes(folder.folder) / TICKS, 'bytes')
    met &= _print(
        'tick while the model thinks', waiting, statistics.median, 'median', TICK_TARGET_MS
    )
    met &= _print('tool call', calls, _p99, 'p99', CALL_TARGET_MS)
    met &= _print_beside('tool call / plain py_trees', calls, floor)
    met &= _print('tool call, with a journal', kept_calls, _p99, 'p99', CALL_TARGET_MS)
    met &= _print_beside('with a journal / plain py_trees', kept_calls, kept_floor)
    what = f'the same, {SERVER_S * 1e3:g} ms between ticks'
    met &= _print(what, paused_calls, _p99, 'p99', CALL_TARGET_MS)
    met &= _print_beside('with pauses / plain py_trees with pauses', paused_calls, paused_floor)
    report('with pauses, with / without a journal, p99', _p99(paused_calls) / _p99(calls_without))
    ratio = _p99(kept) / _p99(idle)
    report('tick, p99, with a journal', _p99(kept), 'ms')
    report('tick, p99, without', _p99(idle), 'ms')
    return report('tick, p99, with / without a journal', ratio, at_most=STORE_TARGET) and met


def _kept(calls: int, folder: Path | None = None) -> Executive:
    """The same with a store on this machine's disk."""
    context = _executive(calls).context
    path = (folder or Path(tempfile.mkdtemp())) / 'journal.sqlite'
    run = RunStart(run_id='bench', run_dir='', pid=0, boot_id='', version='')
    settings = context.config.executive.journal
    started = start_store(path, settings, run, Now.at(0.0), context.inbox.wake)
    ports = replace(context.ports, store=started.store)
    begins = RunBegins(started.run, started.saved)
    persistent = resume(ports, context.config, context.registry, begins)
    return Executive(Context(context.config, context.registry, ports, persistent))


def idle_executive() -> Executive:
    """An executive without goals."""
    return _executive(0)


def calling_executive(calls: int) -> Executive:
    """An executive whose planner proposes so many calls for its goal."""
    return _executive(calls)


def _executive(calls: int) -> Executive:
    """An executive whose planner proposes `calls` times and then keeps silent."""
    config = load_config(None, [f'agent.max_iterations={CALLS + 1}'])
    inbox, memory = Inbox(), MemorySink(10)
    look = Proposal('call', 'get_status', {}, 'I look.')
    planner = ScriptedPlanner(chain(repeat(look, calls), [None]))
    ports = Ports(
        inbox=inbox,
        robot=FakeRobot(inbox, reply={'success': True, 'message': '{}'}),
        planner=planner,
        reporter=FakeReporter(),
        tracer=Tracer('bench', [memory], time.time),
        memory=memory,
        graph=NoGraph(),
        reader=NoGoalReader(),
    )
    return Executive(Context(config, Registry(config), ports))


class _RecordedExecutive(Executive):
    """Records each step, as the executive's node does."""

    def __init__(self, context: Context, folder: RunFolder) -> None:
        super().__init__(context)
        self._folder = folder
        with fully_planted(self.root) as root:
            folder.set_tree(TreeLog(root))

    def step(self, now: Now) -> StepReport:
        """See `Executive.step`."""
        self._folder.recorder.begin_tick(now)
        report = super().step(now)
        self._folder.tick(now.ros, report.mode, self.context.state, self.visited)
        return report


def _recorded() -> tuple[Executive, RunFolder]:
    """An executive that idles and is recorded."""
    path = Path(tempfile.mkdtemp())
    context = _kept(0, path).context
    folder = RunFolder(path, RunMetadata('bench', context.config))
    ports = replace(
        context.ports,
        store=RecordedStore(context.ports.store, folder.recorder),
        inbox=RecordedInbox(folder.recorder),
        robot=RecordedRobot(context.robot, folder.recorder),
        planner=RecordedPlanner(context.planner, folder.recorder),
    )
    return _RecordedExecutive(Context(context.config, context.registry, ports), folder), folder


def _bytes(folder: Path) -> int:
    """Of what grows with each tick."""
    names = ('*.jsonl', '*.sqlite')
    return sum(path.stat().st_size for name in names for path in folder.glob(name))


def _time_ticks(executive: Executive) -> list[float]:
    now, taken = 100.0, []
    for _ in range(TICKS):
        now += 0.1
        executive.context.inbox.put(StatusReceived(now, STATUS))
        began = time.perf_counter()
        executive.step(Now.at(now))
        taken.append((time.perf_counter() - began) * 1e3)
    return taken


def _time_ticks_in_turn(one: Executive, other: Executive) -> tuple[list[float], list[float]]:
    """A tick of this one and a tick of the other, so that both have the same machine."""
    now = 100.0
    taken: tuple[list[float], list[float]] = [], []
    for _ in range(TICKS):
        now += 0.1
        for executive, times in zip((one, other), taken, strict=True):
            executive.context.inbox.put(StatusReceived(now, STATUS))
            began = time.perf_counter()
            executive.step(Now.at(now))
            times.append((time.perf_counter() - began) * 1e3)
    return taken


def _time_calls(executive: Executive, pause_s: float = 0.0) -> tuple[list[float], list[float]]:
    """Return what the ticks of each call take, and a fixed piece of work after each, in ms.

    `pause_s`: before each tick, and before each half of the piece of work: a call has two ticks.
    """
    context, now = executive.context, 100.0
    taken: list[float] = []
    floor: list[float] = []
    context.inbox.put(StatusReceived(now, STATUS))
    context.inbox.put(GoalReceived(Task('one', 'look again and again')))
    for _ in range(CALLS):
        before, spent = context.progress.steps, 0.0
        while context.progress.steps == before:
            spent += _after_pause(pause_s, lambda: executive.step(Now.at(now)))
        taken.append(spent * 1e3)
        halves = (_after_pause(pause_s, lambda: plain_work(PLAIN_TICKS // 2)) for _ in range(2))
        floor.append(sum(halves) * 1e3)
    return taken, floor


def _after_pause(pause_s: float, work: Callable[[], object]) -> float:
    if pause_s:
        time.sleep(pause_s)
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def plain_work(ticks: int = PLAIN_TICKS) -> None:
    """The fixed piece of work: ticks of a tree of plain py_trees."""
    for _ in range(ticks):
        list(PLAIN.tick())


def _p99(values: list[float]) -> float:
    return statistics.quantiles(values, n=100)[98]


def _print_beside(what: str, taken: list[float], floor: list[float]) -> bool:
    report(f'{what}: the latter, p99', _p99(floor), 'ms')
    return report(f'{what}, p99', _p99(taken) / _p99(floor), at_most=1.0)


def _print(
    what: str,
    taken: list[float],
    of: Callable[[list[float]], float],
    statistic: str,
    target: float,
) -> bool:
    return report(f'{what}, {statistic} of {len(taken)}', of(taken), 'ms', at_most=target)
