"""The executive on a bench: the real tree, a fake robot, a scripted planner, a manual clock."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import pytest

from bt_executive.core.calls import SessionInput
from bt_executive.core.event_memory import MemorySink
from bt_executive.core.inbox import GoalReceived, Inbox, SessionAnswer, StatusSeen
from bt_executive.core.ports import PlannerOutput, Proposal
from bt_executive.core.state import Task
from bt_executive.core.tracer import Tracer
from bt_executive.planner.scripted import ScriptedPlanner
from bt_executive.skills.registry import Registry
from bt_executive.tree.context import Brain, Progress
from bt_executive.tree.executive import Executive, StepReport
from rover_common.clocks import Now, RobotTime
from rover_common.config.load import load_config
from rover_common.config.settings import Config, Endpoint
from rover_common.permit import Beat, Permit
from rover_common.trace_event import TraceEvent


@dataclass
class BenchRobot:
    """Notes every request. Answers when told to, or by `replies` right away."""

    inbox: Inbox
    sent: list[tuple[str, str]] = field(default_factory=list)  # (session, service)
    cancelled: list[str] = field(default_factory=list)
    absent: set[str] = field(default_factory=set)
    replies: dict[str, Mapping[str, Any]] = field(default_factory=dict)
    beat: Beat = field(default_factory=lambda: Beat('bench', 0, 0.0))  # the latest one

    def permit(self, permit: Permit) -> Beat:
        self.beat = Beat('bench', self.beat.sequence + 1, 0.0, permit)
        return self.beat

    def ready(self, endpoint: Endpoint) -> bool:
        return endpoint.name not in self.absent

    def send(self, session_id: str, endpoint: Endpoint, arguments: Mapping[str, Any]) -> None:
        self.note(session_id, endpoint.name)

    def cancel(self, session_id: str) -> None:
        self.cancelled.append(session_id)

    def stop(self, session_id: str, past_the_adapter: bool) -> None:
        self.note(session_id, '/move_stop' if past_the_adapter else '/adapter/move_stop')

    def note(self, session_id: str, name: str) -> None:
        self.sent.append((session_id, name))
        if name in self.replies:
            self.inbox.put(SessionAnswer(session_id, SessionInput.SUCCEED, self.replies[name]))

    def answer(self, name: str, **fields: Any) -> None:
        """Answers the latest request to a service."""
        session_id = next(session for session, sent in reversed(self.sent) if sent == name)
        self.inbox.put(SessionAnswer(session_id, SessionInput.SUCCEED, fields))

    @property
    def names(self) -> list[str]:
        """The services in the order of their requests."""
        return [name for _, name in self.sent]


@dataclass
class BenchReporter:
    """Notes how goals ended."""

    endings: list[dict[str, Any]] = field(default_factory=list)
    steps: list[str] = field(default_factory=list)

    def feedback(self, task: Task, progress: Progress, verdict: str, mode: str) -> None:
        self.steps.append(f'{progress.tool}: {verdict}')

    def ended(self, task: Task, summary: dict[str, Any]) -> None:
        self.endings.append(summary)


@cache
def configuration(overrides: tuple[str, ...]) -> Config:
    """The shipped configuration with overrides, read once."""
    return load_config(None, overrides)


class Bench:
    """An executive whose time stands still until it is told otherwise."""

    def __init__(self, outputs: Iterable[PlannerOutput], overrides: Iterable[str]) -> None:
        config = configuration(tuple(overrides))
        self.now = 100.0  # steady
        self._ros, self._at, self._speed = self.now, self.now, 1.0
        self._robot_time = RobotTime(self.now, self.now)
        self.facts: dict[str, Any] = {'mast_is_open': True, 'mast': 'open', 'moving': False}
        self.inbox = Inbox()
        self.robot = BenchRobot(self.inbox)
        self.planner = ScriptedPlanner(outputs)
        self.reporter = BenchReporter()
        self.events: list[TraceEvent] = []
        self.memory = MemorySink(10)
        self.brain = Brain(
            config=config,
            registry=Registry(config),
            inbox=self.inbox,
            robot=self.robot,
            planner=self.planner,
            reporter=self.reporter,
            tracer=Tracer('bench', [self, self.memory], lambda: self.now),
            memory=self.memory,
        )
        self.executive = Executive(self.brain)

    @property
    def moment(self) -> Now:
        """What the clocks show."""
        ros = self._ros + self._speed * (self.now - self._at)
        return Now(ros, self._robot_time.passed(ros, self.now), self.now)

    def run_clock(self, speed: float, jump: float = 0.0) -> None:
        """From now on ROS time passes so many times as fast; first it is set by some seconds."""
        self._ros, self._at, self._speed = self.moment.ros + jump, self.now, speed

    def emit(self, event: TraceEvent) -> None:
        """The bench is the trace's sink."""
        self.events.append(event)

    def status(self, **facts: Any) -> None:
        """The adapter speaks: it has taken the latest heartbeat, and rests if nothing moves."""
        self.facts |= facts
        beat = self.brain.robot.beat
        heard = {'sender': beat.sender, 'sequence': beat.sequence}
        rest = {'heartbeat': heard, 'at_rest': self.facts.get('moving') is False}
        self.inbox.put(StatusSeen(self.now, rest | self.facts))

    def goal(self, words: str = 'look around', **fields: Any) -> None:
        """Somebody asks for a goal."""
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


@pytest.fixture(scope='session')
def bench() -> Callable[..., Bench]:
    """Makes a bench: `bench(Proposal(...), Answer(...), overrides=['variant=A'])`."""

    def make(*outputs: PlannerOutput, overrides: Iterable[str] = ()) -> Bench:
        return Bench(outputs, overrides)

    return make


def propose(tool: str, **arguments: Any) -> Proposal:
    """A proposal of the scripted planner."""
    return Proposal(f'model-{tool}', tool, arguments, f'I want {tool}')


@pytest.fixture(name='propose', scope='session')
def _propose() -> Callable[..., Proposal]:
    return propose
