"""The executive on a bench: the real tree, a fake robot, a scripted planner, a manual clock."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import cache, cached_property
from typing import Any, Protocol

from fakes.core import FakeRobot, FakeTraceSink, NoGoalReader, NoGraph, ScriptedPlanner
from fakes.tree import FakeReporter
from papers import ROOT
from statuses import status_of

from bt_executive.approval.approval_registry import ApprovalRegistry
from bt_executive.core.executive_ports import PlannerOutput, Proposal
from bt_executive.core.goal_queue import Task
from bt_executive.core.inbox import Inbox
from bt_executive.core.inputs import GoalReceived, StatusReceived
from bt_executive.core.trace import MemorySink, Tracer
from bt_executive.skills.tool_registry import Registry
from bt_executive.tree.context import Context
from bt_executive.tree.executive import Executive, StepReport
from bt_executive.tree.persistent_state import PersistentState
from bt_executive.tree.resume_from_checkpoints import RunBegins, resume
from bt_executive.tree.tree_ports import Ports
from rover_common.clocks import Now
from rover_common.config.load import load_config
from rover_common.config.settings import Config
from rover_common.robot_time import RobotTime
from rover_common.trace_event import TraceEvent

ROBOTS = ROOT / 'config' / 'robots'


@cache
def configuration(overrides: tuple[str, ...], robot: str = '') -> Config:
    """The shipped configuration with overrides, or that of another shipped robot; read once."""
    return load_config(ROBOTS / robot if robot else None, overrides)


@cache
def registry(overrides: tuple[str, ...], robot: str = '') -> Registry:
    """The tools of that configuration; nobody changes them."""
    return Registry(configuration(overrides, robot))


class TreeBench:
    """An executive whose time stands still until it is told otherwise."""

    def __init__(
        self,
        outputs: Iterable[PlannerOutput | None],
        overrides: Iterable[str],
        robot: str = '',
    ) -> None:
        chosen = tuple(overrides), robot
        self.now = 100.0  # steady
        self._ros, self._at, self._speed = self.now, self.now, 1.0
        self._robot_time = RobotTime(self.now, self.now)
        self.facts: dict[str, Any] = {'mast_is_open': True, 'mast': 'open', 'moving': False}
        self.inbox = Inbox()
        self.robot = FakeRobot(self.inbox)
        self.planner = ScriptedPlanner(outputs)
        self.reporter = FakeReporter()
        self._trace = FakeTraceSink()
        self.memory = MemorySink(10)
        ports = Ports(
            inbox=self.inbox,
            robot=self.robot,
            planner=self.planner,
            reporter=self.reporter,
            tracer=Tracer('bench', [self._trace, self.memory], lambda: self.now),
            memory=self.memory,
            graph=NoGraph(),
            reader=NoGoalReader(),
        )
        self.context = Context(configuration(*chosen), registry(*chosen), ports)

    @cached_property
    def executive(self) -> Executive:
        """The executive; built when it is needed, for many a bench is recast at once."""
        return Executive(self.context)

    def recast(self, persistent: PersistentState | None = None, **others: Any) -> None:
        """Another life, which knows this or nothing; `others`: fields of `Ports` that change."""
        before = self.context
        ports = replace(before.ports, **others)
        self.context = Context(before.config, before.registry, ports, persistent)
        vars(self).pop('executive', None)

    def resume(
        self, begins: RunBegins, approvals: ApprovalRegistry | None = None, **others: Any
    ) -> None:
        """Another run, which begins with this; `others`: fields of `Ports` that change."""
        before = self.context
        ports = replace(before.ports, **others)
        persistent = resume(ports, before.config, before.registry, begins, approvals)
        self.recast(persistent, **others)

    @property
    def moment(self) -> Now:
        """What the clocks show."""
        ros = self._ros + self._speed * (self.now - self._at)
        return Now(ros, self._robot_time.passed(ros, self.now), self.now)

    def run_clock(self, speed: float, jump: float = 0.0) -> None:
        """From now on ROS time passes so many times as fast; first it is set by some seconds."""
        self._ros, self._at, self._speed = self.moment.ros + jump, self.now, speed

    @property
    def events(self) -> list[TraceEvent]:
        """The trace so far."""
        return self._trace.events

    def status(self, **facts: Any) -> None:
        """The adapter speaks: it has taken the latest heartbeat, and rests if nothing moves."""
        self.facts |= facts
        heartbeat = self.robot.heartbeat
        heard = {'sender': heartbeat.sender, 'sequence': heartbeat.sequence}
        rest = {'heartbeat': heard, 'at_rest': self.facts.get('moving') is False}
        self.inbox.put(StatusReceived(self.now, status_of(rest | self.facts)))

    def goal(self, words: str = 'look around', **fields: Any) -> None:
        """Somebody asks for a goal: the operator, unless another `sender` is given."""
        fields = {'sender': 'operator'} | fields
        self.inbox.put(GoalReceived(Task(task_id=f'goal-{words}', goal=words, **fields)))

    def tick(self, times: int = 1, after: float = 0.0) -> StepReport:
        """Ticks; each time `after` seconds have passed."""
        for _ in range(times):
            self.now += after
            report = self.executive.step(self.moment)
        return report

    def until(self, done: Callable[[], Any], step: float = 0.1, bound: int = 2000) -> None:
        """Ticks until `done`, with the adapter speaking all the time as it spoke last."""
        for _ in range(bound):
            if done():
                return
            self._tick_while_the_adapter_speaks(step)
        raise AssertionError(f'not done after {bound} ticks; sent {self.robot.names}')

    def pass_time(self, seconds: float) -> None:
        """Ticks ten times a second for so long, with the adapter speaking as it spoke last."""
        for _ in range(round(seconds * 10)):
            self._tick_while_the_adapter_speaks(0.1)

    def _tick_while_the_adapter_speaks(self, after: float) -> None:
        self.now += after
        self.status()
        self.executive.step(self.moment)

    def messages(self, kind: str) -> list[str]:
        """Trace messages of one kind."""
        return [event.message for event in self.events if event.kind == kind]


class MakeBench(Protocol):
    """The fixture `bench`: `bench(Proposal(...), Answer(...), overrides=['variant=A'])`."""

    def __call__(
        self, *outputs: PlannerOutput | None, overrides: Iterable[str] = ()
    ) -> TreeBench: ...


class Propose(Protocol):
    """The fixture `propose`."""

    def __call__(self, tool: str, **arguments: Any) -> Proposal: ...


def make_bench(*outputs: PlannerOutput | None, overrides: Iterable[str] = ()) -> TreeBench:
    """A bench whose planner has this script; None: it keeps silent."""
    return TreeBench(outputs, overrides)


def propose(tool: str, **arguments: Any) -> Proposal:
    """A proposal of the scripted planner."""
    return Proposal(f'model-{tool}', tool, arguments, f'I want {tool}')
