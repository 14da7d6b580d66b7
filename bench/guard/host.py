"""The executive's process in a case: the shipped tree, planner and store, on the case's clock."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
import time
from typing import Any

from bench.guard.robot_port import Fate, SiteRobot
from bench.guard.script import World
from bench.guard.site import Site
from bt_executive.approval.approval_registry import ApprovalRegistry
from bt_executive.core.executive_ports import PendingResult, Planner, ToolOffer, ToolResult
from bt_executive.core.goal_queue import Task
from bt_executive.core.inbox import Inbox
from bt_executive.core.inputs import (
    BatteryReceived,
    GoalReceived,
    Input,
    MemoryReceived,
    PoseReceived,
    StatusReceived,
    ZonesReceived,
)
from bt_executive.core.requested_acts import RequestedActs
from bt_executive.core.store_port import Durability, NoStore, RunStart, Store
from bt_executive.core.trace import MemorySink, Tracer
from bt_executive.planner.goal_reader import read_goal
from bt_executive.skills.tool_registry import Registry
from bt_executive.store.store_lock_and_previous_run import start_store
from bt_executive.tree.context import Context
from bt_executive.tree.executive import Executive
from bt_executive.tree.goal_progress import GoalProgress
from bt_executive.tree.resume_from_checkpoints import RunBegins, resume
from bt_executive.tree.tree_ports import Ports
from rover_common.adapter_status import AdapterStatus
from rover_common.clocks import Clocks
from rover_common.config.robot_examples import robot_examples
from rover_common.config.settings import Config, KeepOutZone, Robot

PERIOD_STEPS = 2  # tick.period_s and tick.heartbeat_s
MOST_TICKS = 20  # in one step, while the tree has more to do
GAP_S = 0.35  # as executive_node: after a longer gap, the process stood still
BATTERY_STEPS = 20
DISK_S = 5.0  # real


class WakingInbox(Inbox):
    """An inbox that reports whether the next tick is wanted at once."""

    woken = False

    def _wake(self) -> None:
        super()._wake()
        self.woken = True


@dataclass
class Client:
    """Implements `GoalReporter`: what whoever asked for goals is told, and nothing else."""

    ends: dict[str, dict[str, Any]] = field(default_factory=dict)
    verdicts: list[tuple[str, str]] = field(default_factory=list)  # tool, verdict
    reported_twice: list[str] = field(default_factory=list)

    def feedback(self, task: Task, progress: GoalProgress, verdict: str, mode: str) -> None:
        """See `GoalReporter.feedback`."""
        self.verdicts.append((progress.tool, verdict))

    def ended(self, task: Task, summary: dict[str, Any]) -> None:
        """See `GoalReporter.ended`."""
        if task.task_id in self.ends:
            self.reported_twice.append(task.task_id)
        self.ends[task.task_id] = summary

    def left_open(self, task: Task, summary: dict[str, Any]) -> None:
        """See `GoalReporter.left_open`."""


@dataclass(frozen=True)
class ScriptedGraph:
    """A graph whose names and messages the case has made up."""

    values: dict[str, Any]

    def read(self, what: str, topic: str) -> PendingResult[ToolResult]:
        """See `GraphReader.read`."""
        if what not in self.values:
            return PendingResult(ToolResult(ok=False, error_reason=f'No such topic: {topic!r}'))
        value = self.values[what]
        if what == 'read_topic':  # as `bt_executive.ros.graph_reader` answers
            data = {'topic': topic, 'type': 'std_msgs/msg/String', 'message': value}
        else:
            data = {what.removeprefix('list_'): value}
        return PendingResult(ToolResult(ok=True, data=data))


class PromptReader:
    """Implements `GoalReader`: the shipped reading, which takes no time of the case."""

    def __init__(self, robot: Robot) -> None:
        self._examples = robot_examples(robot)

    def read(self, goal: str, toolset: Sequence[ToolOffer]) -> PendingResult[RequestedActs]:
        """See `GoalReader.read`."""
        return PendingResult(read_goal(goal, toolset, self._examples))


class Host:
    """One executive at a time; a killed one is followed by another.

    Args:
        site: The robot.
        world: What the case has put around it.
        make_planner: Makes the planner of each run.
        folder: Where the store is; None: nothing is kept.
    """

    def __init__(
        self,
        config: Config,
        site: Site,
        world: World,
        make_planner: Callable[[], Planner],
        navigation: Any,
        folder: Path | None = None,
    ) -> None:
        self.config, self.site, self._world = config, site, world
        self._make_planner, self._navigation, self._folder = make_planner, navigation, folder
        self.client = Client()
        self.sleeps, self.runs = 0.0, 0
        self.tick_s: list[float] = []  # of real time
        self.pose_stamp = -1.0
        self.replies: list[tuple[bool, str]] = []
        self._robots: list[SiteRobot] = []
        self.begin()
        site.listeners.append(self._on_status)

    # --- processes -----------------------------------------------------------------------------

    def begin(self) -> None:
        """A run of the executive begins, with what the one before has left in the store."""
        site, config = self.site, self.config
        self.runs += 1
        run_id = f'run-{self.runs}'
        self.inbox = WakingInbox()
        self.robot = SiteRobot(site, self.inbox, run_id, self._world.services, self._navigation)
        self._robots.append(self.robot)
        memory = MemorySink(config.prompts.memory.max_events)
        longest_gap_s = GAP_S
        self._clocks = Clocks(
            lambda: site.now + site.ros_offset, lambda: site.now, longest_gap_s, 0.1
        )
        store, begins = self._open_store(run_id)
        registry = Registry(config)
        self.planner = self._make_planner()
        ports = Ports(
            inbox=self.inbox,
            robot=self.robot,
            planner=self.planner,
            reporter=self.client,
            tracer=Tracer(run_id, [memory], lambda: site.now),
            memory=memory,
            graph=ScriptedGraph(self._world.graph),
            reader=PromptReader(config.robot),
            store=store,
        )
        persistent = resume(ports, config, registry, begins, ApprovalRegistry(run_id))
        self.context = Context(config, registry, ports, persistent)
        self.executive = Executive(self.context)
        if self._world.zones:
            self.put(ZonesReceived(zones_of(self._world.zones)))
        if self._world.remembered:
            self.put(MemoryReceived(self._world.remembered))

    def _open_store(self, run_id: str) -> tuple[Store, RunBegins]:
        if self._folder is None:
            return NoStore(), RunBegins(now=self._clocks())
        start = RunStart(run_id, str(self._folder), self.runs, 'boot', '0', False)
        now = self._clocks()
        path = self._folder / 'journal.sqlite'
        opened = start_store(path, self.config.executive.journal, start, now, self.inbox.wake)
        return opened.store, RunBegins(opened.run, opened.saved, now)

    def kill(self) -> None:
        """End the process without notice; start another one."""
        self.planner.close()
        store = self.context.ports.store
        store.close(self._clocks(), '', 5.0)  # what it had been given by then is on disk
        self.begin()

    def close(self) -> None:
        """The case is over."""
        self.planner.close()
        self.context.ports.store.close(self._clocks(), 'the case is over', 5.0)

    @property
    def awake(self) -> bool:
        """Whether the executive's process runs now."""
        return self.site.now >= self.sleeps

    @property
    def fate(self) -> Fate:
        """Apply the faults of answers."""
        return self.robot.fate

    # --- what comes in -------------------------------------------------------------------------

    def put(self, given: Input) -> None:
        """An input arrives."""
        self.inbox.put(given)

    def goal(self, task: Task) -> None:
        """Send a goal."""
        self.put(GoalReceived(task))

    def _on_status(self, status: AdapterStatus) -> None:
        self.put(StatusReceived(self.site.now, status))

    def _receive_robot(self) -> None:
        site = self.site
        pose = site.pose
        if pose is not None and pose.stamp != self.pose_stamp and not site.quiet.tf:
            self.pose_stamp = pose.stamp
            seen = pose.x, pose.y, pose.yaw, pose.tilt, pose.stamp, pose.z, pose.qw
            self.put(PoseReceived(site.now, *seen))
        if not site.quiet.battery and site.steps % BATTERY_STEPS == 0:
            self.put(BatteryReceived(site.now, 100.0 * site.rover.battery.charge))

    # --- ticks ---------------------------------------------------------------------------------

    def step(self) -> None:
        """What the process does in one step of the site."""
        self._receive_robot()
        if not self.awake:
            return
        self._wait_for_the_disk()
        due = self.site.steps % PERIOD_STEPS == 0
        for _ in range(MOST_TICKS):
            if not (due or self.inbox.woken):
                break
            due = self._tick()
        if self.site.steps % PERIOD_STEPS == 0:
            self.robot.publish()

    def _wait_for_the_disk(self) -> None:
        """The disk takes no time of the case, so that a case is the same on every machine."""
        store = self.context.ports.store
        deadline = time.monotonic() + DISK_S
        while store.durable(store.latest) is Durability.WAITING and time.monotonic() < deadline:
            time.sleep(0.0005)

    def _tick(self) -> bool:
        self.inbox.woken = False
        began = time.perf_counter()
        report = self.executive.step(self._clocks())
        self.tick_s.append(time.perf_counter() - began)
        return report.again

    @property
    def sent(self) -> list[Any]:
        """All requests of all runs, in order."""
        return [each for robot in self._robots for each in robot.sent]

    @property
    def pictures(self) -> list[Any]:
        """All pictures of all runs."""
        return [each for robot in self._robots for each in robot.pictures]


def zones_of(zones: Any) -> tuple[KeepOutZone, ...]:
    """Zones of a case as those of the configuration."""
    return tuple(KeepOutZone(name=each.name, polygon=each.polygon) for each in zones)
