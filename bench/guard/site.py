"""The robot's side of a case: physics, control nodes and adapter, in one process and without DDS.

The physics is the simulation's (`curiosity_sim.rover`), and the adapter is the shipped one
(`curiosity_adapter.adapter_parts`). What stands in is the transport between them, and
control's seven services, which latch the last motion as the demo's do. Nothing here knows the
executive.
All times in s; lengths in m, world frame; angles in rad.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
import heapq
import itertools
import math
import random
from typing import Any

from fakes.adapter import FakeClient
from fakes.common import FakeFuture

from curiosity_adapter.adapter_parts import AdapterParts
from curiosity_adapter.rover_services import RoverClient
from curiosity_adapter.status_report import report_of
from curiosity_sim.control_node import MOTIONS, TRAJECTORIES
from curiosity_sim.rover.kinematics import DriveCommand
from curiosity_sim.rover.mast import JOINTS, Waypoint
from curiosity_sim.rover.rover_body import Rover
from curiosity_sim.rover.world import make_world
from rover_common.adapter_status import AdapterStatus
from rover_common.clocks import Clocks
from rover_common.condition_waiter import ConditionWaiter
from rover_common.config.settings import Config, KeepOutZone
from rover_common.config.settings.curiosity import MastSettings
from rover_common.geometry.transforms import Transform
from rover_common.permit import Heartbeat

STEP_S = 0.05
MASTS = tuple(TRAJECTORIES)
SERVICES = (*MOTIONS, 'move_stop', *MASTS)
LATCH_STEPS = 2  # control repeats what it has latched at 10 Hz
POSE_STEPS = 2
STATUS_STEPS = 4  # motion.status_period_s
TURNS_RAD_S = 0.01  # of a joint; a command to go where it is moves nothing


@dataclass(frozen=True)
class Truth:
    """What the robot really does at one moment."""

    at: float
    x: float
    y: float
    yaw: float
    tilt: float
    speed: float  # over ground, m/s; 0 while something holds it
    mast_closed: bool
    mast_moves: bool


def truth_of(rover: Rover, at: float, tilt: float, mast: MastSettings) -> Truth:
    """Return what a simulated body really does."""
    off = abs(rover.mast.positions[mast.tilt_joint] - mast.closed_tilt_rad)
    return Truth(
        at,
        rover.pose.x,
        rover.pose.y,
        rover.pose.yaw,
        tilt,
        0.0 if rover.command.speed == 0.0 else rover.motion.speed,
        off <= mast.tolerance_rad,
        any(abs(each) > TURNS_RAD_S for each in rover.mast.velocities.values()),
    )


@dataclass(frozen=True)
class Request:
    """One request at a service of the robot itself, and what the robot did at that moment.

    `sender`: `adapter`, or another client.
    """

    name: str
    sender: str
    truth: Truth


@dataclass
class Silence:
    """What does not come through at present."""

    status: bool = False
    tf: bool = False
    joints: bool = False
    battery: bool = False
    answers: bool = False  # of the robot's services to the adapter


@dataclass
class Site:
    """A rover with its control nodes and its adapter.

    Args:
        config: The whole configuration.
        seed: Of the network's delays.
        navigates: A rangefinder is there, too.

    Attributes:
        now: Steady time; also the system's, as the adapter sees it.
        requests: Every request at the robot's own services, in order.
        track: What the robot did, step by step.
        strange: Until when another client drives the robot.
    """

    config: Config
    seed: int = 0
    now: float = 1000.0
    steps: int = 0
    requests: list[Request] = field(default_factory=list)
    track: list[Truth] = field(default_factory=list)
    quiet: Silence = field(default_factory=Silence)
    adapter_sleeps: float = 0.0
    control_sleeps: float = 0.0
    leans: float = 0.0
    jumps: tuple[float, float, float] = (0.0, 0.0, 0.0)  # added to poses that are measured
    odometry: tuple[float, float] | None = None  # reported by odometry instead of the true place
    charge: float | None = None
    latency_s: float = 0.0
    ros_offset: float = 0.0
    stops_lost: bool = False

    def __post_init__(self) -> None:
        """Puts rover and adapter together."""
        settings = self.config.curiosity.rover
        self.rover = Rover(settings, make_world(settings))
        self.rng = random.Random(self.seed)
        self.latched: DriveCommand | None = None
        self._flights: list[tuple[float, int, Callable[[], None]]] = []
        self._numbers = itertools.count()
        self.listeners: list[Callable[[AdapterStatus], None]] = []
        self.pose: Transform | None = None
        self.calls: list[Coroutine[Any, Any, Any]] = []
        self.start_adapter()
        self.truth = self._measure()

    # --- the adapter ---------------------------------------------------------------------------

    def start_adapter(self) -> None:
        """A new process of the adapter: what the last one was doing is lost."""
        self.close()
        self.calls = []
        self.waiter = ConditionWaiter(lambda: self.now, FakeFuture)
        clients = {name: FakeClient(partial(self._asked, name)) for name in SERVICES}
        self.parts = AdapterParts(
            self.config,
            RoverClient(
                clients,
                {name: f'/{name}' for name in SERVICES},
                object,
                self.stand_still,
                self.waiter,
                self.config.curiosity.motion,
            ),
            self.waiter,
            self.calls.append,
            Clocks(lambda: self.now + self.ros_offset, lambda: self.now),
            on_change=self.react,
            on_halt=lambda _sentence: None,
        )

    @property
    def adapter_awake(self) -> bool:
        """Whether the adapter's process runs now."""
        return self.now >= self.adapter_sleeps

    def receive_heartbeat(self, heartbeat: Heartbeat) -> None:
        """A heartbeat arrives at the adapter."""
        self.reach_adapter(lambda: self.parts.receive_heartbeat(heartbeat, self.now))

    def reach_adapter(self, arrive: Callable[[], object]) -> None:
        """What arrives at the adapter is read at once, or when its process runs again."""

        def read() -> None:
            if not self.adapter_awake:
                self.send(self.adapter_sleeps, read)
                return
            arrive()
            self.react()

        read()

    def call_adapter(self, name: str, done: Callable[[bool, str], None]) -> None:
        """A request at one of the adapter's services that begin or end something."""
        self.reach_adapter(lambda: self.calls.append(self._served(name, done)))

    async def _served(self, name: str, done: Callable[[bool, str], None]) -> None:
        if name in MASTS:
            reason = await self.parts.mast.run(name)  # type: ignore[arg-type]
        elif name == 'move_stop':
            reason = await self.parts.base.stop()
        else:
            reason = await self.parts.base.start(name)
        self.react()
        done(reason is None, reason.sentence if reason else '')

    def set_manual_mode(self, wanted: bool) -> None:
        """Call the adapter's service of that name, as another client."""
        self.reach_adapter(lambda: self.parts.deadman.set_manual(wanted, self.now))

    def set_zones(self, zones: tuple[KeepOutZone, ...]) -> None:
        """Publish the zones on the latched topic."""
        self.reach_adapter(lambda: self.parts.keep_out.update(zones))

    def react(self) -> None:
        """What the adapter does whenever something has changed."""
        if self.adapter_awake:
            self.parts.watch(self.pose)
            self.waiter.evaluate()

    def status(self) -> AdapterStatus:
        """What the adapter reports now."""
        return report_of(self.parts.status(None, None), self.parts.measurements())

    def close(self) -> None:
        """The case is over: what still waits will not go on."""
        for call in self.calls:
            with suppress(RuntimeError):
                call.close()

    # --- the robot's own services --------------------------------------------------------------

    def _asked(self, name: str, answer: FakeFuture) -> None:
        self.send(self.now + self.latency_s, partial(self.take, name, 'adapter', answer))

    def take(self, name: str, sender: str, answer: FakeFuture | None = None) -> None:
        """A request arrives at one of the robot's own services."""
        if self.now < self.control_sleeps:
            self.send(self.control_sleeps, partial(self.take, name, sender, answer))
            return
        self.requests.append(Request(name, sender, self._measure()))
        if name in MASTS:
            points = TRAJECTORIES[name]
            self.rover.mast.follow(
                [Waypoint(at, dict(zip(JOINTS, each, strict=True))) for at, each in points]
            )
        else:
            self.latched = DriveCommand(*MOTIONS[name]) if name in MOTIONS else None
            self.drive_wheels(self.latched or DriveCommand())
        if answer is not None and not self.quiet.answers and not answer.done():
            answer.set_result(True)

    def drive_wheels(self, command: DriveCommand) -> None:
        """A velocity arrives on cmd_vel."""
        self.rover.command = command

    def stand_still(self) -> None:
        """The adapter commands a velocity of zero."""
        self.drive_wheels(DriveCommand())

    def stop_now(self) -> None:
        """The stop that waits for no tick: at the robot, and at the adapter."""
        if self.stops_lost:
            return
        self.take('move_stop', 'executive')
        self.call_adapter('move_stop', lambda _ok, _message: None)

    # --- time ----------------------------------------------------------------------------------

    def send(self, at: float, arrive: Callable[[], None]) -> None:
        """Something is on its way until then."""
        heapq.heappush(self._flights, (at, next(self._numbers), arrive))

    def step(self) -> None:
        """Advance by `STEP_S`."""
        self.now += STEP_S
        self.steps += 1
        self.rover.step(STEP_S)
        self.rover.battery.weak_charge = self.charge
        while self._flights and self._flights[0][0] <= self.now:
            heapq.heappop(self._flights)[2]()
        if self.latched and self.now >= self.control_sleeps and self.steps % LATCH_STEPS == 0:
            self.drive_wheels(self.latched)
        self._sense()
        if self.adapter_awake:
            self.parts.update()
            self.react()
            if self.calls:
                self._go_on()
                self.react()
        self.truth = self._measure()
        self.track.append(self.truth)
        if self.steps % STATUS_STEPS == 0:
            self.publish()

    def publish(self) -> None:
        """Publish the adapter's status."""
        if self.adapter_awake and not self.quiet.status:
            status = self.status()
            for listener in self.listeners:
                listener(status)

    def _go_on(self) -> None:
        waiting, self.calls[:] = list(self.calls), []
        for call in waiting:
            try:
                call.send(None)
            except StopIteration:
                continue
            self.calls.append(call)

    def _sense(self) -> None:
        rover, stamp = self.rover, self.now + self.ros_offset
        if not self.quiet.joints:
            mast = rover.mast.positions
            joints = (tuple(mast), tuple(mast.values()))
            self._to_adapter(lambda: self.parts.mast.update_joints(*joints))
        if self.steps % POSE_STEPS == 0 and not self.quiet.tf:
            self.pose = self.measured_pose(stamp)
            if self.odometry is not None:
                place = Transform.planar(*self.odometry, rover.pose.yaw, stamp)
                self._to_adapter(lambda: self.parts.update_odometry(place))
        if not self.quiet.battery and self.steps % 20 == 0:
            self._to_adapter(lambda: self.parts.limits.update_battery(rover.battery.charge))

    def _to_adapter(self, arrive: Callable[[], object]) -> None:
        if self.adapter_awake:
            arrive()

    def measured_pose(self, stamp: float) -> Transform:
        """The rover's pose by /tf."""
        pose, (dx, dy, turn) = self.rover.pose, self.jumps
        flat = Transform.planar(pose.x + dx, pose.y + dy, pose.yaw + turn, stamp)
        half = self.tilt / 2.0
        leaning = Transform(qx=math.sin(half), qw=math.cos(half))
        return flat.compose(leaning)

    @property
    def tilt(self) -> float:
        """How much the rover leans: the worlds of the cases are level but for that."""
        return self.leans

    @property
    def is_at_rest(self) -> bool:
        """Whether the wheels stand still."""
        return self.rover.motion.speed == 0.0 and self.rover.command.speed == 0.0

    def _measure(self) -> Truth:
        return truth_of(self.rover, self.now, self.tilt, self.config.curiosity.mast)
