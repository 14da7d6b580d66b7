"""A rover on a plain with rocks, in time of our own: adapter and navigator without ROS."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import Executor, Future
from dataclasses import dataclass, field
from functools import cache, partial
import math
from typing import Any

from fakes.adapter import FakeClient
from fakes.common import FakeFuture
import numpy as np
import pytest

from curiosity_adapter.adapter_parts import AdapterParts
from curiosity_adapter.rover_services import RoverClient
from curiosity_adapter.status_report import report_of
from curiosity_navigation.adapter_status_monitor import read_status
from curiosity_navigation.costmap import Scan
from curiosity_navigation.navigation_goal_progress import Outcome
from curiosity_navigation.navigator import NavigatorParts, Preview
from curiosity_navigation.path_planner import NavigationGoal
from rover_common.clocks import Clocks
from rover_common.condition_waiter import ConditionWaiter
from rover_common.config.load import load_config
from rover_common.config.settings import Config
from rover_common.geometry.transforms import Transform
from rover_common.reason import Reason
from rover_common.setpoint import Setpoint

STEP_S = 0.1
STATUS_STEPS = 2  # of the adapter's `status_period_s`
RAYS = 360
BEARINGS = np.linspace(-math.pi, math.pi, RAYS)
COMMANDS = {'move_forward': (2.0, 0.0), 'turn_left': (1.0, 0.4), 'turn_right': (1.0, -0.4)}
WHEEL_RADIUS_M = 0.242647
SERVICES = (*COMMANDS, 'move_stop', 'mast_open', 'mast_close', 'mast_rotate')


@dataclass
class Habits:
    """How this rover differs from the one in the book."""

    speed: float = 1.0  # share of the demo's speed that arrives on the ground
    radius: float = 1.0  # likewise of the turning circle
    latency_s: float = 0.02  # of a service
    late_s: float = 0.0  # a motion is carried out before it is answered, by so much
    stuck: bool = False
    mute: bool = False  # no service is carried out or answered
    blind: bool = False  # no scans
    lost: bool = False  # no transforms
    tilt: float = 0.0  # rad, to the right
    shift: tuple[float, float] = (0.0, 0.0)  # of the world frame, in m: it has jumped
    rolls_on: float = 0.0  # of its wheels in rad/s, although its stop was answered


class Inline(Executor):
    """Runs a job at once: in this world no time passes while a path is planned."""

    def submit(self, work: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()
        future.set_result(work(*args, **kwargs))
        return future


@cache
def config_with(settings: tuple[str, ...]) -> Config:
    return load_config(None, ['curiosity.deadman.manual_mode=true', *settings])


@dataclass
class Plain:
    """Rocks (x, y, radius), and a rover whose motions latch as in the Curiosity demo."""

    rocks: list[tuple[float, float, float]] = field(default_factory=list)
    settings: tuple[str, ...] = ()
    habits: Habits = field(default_factory=Habits)

    def __post_init__(self) -> None:
        self._rocks = np.array(self.rocks, dtype=float).reshape(-1, 3)
        self.now = 0.0
        self.x = self.y = self.yaw = 0.0
        self.driven: list[tuple[float, float, float]] = []
        self.asked: list[str] = []
        self.halts: list[str] = []
        self._latched = self._rolling = (0.0, 0.0)
        self._requests: list[tuple[float, str, FakeFuture]] = []
        self._steps = 0
        self._pose = Transform.planar(0.0, 0.0, 0.0)
        config = config_with(self.settings)
        self._waiter, self._adapter_waiter = (
            ConditionWaiter(lambda: self.now, lambda: asyncio.get_running_loop().create_future())
            for _ in range(2)
        )
        clients = {name: FakeClient(partial(self._take, name)) for name in SERVICES}
        names = {name: f'/{name}' for name in SERVICES}
        rover = RoverClient(
            clients, names, object, lambda: None, self._adapter_waiter, config.curiosity.motion
        )
        self.adapter = AdapterParts(
            config,
            rover,
            self._adapter_waiter,
            asyncio.ensure_future,
            Clocks(lambda: self.now, lambda: self.now),
            on_change=self.look,
            on_halt=self.halts.append,
        )
        self.parts = NavigatorParts(
            config,
            self._take_setpoint,
            self._waiter,
            Inline(),
            Clocks(lambda: self.now, lambda: self.now),
            lambda: self.now,
            on_change=self.look,
        )
        self.tilt = config.curiosity.mast.closed_tilt_rad
        navigation = config.curiosity.navigation
        self.half_size = navigation.length_m / 2.0, navigation.width_m / 2.0

    def add_rock(self, x: float, y: float, radius: float) -> None:
        """Something that was not there before."""
        self.rocks.append((x, y, radius))
        self._rocks = np.array(self.rocks, dtype=float)

    def _take(self, name: str, answer: FakeFuture) -> None:
        self.asked.append(name)
        self._requests.append((self.now + self.habits.latency_s, name, answer))

    @property
    def rolling(self) -> bool:
        return self._rolling != (0.0, 0.0)

    def nearest_rock(self) -> float:
        """Smallest distance between the rover's rectangle and a rock, over all the path."""
        at_x, at_y, yaw = np.array(self.driven).T
        nearest = math.inf
        for x, y, radius in self.rocks:
            dx, dy = x - at_x, y - at_y
            ahead = np.abs(dx * np.cos(yaw) + dy * np.sin(yaw)) - self.half_size[0]
            aside = np.abs(dy * np.cos(yaw) - dx * np.sin(yaw)) - self.half_size[1]
            outside = np.hypot(np.maximum(ahead, 0.0), np.maximum(aside, 0.0))
            nearest = min(nearest, float((outside - radius).min()))
        return nearest

    def go(
        self, *goal: float, seconds: float = 3000.0, meanwhile: Callable[[], None] = lambda: None
    ) -> Outcome:
        """Sends a goal and lets time pass; `meanwhile` is called at every step."""
        self.cancelled = False

        async def main() -> Outcome:
            await self._pass(1.0)
            task = asyncio.ensure_future(
                self.parts.navigator.run(NavigationGoal(*goal), lambda: self.cancelled)
            )
            until = self.now + seconds
            while not task.done():
                assert self.now < until, 'the goal did not end in time'
                await self._pass(STEP_S)
                meanwhile()
            await self._pass(1.0)
            return task.result()

        return asyncio.run(main())

    def preview(self, *goal: float) -> Preview | Reason[Any]:
        """Asks for a path; time passes until it is answered."""

        async def main() -> Preview | Reason[Any]:
            await self._pass(1.0)
            task = asyncio.ensure_future(self.parts.navigator.preview(NavigationGoal(*goal)))
            until = self.now + 60.0
            while not task.done():
                assert self.now < until, 'the question was not answered'
                await self._pass(STEP_S)
            return task.result()

        return asyncio.run(main())

    async def _pass(self, seconds: float) -> None:
        for _ in range(round(seconds / STEP_S)):
            self._step()
            if self._steps % STATUS_STEPS == 0:
                self.hear_adapter()
            self.look_at_navigator()
            for _ in range(2):
                await asyncio.sleep(0)

    def look(self) -> None:
        self.look_at_adapter()
        self.hear_adapter()
        self.look_at_navigator()

    def look_at_navigator(self) -> None:
        self.parts.watch(self._pose)
        self._waiter.evaluate()

    def look_at_adapter(self) -> None:
        self.adapter.watch(self._pose)
        self._adapter_waiter.evaluate()

    def hear_adapter(self) -> None:
        """What the adapter tells, at each change and as often as it does: it is at once here."""
        report = report_of(self.adapter.status(None, None), self.adapter.measurements())
        self.parts.adapter.update_status(read_status(report, self.parts.adapter.run_id))
        if self.adapter.keep_out.zones != self.parts.keep_out.zones:
            self.parts.keep_out.update(self.adapter.keep_out.zones)

    def _take_setpoint(self, setpoint: Setpoint) -> None:
        assert self.adapter.receive_setpoint(setpoint, self.now) is None
        self.look_at_adapter()

    def _step(self) -> None:
        self.now += STEP_S
        self._steps += 1
        due = [
            request
            for request in self._requests
            if request[0] <= self.now and not self.habits.mute
        ]
        for request in due:
            self._requests.remove(request)
            _, name, answer = request
            if name == 'move_stop':
                self._latched = self._rolling = (self.habits.rolls_on, 0.0)
            elif name in COMMANDS:
                self._latched = COMMANDS[name]
                if self.habits.late_s:
                    self._requests.append((self.now + self.habits.late_s, 'answer', answer))
                    continue
            answer.set_result(True)
        self._rolling = self._latched
        self._drive()
        self.adapter.update()
        self.adapter.mast.update_joints(['mast_p_joint', 'mast_02_joint'], [self.tilt, -1.57])
        if not self.habits.lost:
            lean = Transform(
                qx=math.sin(self.habits.tilt / 2.0), qw=math.cos(self.habits.tilt / 2.0)
            )
            x, y = self.x + self.habits.shift[0], self.y + self.habits.shift[1]
            self._pose = Transform.planar(x, y, self.yaw, stamp=self.now).compose(lean)
        if self._steps % 4 == 0 and not self.habits.blind:
            self.parts.obstacle_monitor.update(self._scan(), self._pose, Transform(z=1.0))
        if self.parts.adapter.must_repeat:
            self.parts.adapter.repeat_setpoint()  # the adapter looks when it takes one
        else:
            self.look_at_adapter()

    def _drive(self) -> None:
        """A point on a circle; the demo's wheel node maps 0.4 to a radius of 7.5 m."""
        linear, angular = self._rolling
        if self.habits.stuck or not linear:
            return
        length = linear * WHEEL_RADIUS_M * STEP_S * self.habits.speed
        radius = (17.5 - 25.0 * abs(angular)) * self.habits.radius
        turned = math.copysign(length / radius, angular) if angular else 0.0
        self.x += length * math.cos(self.yaw + turned / 2.0)
        self.y += length * math.sin(self.yaw + turned / 2.0)
        self.yaw = math.remainder(self.yaw + turned, math.tau)
        self.driven.append((self.x, self.y, self.yaw))

    def _scan(self) -> Scan:
        bearings = BEARINGS + self.yaw
        rays = np.stack([np.cos(bearings), np.sin(bearings)])
        offsets = self._rocks[:, :2] - (self.x, self.y)
        along = offsets @ rays  # a row for each rock
        rest = np.square(self._rocks[:, 2]) - np.square(offsets).sum(axis=1)
        inside = rest[:, np.newaxis] + np.square(along)
        hit = along - np.sqrt(np.maximum(inside, 0.0))
        hit[(inside <= 0.0) | (hit <= 0.0)] = np.inf
        ranges = hit.min(axis=0, initial=np.inf)
        ranges[(ranges < 1.0) | (ranges > 30.0)] = np.inf
        return Scan(-math.pi, math.tau / (RAYS - 1), 1.0, 30.0, ranges)


@pytest.fixture
def make_plain() -> type[Plain]:
    return Plain


@pytest.fixture
def plain() -> Plain:
    return Plain()
