"""The executive's core over real ROS: tree, book and reaper on a real RosRobot in a real node."""

from __future__ import annotations

from collections.abc import Callable, Iterator
import math
import time
from typing import Any

from fakes.core import FakeTraceSink, NoGoalReader, NoGraph, ScriptedPlanner
from fakes.tree import FakeReporter
from own_executor import own_executor as own_executor
from puppeteer import Puppet
import pytest
from rclpy.node import Node
from spinning import spun_node
from statuses import status_of
from waiting import wait_until

from bt_executive.core.call_states import TERMINAL, CallInput, CallState
from bt_executive.core.call_table import CallTable
from bt_executive.core.executive_ports import Answer, PlannerOutput, Proposal, ToolResult
from bt_executive.core.given_permits import Permits
from bt_executive.core.goal_queue import Task
from bt_executive.core.inbox import Inbox
from bt_executive.core.inputs import GoalCancelled, GoalReceived, StatusReceived
from bt_executive.core.stop_endpoints import stop_endpoints
from bt_executive.core.trace import MemorySink, Tracer
from bt_executive.ros.robot_calls import RosRobot
from bt_executive.skills.tool_registry import Registry
from bt_executive.tree.context import Context
from bt_executive.tree.executive import Executive
from bt_executive.tree.persistent_state import PersistentState
from bt_executive.tree.tree_ports import Ports
from rover_common.clocks import Now
from rover_common.config.settings import Config
from rover_common.ros.heartbeat_setpoint_and_status import HeartbeatPublisher
from rover_common.ros.interface_classes_and_fields import resolve
from rover_common.trace_event import TraceEvent

STEP_S = 0.1  # of the manual clock


class NotedTable(CallTable):
    """Notes every change of a call's state, with the leases at that moment."""

    def __init__(self) -> None:
        super().__init__()
        self.history: list[tuple[str, CallState]] = []

    def apply(self, server_call_id: str, happened: CallInput, *rest: Any, **more: Any) -> bool:
        before = self.get(server_call_id)
        known = super().apply(server_call_id, happened, *rest, **more)
        after = self.get(server_call_id)
        if after is not None and (before is None or before.state is not after.state):
            self.history.append((server_call_id, after.state))
        return known

    def ends(self) -> list[CallState]:
        """The terminal entries, in order."""
        return [state for _, state in self.history if state in TERMINAL]


class Core:
    """An executive without its node's topics: the test ticks it, and its time stands still.

    However long DDS and the servers take, no limit of the executive passes but by `pass_time`.
    """

    def __init__(self, node: Node, config: Config) -> None:
        self.inbox = Inbox()
        self._trace, self._reporter = FakeTraceSink(), FakeReporter()
        self.calls = NotedTable()
        self._goals = 0
        self._now = 100.0
        self._status_at = -math.inf
        self._held: set[str] = set()  # calls that ever had a lease
        self._script: list[PlannerOutput] = []
        registry = Registry(config, resolve)
        endpoints = [tool.endpoint for tool in registry.values() if tool.endpoint]
        self.robot = RosRobot(
            node, self.inbox, endpoints, *stop_endpoints(config), HeartbeatPublisher(node, 'core')
        )
        self.planner = ScriptedPlanner(iter(self._next_output, None), self.inbox.wake)
        memory = MemorySink(10)
        ports = Ports(
            inbox=self.inbox,
            robot=self.robot,
            planner=self.planner,
            reporter=self._reporter,
            tracer=Tracer('core', [self._trace, memory], time.time),
            memory=memory,
            graph=NoGraph(),
            reader=NoGoalReader(),
        )
        known = PersistentState(Permits(self.robot.permit), calls=self.calls)
        self.context = Context(config, registry, ports, known)
        self.executive = Executive(self.context)

    def _next_output(self) -> PlannerOutput | None:
        return self._script.pop(0) if self._script else Answer('done')

    @property
    def events(self) -> list[TraceEvent]:
        """The trace so far."""
        return self._trace.events

    @property
    def endings(self) -> list[dict[str, Any]]:
        """How goals ended."""
        return self._reporter.endings

    def ask(self, tool: str, **arguments: Any) -> str:
        """A goal for which the planner proposes one call; returns the goal's id."""
        self._goals += 1
        self._script[:] = [Proposal('call', tool, arguments)]
        task_id = f'goal-{self._goals}'
        self.inbox.put(GoalReceived(Task(task_id=task_id, goal=f'explore {self._goals}')))
        return task_id

    def give_up(self, task_id: str) -> None:
        """The client cancels the goal; the next tick does it."""
        self.inbox.put(GoalCancelled(task_id, 'changed my mind'))
        self.tick()

    @property
    def now(self) -> Now:
        """The time of the next tick."""
        return Now.at(self._now)

    def tick(self) -> None:
        """One tick, with an adapter that is alive and well."""
        if self._now - self._status_at > 0.5:
            self._status_at = self._now
            status = {'mast_is_open': False, 'mast': 'closed', 'moving': False}
            self.inbox.put(StatusReceived(self._now, status_of(status)))
        self.executive.step(self.now)
        holders = set(self.calls.leases.holders.values())
        self._held |= holders
        open_calls = {session.call_id for session in self.calls.running()}
        assert open_calls & self._held <= holders, 'a lease ended before the terminal entry'

    def pass_time(self, seconds: float) -> None:
        """Ticks until the executive's clock shows so much more."""
        end = self._now + seconds
        while self._now < end:
            self._now += STEP_S
            self.tick()

    def until(self, done: Callable[[], Any]) -> None:
        """Ticks, woken by events, until `done`."""
        wait_until(done, lambda: f'done; {self.calls.history}', meanwhile=self._tick_when_woken)

    def comes(self, done: Callable[[], Any], within_s: float = 1.0) -> bool:
        """Ticks, woken by events, until `done` or for so long; returns whether it is."""
        end = time.monotonic() + within_s
        while not (is_done := bool(done())) and time.monotonic() < end:
            self._tick_when_woken()
        return is_done

    def _tick_when_woken(self) -> None:
        self.tick()
        self.inbox.wait(0.02)

    def result(self) -> ToolResult:
        """Ticks until the planner has its next result."""
        known = len(self.planner.results)
        self.until(lambda: len(self.planner.results) > known)
        return self.planner.results[-1]

    def state(self) -> CallState | None:
        """Where the latest call stands."""
        return self.calls.history[-1][1] if self.calls.history else None

    @property
    def leased(self) -> bool:
        """Whether any resource is in use."""
        return bool(self.calls.leases.holders)

    def shows(self, words: str) -> bool:
        """Whether a behaviour of the tree has these words beside it."""
        nodes = self.executive.root.iterate()
        return any(words in node.feedback_message for node in nodes)

    def said(self, words: str) -> bool:
        """Whether the trace has a message with these words."""
        return any(words in event.message for event in self.events)


@pytest.fixture
def ros_node() -> Iterator[Node]:
    """A node in a context of its own, spun in a thread."""
    with spun_node('core') as node:
        yield node


@pytest.fixture
def core(ros_node: Node) -> Callable[[Config], Core]:
    """Makes the executive's core for a configuration."""
    return lambda config: Core(ros_node, config)


@pytest.fixture
def puppet() -> Iterator[Callable[..., Any]]:
    """Starts server processes."""
    started: list[Puppet] = []

    def start(kind: str, name: str, type_name: str, mortal: bool = False) -> Puppet:
        started.append(Puppet(kind, name, type_name, mortal))
        return started[-1]

    yield start
    for each in started:
        each.close()
